import { expect, test } from "bun:test";
import { nameBytes, SharedNames } from "./shared-names.ts";

const ROWS = 64;

function memory(): Uint8Array {
  return new Uint8Array(nameBytes(ROWS));
}

test("who shares the memory gives the same names the same rows, and can read them", () => {
  const shared = memory();
  const [one, other] = [new SharedNames(shared, ROWS), new SharedNames(shared, ROWS)];
  const names = [
    { first: "", second: "/" },
    { first: "alice", second: "/" },
    { first: "alice", second: "/a" },
    { first: "alice/", second: "a" },
    { first: "", second: "" },
    { first: "中", second: "é" },
  ];
  const rows = names.map((name) => one.rowOf(name));
  expect(new Set(rows).size).toBe(names.length);
  expect(rows).not.toContain(0);
  expect(names.toReversed().map((name) => other.rowOf(name))).toEqual(rows.toReversed());
  expect(rows.map((row) => other.nameOf(row))).toEqual(names);
});

test("a long name is cut off between characters, and has a row of its own all the same", () => {
  const names = new SharedNames(memory(), ROWS);
  const [row, other] = ["a", "b"].map((end) => names.rowOf({ first: `x${"é".repeat(100)}${end}`, second: "/" }));
  expect(other).not.toBe(row);
  expect(names.nameOf(row ?? 0)).toEqual({ first: `x${"é".repeat(63)}`, second: "/" });
});

test("names that find no row have the first, which is nobody's", () => {
  const names = new SharedNames(memory(), ROWS);
  const rows = Array.from({ length: 1000 }, (_, i) => names.rowOf({ first: String(i), second: "/" }));
  const found = rows.filter((row) => row !== 0);
  expect(new Set(found).size).toBe(found.length);
  expect(found).toHaveLength(ROWS - 1);
  expect(names.nameOf(0)).toBeUndefined();
});
