import { afterEach, expect, jest, test } from "bun:test";
import { addressesOf, boundedLookUp } from "./look-up.ts";

test("a name has the addresses that the system finds, and an address stands for itself", async () => {
  expect(await addressesOf("localhost")).toContain("127.0.0.1");
  expect(await addressesOf("192.0.2.1")).toEqual(["192.0.2.1"]);
  expect(await addressesOf("2001:db8::1")).toEqual(["2001:db8::1"]);
});

test("at most 64 names are looked up at a time, and each name once for all callers", async () => {
  const asked: string[] = [];
  const response = Promise.withResolvers<string[]>();
  const lookUp = boundedLookUp((host) => {
    asked.push(host);
    return response.promise;
  });
  const first = Array.from({ length: 128 }, (_, i) => lookUp(`host-${i % 64}`));
  expect(lookUp("host-64")).rejects.toThrow("too many lookups");
  expect(asked).toHaveLength(64);
  response.resolve(Array.from({ length: 20 }, (_, i) => `192.0.2.${i}`));
  for (const addresses of await Promise.all(first)) expect(addresses).toHaveLength(16);
  expect(await lookUp("host-64")).toHaveLength(16);
});

test("a look-up that does not end reaches its timeout, and a failed look-up is repeated", async () => {
  let ended = Promise.withResolvers<string[]>();
  const lookUp = boundedLookUp(() => ended.promise, 1);
  expect(lookUp("host")).rejects.toThrow("takes too long");
  ended.reject(new Error("failed"));
  expect(lookUp("host")).rejects.toThrow("failed");
  ended = Promise.withResolvers();
  ended.resolve(["192.0.2.1"]);
  expect(await lookUp("host")).toEqual(["192.0.2.1"]);
});

afterEach(() => {
  jest.useRealTimers();
});

async function settle(): Promise<void> {
  for (let n = 0; n < 20; n += 1) await Promise.resolve();
}

test("a look-up has ten seconds", async () => {
  jest.useFakeTimers();
  const lookUp = boundedLookUp(() => Promise.withResolvers<string[]>().promise);
  let failure = "";
  void lookUp("host").catch((error: unknown) => (failure = String(error)));
  jest.advanceTimersByTime(9_999);
  await settle();
  expect(failure).toBe("");
  jest.advanceTimersByTime(1);
  await settle();
  expect(failure).toContain("takes too long");
});
