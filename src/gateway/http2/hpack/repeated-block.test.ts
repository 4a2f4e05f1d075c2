import { expect, test } from "bun:test";
import { RepeatedBlock } from "./repeated-block.ts";

function keep(repeated: RepeatedBlock<string>, text: string, changes = 0): void {
  const bytes = Buffer.from(`..${text}.`);
  repeated.keep(bytes, { start: 2, end: 2 + text.length }, changes, text);
}

function find(repeated: RepeatedBlock<string>, text: string, changes = 0): string | undefined {
  return repeated.find(Buffer.from(`-${text}---`), 1, 1 + text.length, changes);
}

test("a block is found by its bytes, wherever they lie, while the table is unchanged", () => {
  const repeated = new RepeatedBlock<string>();
  expect(find(repeated, "")).toBeUndefined();
  keep(repeated, "abc");
  expect(find(repeated, "abc")).toBe("abc");
  expect(find(repeated, "abc", 1)).toBeUndefined();
  for (const other of ["ab", "abcd", "abd", "xbc", ""]) expect(find(repeated, other)).toBeUndefined();
  keep(repeated, "a longer one");
  keep(repeated, "xy", 7);
  expect([find(repeated, "xy", 7), find(repeated, "a longer one"), find(repeated, "abc")]).toEqual([
    "xy",
    undefined,
    undefined,
  ]);
});

test("a block of more than 512 bytes is not kept", () => {
  const repeated = new RepeatedBlock<string>();
  keep(repeated, "x".repeat(513));
  expect(find(repeated, "x".repeat(513))).toBeUndefined();
  keep(repeated, "x".repeat(512));
  expect(find(repeated, "x".repeat(512))).toBe("x".repeat(512));
});

test("if blocks do not repeat, one in sixteen is kept, until one is found again", () => {
  const repeated = new RepeatedBlock<string>();
  const kept = Array.from({ length: 48 }, (_, i) => {
    keep(repeated, `block ${i}`);
    return repeated.find(Buffer.from(`block ${i}`), 0, `block ${i}`.length, 0) === undefined ? 0 : 1;
  });
  // Each block that is found resets the count, so all of them are kept.
  expect(kept.every((one) => one === 1)).toBe(true);
  for (let i = 0; i < 20; i++) keep(repeated, `other ${i}`);
  expect(find(repeated, "other 19")).toBeUndefined();
  expect(find(repeated, "other 15")).toBe("other 15");
});
