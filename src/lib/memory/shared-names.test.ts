import { expect, test } from "bun:test";
import { fittedName, nameBytes, SharedNames } from "./shared-names.ts";

const ROWS = 64;

function memory(): Uint8Array {
  return new Uint8Array(nameBytes(ROWS));
}

test("processes that share the memory give the same names the same rows, and can read them", () => {
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

test("one number shows a reader that there may be new names, from any process", () => {
  const shared = memory();
  const [one, other] = [new SharedNames(shared, ROWS), new SharedNames(shared, ROWS)];
  const seen = [other.generation];
  for (const first of ["a", "b"]) {
    const row = one.rowOf({ first, second: "" });
    seen.push(other.generation);
    expect(other.nameOf(row)?.first).toBe(first);
  }
  expect(new Set(seen).size).toBe(3);
  expect(other.nameOf(0)).toBeUndefined();
  expect(other.generation).toBe(one.generation);
});

test("a long name is cut off between characters, and differs from one with the same beginning", () => {
  const names = new SharedNames(memory(), ROWS);
  const long = ["a", "b"].map((end) => `x${"é".repeat(200)}${end}`);
  const rows = long.map((first) => names.rowOf({ first, second: "/" }));
  const kept = rows.map((row) => names.nameOf(row)?.first ?? "");
  expect(new Set(rows).size).toBe(2);
  expect(new Set(kept).size).toBe(2);
  for (const [i, name] of kept.entries()) {
    expect(name).toMatch(/^xé{118}…[0-9a-f]{16}$/);
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(256);
    expect(name).toBe(fittedName(long[i] ?? ""));
    expect(fittedName(name)).toBe(name);
  }
});

test("a name is stored in a form that databases accept", () => {
  expect(fittedName("a".repeat(256))).toBe("a".repeat(256));
  expect(fittedName("a\0b")).toBe("a\ufffdb");
  expect(fittedName("\ud800")).toBe("\ufffd");
});

test("names without a row of their own share the first row", () => {
  const names = new SharedNames(memory(), ROWS);
  const rows = Array.from({ length: 1000 }, (_, i) => names.rowOf({ first: String(i), second: "/" }));
  const found = rows.filter((row) => row !== 0);
  expect(new Set(found).size).toBe(found.length);
  expect(found).toHaveLength(ROWS - 1);
  expect(names.nameOf(0)).toBeUndefined();
});
