import { expect, test } from "bun:test";
import { SharedStore } from "./shared-store.ts";

const MAX_QUEUE_BYTES = 16 * 1024 * 1024;
const MAX_QUEUE_MESSAGES = 4096;
const MAX_QUEUES = 256;
const MAX_SHARED_BYTES = 16 * 1024 * 1024;
const MAX_SHARED_ENTRIES = 65_536;

const ONE = Uint8Array.of(1);
const nobody = (): void => {};

test("a value is replaced only if it is the one that was read, or without a condition", () => {
  const store = new SharedStore();
  expect(store.set("a", ONE, 7)).toBe("mismatch");
  expect([store.set("a", ONE, 0), store.set("b", ONE, 0)]).toEqual(["ok", "ok"]);
  const read = store.get("a")?.cas ?? 0;
  expect(read).toBeGreaterThan(0);
  expect([store.set("a", Uint8Array.of(2), read), store.set("a", ONE, read)]).toEqual(["ok", "mismatch"]);
  expect(store.get("a")?.bytes).toEqual(Uint8Array.of(2));
});

function numbersOf(store: SharedStore): (number | undefined)[] {
  return [1, 2].map(() => {
    store.set("a", ONE, 0);
    return store.get("a")?.cas;
  });
}

test("the numbers of changes begin with 1, and again with 1 after the last number of 32 bits", () => {
  expect(numbersOf(new SharedStore())).toEqual([1, 2]);
  expect(numbersOf(new SharedStore(0xffff_fffe))).toEqual([0xffff_ffff, 1]);
});

test("entries and their bytes have limits, and known entries can still change", () => {
  const entries = new SharedStore();
  for (let i = 0; i < MAX_SHARED_ENTRIES; i++) expect(entries.set(String(i), ONE, 0)).toBe("ok");
  expect([entries.set("one more", ONE, 0), entries.set("0", ONE, 0)]).toEqual(["full", "ok"]);
  const bytes = new SharedStore();
  expect(bytes.set("a", new Uint8Array(MAX_SHARED_BYTES), 0)).toBe("full");
  expect(bytes.set("a", new Uint8Array(MAX_SHARED_BYTES - 1), 0)).toBe("ok");
  expect([bytes.set("b", ONE, 0), bytes.set("a", ONE, 0), bytes.set("b", ONE, 0)]).toEqual(["full", "ok", "ok"]);
});

test("queues, their messages and all bytes have limits", () => {
  const store = new SharedStore();
  for (let i = 1; i <= MAX_QUEUES; i++) expect(store.register(String(i), nobody)).toBe(i);
  expect([store.register("one more", nobody), store.register("7", nobody)]).toEqual([0, 7]);
  expect([store.resolve("7"), store.resolve("one more")]).toEqual([7, 0]);
  for (let i = 0; i < MAX_QUEUE_MESSAGES; i++) expect(store.enqueue(1, ONE)).toBe("ok");
  expect([store.enqueue(1, ONE), store.enqueue(2, ONE), store.enqueue(MAX_QUEUES + 1, ONE)]).toEqual([
    "full",
    "ok",
    "unknown",
  ]);
  const left = MAX_QUEUE_BYTES - MAX_QUEUE_MESSAGES - 1;
  expect([store.enqueue(3, new Uint8Array(left + 1)), store.enqueue(3, new Uint8Array(left))]).toEqual(["full", "ok"]);
  expect(store.enqueue(2, ONE)).toBe("full");
  expect([store.dequeue(2), store.dequeue(2), store.dequeue(MAX_QUEUES + 1)]).toEqual([ONE, "empty", "unknown"]);
  expect(store.enqueue(2, ONE)).toBe("ok");
});

test("the last listener of a queue that is left is called", () => {
  const store = new SharedStore();
  const heard: string[] = [];
  const first = (queue: number): void => void heard.push(`first ${queue}`);
  const second = (queue: number): void => void heard.push(`second ${queue}`);
  for (const listener of [first, second]) store.register("q", listener);
  store.enqueue(1, ONE);
  store.register("q", first);
  store.enqueue(1, ONE);
  store.forget(first);
  store.enqueue(1, ONE);
  store.forget(second);
  store.enqueue(1, ONE);
  expect(heard).toEqual(["second 1", "first 1", "second 1"]);
});
