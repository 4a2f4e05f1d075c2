import { expect, test } from "bun:test";

import { type Config } from "../../config/config.ts";
import { loadValue } from "../../config/load.ts";
import { Guard, TooManyTries } from "./guard.ts";
import { type Connection, type Trust } from "./connection.ts";
import { readKeys } from "./keys.ts";
import { MAX_WRONG, MAX_WRONG_OF_KNOWN } from "./throttle.ts";

const FULL = "the-key-of-operators";
const READ = "the-key-of-readers-1";

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
      expect(() => guard.check("wrong", { address, trust: undefined })).toThrow("the key is wrong");
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

test.each([
  [1, 1],
  [1000, 1],
  [1001, 2],
  [60_000, 60],
])("a refusal for %d ms says to wait %d s", (ms, seconds) => {
  const error = new TooManyTries(ms);
  expect(error.retryAfterSeconds).toBe(seconds);
  expect(error.message).toContain(`wait ${seconds} s`);
});

test("a key is read from X-API-Key, or as a bearer's, and an empty one does not count as a guess", () => {
  const guard = new Guard(() => {});
  const admin = { ...loadValue({}).config?.admin, api_key: FULL, read_api_key: READ };
  // The defaults are a valid configuration.
  guard.keys = readKeys({ admin: admin as Config["admin"] }, {});
  const admit = (fields: Record<string, string>): string =>
    // The guard reads no other members.
    guard.admit(new Headers(fields), connect() as unknown as Connection, true).access;
  expect(admit({ "x-api-key": READ, authorization: `Bearer ${FULL}` })).toBe("read");
  expect(admit({ "x-api-key": "", authorization: `bearer   ${FULL}` })).toBe("full");
  for (const fields of [{ "x-api-key": "" }, { authorization: "Bearer" }, { authorization: "Bearer  " }]) {
    expect(() => admit(fields)).toThrow("send the key in X-API-Key, or as Authorization: Bearer");
  }
  expect(() => admit({ authorization: `Bearer x${FULL}` })).toThrow("the key is wrong");
});

function connect(): { address: string; trust: Trust | undefined } {
  return { address: "192.0.2.1", trust: undefined };
}

test("guesses from an operator's address are limited, and its connections go on with the key that they have shown", () => {
  const guard = new Guard(
    () => {},
    () => 0,
  );
  const admin = { ...loadValue({}).config?.admin, api_key: FULL, read_api_key: READ };
  // The defaults are a valid configuration.
  guard.keys = readKeys({ admin: admin as Config["admin"] }, {});
  const [operator, reader] = [connect(), connect()];
  guard.check(FULL, operator);
  guard.check(READ, reader);
  for (let i = 0; i < MAX_WRONG_OF_KNOWN; i++) expect(() => guard.check(`guess-${i}`, connect())).toThrow("is wrong");
  for (const key of [FULL, READ, "guess"]) expect(() => guard.check(key, connect())).toThrow("too many wrong keys");
  expect([guard.check(FULL, operator), guard.check(READ, reader)]).toEqual(["full", "read"]);
  // Neither connection is a way to guess the other key, or the next one.
  expect(() => guard.check(FULL, reader)).toThrow("too many wrong keys");
  guard.keys = readKeys({ admin: { ...admin, api_key: `${FULL}-2` } as Config["admin"] }, {});
  expect(() => guard.check(`${FULL}-2`, operator)).toThrow("too many wrong keys");
});
