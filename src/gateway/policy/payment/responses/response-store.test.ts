import { expect, test } from "bun:test";
import { BufferPool } from "../../../../lib/memory/buffer-pool.ts";
import { type PaidResponse, ResponseStore } from "./response-store.ts";
import { type SharedResponses } from "./shared-responses.ts";

function response(size: number): PaidResponse {
  return {
    head: { status: 200, reason: "", fields: "", bodyLength: size },
    body: [new Uint8Array(size)],
    trailers: "",
    size,
  };
}

function room(bytes: number): BufferPool {
  return new BufferPool({ bufferSize: bytes / 10, bufferCount: 10, reserve: 1 });
}

async function kept(responses: ResponseStore, key: string, size: number): Promise<void> {
  expect(responses.take(size)).toBe(true);
  const whole = responses.complete(response(size));
  await responses.keep(key, whole, 1000);
  responses.release(whole);
}

test("a response is kept until it expires", async () => {
  const pool = room(100);
  const responses = new ResponseStore(pool);
  await kept(responses, "a", 10);
  expect((await responses.get("a", 999))?.size).toBe(10);
  expect(await responses.get("a", 1000)).toBeUndefined();
  expect(pool.used).toBe(0);
  expect(await responses.get("b", 0)).toBeUndefined();
});

test("pending responses displace kept ones, oldest first, and are refused without one to displace", async () => {
  const pool = room(30);
  const responses = new ResponseStore(pool, { maxResponseBytes: 30, maxEntries: 10 });
  await kept(responses, "a", 10);
  await kept(responses, "b", 10);
  expect(responses.take(15)).toBe(true);
  expect([await responses.get("a", 0), (await responses.get("b", 0))?.size]).toEqual([undefined, 10]);
  expect(responses.take(10)).toBe(true);
  expect(await responses.get("b", 0)).toBeUndefined();
  expect(responses.take(10)).toBe(false);
  responses.give(25);
  expect(pool.used).toBe(0);
});

test("entries are bounded, and a key has one response", async () => {
  const pool = room(100);
  const responses = new ResponseStore(pool, { maxResponseBytes: 100, maxEntries: 2 });
  for (const key of ["a", "b", "c", "c"]) await kept(responses, key, 10);
  expect(["a", "b", "c"].map((key) => responses.has(key, 0))).toEqual([false, true, true]);
  expect(pool.used).toBe(20);
});

test("with less than a free buffer no response is begun, and kept responses are displaced", async () => {
  const pool = room(100);
  const responses = new ResponseStore(pool);
  await kept(responses, "a", 50);
  expect(responses.take(45)).toBe(true);
  expect([responses.admits(), responses.has("a", 0)]).toEqual([true, false]);
  expect(responses.take(50)).toBe(true);
  expect(responses.admits()).toBe(false);
  responses.give(5);
  expect(responses.admits()).toBe(true);
});

test("one response can fill the pool, and no more", async () => {
  expect(new ResponseStore(room(100)).maxResponseBytes).toBe(100);
  expect(new ResponseStore(room(100), { maxResponseBytes: 20, maxEntries: 2 }).maxResponseBytes).toBe(20);
});

test("responses are shared with other gateways until the store is closed, and only what expires is asked of them", async () => {
  const asked: string[] = [];
  const shared = {
    keep: async (_response: PaidResponse, { key }: { readonly key: string }) => void asked.push(`keep ${key}`),
    has: async (key: string) => asked.push(`has ${key}`) > 0 && key === "far",
    get: async (key: string) => void asked.push(`get ${key}`),
    close: () => void asked.push("close"),
  } satisfies Partial<SharedResponses> as Partial<SharedResponses> as SharedResponses; // The rest is not used.
  const responses = new ResponseStore(room(100));
  expect(responses.shared).toBeUndefined();
  responses.shared = shared;
  await kept(responses, "near", 10);
  expect([await responses.isKept("near", 0), await responses.isKept("far", 0)]).toEqual([true, true]);
  expect([await responses.isKept("none", 0), responses.has("far", 0)]).toEqual([false, false]);
  expect([(await responses.get("near", 0))?.size, await responses.get("far", 0)]).toEqual([10, undefined]);
  expect(asked).toEqual(["keep near", "has far", "has none", "get far"]);
  await responses.close();
  expect([asked.pop(), responses.shared, await responses.isKept("far", 0)]).toEqual(["close", undefined, false]);
});
