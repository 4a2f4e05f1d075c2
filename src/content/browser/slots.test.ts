import { expect, test } from "bun:test";
import { Slots } from "./slots.ts";

test("nobody who is gone already waits for a place", async () => {
  const slots = new Slots(1, 8, 60_000);
  const release = await slots.take();
  const failure = await slots.take(AbortSignal.abort()).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "overloaded" });
  release();
  expect(await slots.take()).toBeFunction();
});
