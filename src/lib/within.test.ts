import { expect, test } from "bun:test";
import { within } from "./within.ts";

test("finished work is awaited, also if it fails, and unfinished work is left alone", async () => {
  let isDone = false;
  await within(
    60_000,
    Bun.sleep(1).then(() => (isDone = true)),
  );
  expect(isDone).toBe(true);
  const failing = within(60_000, Promise.reject(new Error("broken")));
  expect(await failing.then(String, String)).toBe("Error: broken");
  await within(1, new Promise(() => {}));
});
