import { expect, test } from "bun:test";
import { within } from "./within.ts";

test("finished work is awaited, also if it fails, and unfinished work is left alone", async () => {
  expect(await within(60_000, Promise.resolve(7))).toBe(7);
  const failing = within(60_000, Promise.reject(new Error("broken")));
  expect(await failing.then(String, String)).toBe("Error: broken");
  expect(await within(1, new Promise(() => {}))).toBeUndefined();
});

test("after the time, the result is that of the substitute, which may throw or wait", async () => {
  const never = new Promise<number>(() => {});
  expect(await within(1, never, () => "late")).toBe("late");
  const thrown = within(1, never, () => {
    throw new Error("too late");
  });
  expect(await thrown.then(String, String)).toBe("Error: too late");
  // Work that ends while the substitute is made still counts.
  const { promise, resolve } = Promise.withResolvers<string>();
  const work = within(1, promise, async () => {
    resolve("just in time");
    await Bun.sleep(0);
    return "late";
  });
  expect(await work).toBe("just in time");
});

test("the substitute is not called if the work ends in time, and a later failure of the work is ignored", async () => {
  const late = Promise.withResolvers<never>();
  expect(await within(1, late.promise, () => "late")).toBe("late");
  late.reject(new Error("nobody waits"));
  let called = false;
  await within(1, Promise.resolve(), () => (called = true));
  await Bun.sleep(5);
  expect(called).toBe(false);
});
