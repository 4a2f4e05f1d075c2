import { expect, test } from "bun:test";
import { GuestMemory } from "../../module/guest-memory.ts";
import { decodePairs, encodePairs } from "./pairs.ts";

const MAX_MAP_BYTES = 1024 * 1024;
const MAX_MAP_PAIRS = 1024;

const START = 100;

function memoryWith(text: string): GuestMemory {
  const memory = new WebAssembly.Memory({ initial: 32 });
  new Uint8Array(memory.buffer).set(Buffer.from(text, "latin1"), START);
  return new GuestMemory(memory, (reason) => new Error(reason));
}

function decoded(text: string, size = text.length): ReturnType<typeof decodePairs> {
  return decodePairs(memoryWith(text), START, size);
}

test("a list has the count, the lengths and the texts, each text with a NUL after it", () => {
  expect(encodePairs([["a", "bc"]])).toBe("\x01\0\0\0\x01\0\0\0\x02\0\0\0a\0bc\0");
  expect(encodePairs([])).toBe("\0\0\0\0");
  for (const pairs of [
    [],
    [["a", "bc"]],
    [
      ["", ""],
      ["x-\xe9", "1"],
      ["b", ""],
    ],
  ] as const) {
    expect(decoded(encodePairs(pairs))).toEqual(pairs.map(([name, value]) => [name, value]));
  }
});

test("less than a count is an empty list, and more than the texts is ignored", () => {
  expect([decoded(""), decoded("abc")]).toEqual([[], []]);
  expect(decoded(`${encodePairs([["a", "b"]])}more`)).toEqual([["a", "b"]]);
});

test("a list that ends before its last text, or has more than the bounds, is malformed", () => {
  const text = encodePairs([["a", "b"]]);
  expect(decoded(text, text.length - 1)).toBeUndefined();
  expect(decoded(text, 11)).toBeUndefined();
  expect(decoded("\x01\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff")).toBeUndefined();
  const most = Array.from({ length: MAX_MAP_PAIRS }, () => ["a", "b"] as const);
  expect(decoded(encodePairs(most))).toHaveLength(MAX_MAP_PAIRS);
  expect(decoded(encodePairs([...most, ["a", "b"]]))).toBeUndefined();
  expect(decoded(text, MAX_MAP_BYTES)).toEqual([["a", "b"]]);
  expect(decoded(text, MAX_MAP_BYTES + 1)).toBeUndefined();
});
