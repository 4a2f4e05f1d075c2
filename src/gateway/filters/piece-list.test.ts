import { expect, test } from "bun:test";
import { BufferPool } from "../../lib/memory/buffer-pool.ts";
import { PieceList } from "./piece-list.ts";

function create(bytes = 1000) {
  const memory = new BufferPool({ bufferSize: 1, bufferCount: bytes, reserve: 0 });
  return { memory, list: new PieceList(memory) };
}

function push(list: PieceList, ...texts: string[]): void {
  for (const text of texts) list.push(Buffer.from(`<${text}>`), 1, text.length + 1);
}

/** The pieces that a sink gets. */
function sent(list: PieceList, takesMore = true) {
  const pieces: string[] = [];
  const result = list.sendTo({
    data: (chunk, start, end) => pieces.push(Buffer.from(chunk.subarray(start, end)).toString()) > 0 && takesMore,
    end() {},
    abort() {},
  });
  return { pieces: pieces.join(""), result };
}

test("pieces come back in their order, and count until then", () => {
  const { memory, list } = create();
  push(list, "ab", "c", "", "def");
  expect([list.length, memory.used]).toEqual([6, 6]);
  expect(sent(list)).toEqual({ pieces: "abcdef", result: true });
  expect([list.length, memory.used]).toEqual([0, 0]);
  expect(sent(list, false)).toEqual({ pieces: "", result: true });
  push(list, "");
  expect(sent(list, false)).toEqual({ pieces: "", result: true });
  push(list, "g");
  expect(sent(list, false)).toEqual({ pieces: "g", result: false });
});

test("the first bytes come in one piece", () => {
  const { list } = create();
  expect(list.first(5).length).toBe(0);
  push(list, "ab");
  expect([list.first(1), list.first(2), list.first(9)].map(String)).toEqual(["97", "97,98", "97,98"]);
  push(list, "cd", "ef");
  const texts = [1, 2, 3, 4, 5, 6, 7].map((count) => Buffer.from(list.first(count)).toString());
  expect(texts).toEqual(["a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdef"]);
  expect(sent(list).pieces).toBe("abcdef");
});

test("the first bytes of several long pieces come in one piece", () => {
  const { list } = create(60_000);
  for (const letter of "abc") list.push(Buffer.alloc(20_000, letter), 0, 20_000);
  for (const count of [20_000, 20_001, 40_000, 40_001, 70_000]) {
    const text = Buffer.from(list.first(count)).toString();
    expect([text.length, text.replaceAll(/(.)\1*/g, "$1")]).toEqual([
      Math.min(count, 60_000),
      "abc".slice(0, Math.ceil(Math.min(count, 60_000) / 20_000)),
    ]);
  }
});

test("a piece without memory is not added", () => {
  const { memory, list } = create(3);
  expect(list.push(Buffer.from("abc"), 0, 3)).toBe(true);
  expect(list.push(Buffer.from("d"), 0, 1)).toBe(false);
  expect(list.push(Buffer.from("d"), 1, 1)).toBe(true);
  expect([list.length, memory.used]).toEqual([3, 3]);
  list.clear();
  expect([list.length, memory.used, sent(list).pieces]).toEqual([0, 0, ""]);
});

test("a small part of a large buffer is copied, and a large part is not", () => {
  for (const [bytes, memory] of [
    [4999, 4999],
    [5000, 10_000],
  ] as const) {
    const { list } = create(10_000);
    list.push(new Uint8Array(10_000), 0, bytes);
    expect(list.first(bytes).buffer.byteLength).toBe(memory);
  }
});
