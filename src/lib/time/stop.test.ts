import { expect, test } from "bun:test";
import { Stop } from "./stop.ts";

test("a stop ends the waits of before and of later, and no others", async () => {
  const stop = new Stop();
  const never = new Promise<string>(() => {});
  expect(await stop.orElse(Promise.resolve("done"), "late")).toBe("done");
  expect(await stop.orElse(Promise.reject(new Error("no")), "late").catch(String)).toBe("Error: no");
  const waiting = stop.orElse(never, "late");
  stop.end();
  expect([await waiting, await stop.orElse(never, "later"), stop.isOver]).toEqual(["late", "later", true]);
});
