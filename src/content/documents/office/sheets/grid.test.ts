import { expect, test } from "bun:test";
import { Grid } from "./grid.ts";

const row = (...texts: readonly string[]): ReadonlyMap<number, string> => new Map(texts.entries());

test.each<[cells: number, text: number, rows: string[][], isPartial: boolean]>([
  [3, 4, [["ab", "c", "d"]], false],
  [2, 4, [["ab", "c"]], true],
  [3, 3, [["ab", "c"]], true],
  [3, 2, [["ab"]], true],
])("room for %d cells and %d characters keeps %p", (cells, text, rows, isPartial) => {
  const grid = new Grid("A", { cells, text, repeated: 0 });
  grid.addRow(0, row("ab", "c", "d"));
  expect([grid.table().rows, grid.isPartial]).toEqual([rows, isPartial]);
  grid.addRow(1, row("e"));
  expect([grid.table().rows, grid.isPartial]).toEqual([rows, true]);
});

test("a cell keeps its first 32,767 characters", () => {
  const grid = new Grid("A", { cells: 9, text: 99_999, repeated: 0 });
  grid.addRow(0, row("x".repeat(32_767), "x".repeat(32_768), "x"));
  expect(grid.table().rows[0]?.map(({ length }) => length)).toEqual([32_767, 32_767, 1]);
});

test.each([
  [9, 3, 3, false],
  [9, 4, 3, true],
  [2, 3, 2, true],
])("room for %d cells and 2 repeated ones keeps of a row that stands %d times %d", (cells, count, kept, isPartial) => {
  const grid = new Grid("A", { cells, text: 99, repeated: 2 });
  grid.addRows(0, 1_000_000, row());
  grid.addRows(0, count, row("a"));
  grid.link(1, 0, "https://a.test/");
  const { rows, hrefAt } = grid.table();
  expect([rows.length, grid.isPartial]).toEqual([kept, isPartial]);
  expect([hrefAt(0, 0), hrefAt(1, 0)]).toEqual([undefined, "https://a.test/"]);
});
