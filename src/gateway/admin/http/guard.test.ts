import { expect, test } from "bun:test";

import { Guard } from "./guard.ts";
import { MAX_WRONG } from "./throttle.ts";

test("addresses that send wrong keys are logged, at most six a minute", () => {
  let now = 0;
  const logged: string[] = [];
  const guard = new Guard(
    ({ message }) => void logged.push(message),
    () => now,
  );
  guard.keys = { full: Buffer.alloc(32), read: undefined };
  const flood = (address: string): void => {
    for (let tries = 0; tries < MAX_WRONG; tries++) {
      expect(() => guard.check("wrong", { address, isTrusted: false })).toThrow("the key is wrong");
    }
  };
  for (let host = 1; host <= 8; host++) flood(`192.0.2.${host}`);
  expect(logged).toHaveLength(6);
  expect(logged[0]).toBe("192.0.2.1 has sent too many wrong keys, and must wait");
  expect(logged[5]).toEndWith("; further addresses are not logged for a minute");
  now += 59_999;
  flood("192.0.2.9");
  expect(logged).toHaveLength(6);
  now += 1;
  flood("192.0.2.10");
  expect(logged[6]).toBe("192.0.2.10 has sent too many wrong keys, and must wait");
});
