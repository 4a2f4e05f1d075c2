import { TurnpikeError } from "../../lib/errors.ts";
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

test("a full queue is refused at once, and a place that comes free goes to the first who waits", async () => {
  const slots = new Slots(1, 1, 10_000);
  const release = await slots.take();
  const waiting = slots.take();
  const refused = await slots.take().catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(TurnpikeError);
  expect(refused).toMatchObject({ code: "overloaded" });
  release();
  release();
  (await waiting)();
  (await slots.take())();
});

test("who waits too long, or goes away, is refused", async () => {
  const slots = new Slots(1, 2, 20);
  await slots.take();
  const leaving = new AbortController();
  const late = slots.take().catch((error: unknown) => error);
  const gone = slots.take(leaving.signal).catch((error: unknown) => error);
  leaving.abort();
  expect(await gone).toMatchObject({ code: "overloaded" });
  expect(await late).toMatchObject({ code: "overloaded" });
});
