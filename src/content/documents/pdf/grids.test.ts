import { expect, test } from "bun:test";
import { ruledTables } from "./grids.ts";
import { plainOf, type Rule, type Run } from "./shapes.ts";
import { across, down, runAt } from "./testing/made-runs.ts";

/** The rows of each table, with bars between their cells, and the texts outside of tables. */
function read(runs: readonly Run[], rules: readonly Rule[]): { tables: string[][]; rest: string[] } {
  // Away from the corner of the page.
  const [right, under] = [30, 50];
  const moved = rules.map(({ isAcross, at, from, to }) => {
    const [on, along] = isAcross ? [under, right] : [right, under];
    return { isAcross, at: at + on, from: from + along, to: to + along };
  });
  const { tables, rest } = ruledTables(
    runs.map((run) => ({ ...run, x: run.x + right, y: run.y + under })),
    moved,
  );
  return {
    tables: tables.map(({ block }) =>
      block?.kind === "table" ? block.rows.map((row) => row.map(plainOf).join("|")) : [],
    ),
    rest: rest.map(({ text }) => text),
  };
}

/** The lines of a grid with columns of 100 points and rows of 20 points, from the upper left corner. */
function grid(columns: number, rows: number): Rule[] {
  return [
    ...Array.from({ length: rows + 1 }, (_none, at) => across(at * 20, 0, columns * 100)),
    ...Array.from({ length: columns + 1 }, (_none, at) => down(at * 100, 0, rows * 20)),
  ];
}

/** Texts in the cells of such a grid. Empty cells have no text. */
function cells(...rows: readonly string[]): Run[] {
  return rows.flatMap((row, at) =>
    row.split("|").flatMap((text, column) => (text === "" ? [] : [runAt(column * 100 + 10, at * 20 + 14, text)])),
  );
}

test.each<[what: string, rows: readonly string[], columns: number]>([
  ["of two rows", ["A|B", "c|d"], 2],
  ["of 39 columns", Array.from({ length: 2 }, () => Array.from({ length: 39 }, (_none, at) => `c${at}`).join("|")), 39],
  ["with empty cells", ["A|B|C", "d||"], 3],
  ["with few texts", ["A|B|", "c||", "|d|", "|e|"], 3],
  ["with a text in 7 of 20 cells", ["A|B||", "c|d||", "e|||", "f|||", "g|||"], 4],
  ["of 999 rows", Array.from({ length: 999 }, (_none, at) => `a${at}|b`), 2],
])("texts in a grid are a table: %s", (_what, rows, columns) => {
  expect(read(cells(...rows), grid(columns, rows.length))).toEqual({ tables: [[...rows]], rest: [] });
});

test.each<[what: string, rows: readonly string[], columns: number]>([
  ["one row", ["A|B|C|D"], 4],
  ["one column", ["A", "b", "c", "d"], 1],
  ["40 columns", Array.from({ length: 2 }, () => Array.from({ length: 40 }, (_none, at) => `c${at}`).join("|")), 40],
  ["three texts", ["A|B", "c|"], 2],
  ["1,000 rows", Array.from({ length: 1_000 }, (_none, at) => `a${at}|b`), 2],
  ["too few texts", ["A||", "c||", "|d|", "|e|"], 3],
])("texts in a grid are not a table if it has %s", (_what, rows, columns) => {
  expect(read(cells(...rows), grid(columns, rows.length)).tables).toEqual([]);
});

const ROWS = ["A|B", "c|d"];

test.each<[what: string, more: Run, isInside: boolean]>([
  ["left of it", runAt(-15, 14, "x", { width: 30 }), false],
  ["mostly right of its left edge", runAt(-14, 14, "x", { width: 30 }), true],
  ["right of it", runAt(185, 14, "x", { width: 30 }), false],
  ["mostly left of its right edge", runAt(184, 14, "x", { width: 30 }), true],
  ["above it", runAt(50, 3, "x"), false],
  ["just below its upper edge", runAt(50, 3.5, "x"), true],
  ["below it", runAt(50, 43, "x"), false],
  ["just above its lower edge", runAt(50, 42.5, "x"), true],
])("a text that is %s", (_what, more, isInside) => {
  const { tables, rest } = read([...cells(...ROWS), more], grid(2, 2));
  expect(rest).toEqual(isInside ? [] : ["x"]);
  expect(tables.flat().join(" ").includes("x")).toBe(isInside);
});

/** The lines of a grid of two rows and two columns. Its level lines begin and end there, and its upright ones. */
function loose([left, right]: readonly [number, number], [top, bottom]: readonly [number, number]): Rule[] {
  return [...[0, 20, 40].map((at) => across(at, left, right)), ...[0, 100, 200].map((at) => down(at, top, bottom))];
}

test.each<[isTable: boolean, rules: Rule[]]>([
  [true, loose([3, 197], [0, 40])],
  [true, loose([0, 200], [3, 37])],
  [false, loose([3.5, 200], [0, 40])],
  [false, loose([0, 196.5], [0, 40])],
  [false, loose([0, 200], [3.5, 40])],
  [false, loose([0, 200], [0, 36.5])],
])("lines that miss each other by at most 3 points are a grid: %p %#", (isTable, rules) => {
  const { tables } = read(cells(...ROWS), rules);
  expect(tables).toEqual(isTable ? [ROWS] : []);
});

test("lines close beside one another are one line", () => {
  const doubled = [...grid(2, 2), across(23, 0, 200), across(43, 0, 200), down(103, 0, 40), down(203, 0, 40)];
  expect(read(cells(...ROWS), doubled).tables).toEqual([ROWS]);
  const apart = [...grid(2, 2), down(104, 0, 40)];
  expect(read(cells(...ROWS), apart).tables).toEqual([["A||B", "c||d"]]);
});

const lower = (runs: Run[]) => runs.map((run) => ({ ...run, y: run.y + 100, text: run.text.toUpperCase() }));

const dashes = (count: number) => Array.from({ length: count }, () => across(500, 0, 10));

test("two grids are two tables, and a page with more than 2,000 lines has no table", () => {
  const other = grid(2, 2).map((rule) =>
    rule.isAcross ? { ...rule, at: rule.at + 100 } : { ...rule, from: rule.from + 100, to: rule.to + 100 },
  );
  const runs = [...cells(...ROWS), ...lower(cells(...ROWS))];
  expect(read(runs, [...grid(2, 2), ...other, ...dashes(1_988)])).toEqual({
    tables: [ROWS, ["A|B", "C|D"]],
    rest: [],
  });
  expect(read(runs, [...grid(2, 2), ...other, ...dashes(1_989)]).tables).toEqual([]);
});

test("an empty grid is not a table", () => {
  expect(read([runAt(500, 500, "x")], grid(2, 2))).toEqual({ tables: [], rest: ["x"] });
});

/** A grid of three rows, of which the first one has no line between its columns. */
const HEADED = [
  ...[0, 20, 40, 60].map((at) => across(at, 0, 200)),
  down(0, 0, 60),
  down(100, 20, 60),
  down(200, 0, 60),
];

test.each([
  ["a text across both", ["Head of both columns", "A|B", "c|d"], ["Head of both columns|", "A|B", "c|d"]],
  ["texts in both", ["H|I", "A|B", "c|d"], ["H|I", "A|B", "c|d"]],
  ["one text in the second", ["|I", "A|B", "c|d"], ["I|", "A|B", "c|d"]],
])("a row without a line between its columns has %s", (_what, texts, rows) => {
  expect(read(cells(...texts), HEADED).tables).toEqual([rows]);
});

test("a grid is a table if half of its texts are in rows with lines between columns", () => {
  const rows = [0, 20, 40].map((at) => across(at, 0, 200));
  const rules = [...rows, down(0, 0, 40), down(100, 20, 40), down(200, 0, 40)];
  const texts = cells("A|B", "c|d");
  expect(read(texts, rules).tables).toEqual([["A|B", "c|d"]]);
  expect(read([...texts, runAt(60, 14, "x")], rules).tables).toEqual([]);
});

test("a text that crosses the line between two columns is split at the space beside it", () => {
  const [, ...others] = cells("|B", "c|d", "e|f");
  const text = runAt(20, 14, "these words and more of them");
  expect(read([text, ...others], grid(2, 3)).tables[0]?.[0]).toBe("these words and|more of them");
});

test("a cell without a line above it goes on", () => {
  const rules = [
    ...[0, 20, 60].map((at) => across(at, 0, 200)),
    across(40, 100, 200),
    ...[0, 100, 200].map((at) => down(at, 0, 60)),
  ];
  expect(read(cells("A|B", "c|d", "e|f"), rules).tables).toEqual([["A|B", "c e|d", "|f"]]);
  expect(read(cells("A|B", "|d", "e|f"), rules).tables).toEqual([["A|B", "e|d", "|f"]]);
  expect(read(cells("A|B", "c|d", "e|"), rules).tables).toEqual([["A|B", "c e|d"]]);
  const open = [across(0, 100, 200), across(20, 100, 200), ...grid(2, 3).filter(({ at }) => at !== 0 && at !== 20)];
  expect(read(cells("A|B", "c|d", "e|f"), [...open, down(0, 0, 60)]).tables).toEqual([["A c|B", "|d", "e|f"]]);
});

test("a row may have several lines of text", () => {
  const rules = [...[0, 40, 80, 100].map((at) => across(at, 0, 200)), ...[0, 100, 200].map((at) => down(at, 0, 100))];
  const lines = [
    runAt(10, 94, "f"),
    runAt(110, 94, "g"),
    runAt(110, 14, "B"),
    runAt(10, 26, "A"),
    runAt(10, 54, "c"),
    runAt(110, 54, "d"),
    runAt(10, 66, "e"),
  ];
  expect(read(lines, rules).tables).toEqual([["A|B", "c e|d", "f|g"]]);
  const merged = rules.map((rule) => (rule.at === 40 ? across(40, 100, 200) : rule));
  expect(read(lines, merged).tables).toEqual([["A c e|B", "|d", "f|g"]]);
});

test.each([
  [98, "H I|"],
  [99, "H|I"],
])("a text at %d points in a row without a line between columns is in the column at its place", (x, row) => {
  const [, ...others] = cells("x|", "A|B", "c|d");
  expect(read([runAt(10, 14, "H"), runAt(x, 14, "I"), ...others], HEADED).tables[0]?.[0]).toBe(row);
});

test.each([
  [[10, 60], "aaaaa bbbbb|"],
  [[9, 60], "aaaaa|bbbbb"],
] as const)("a line between columns from %p to the other rows crosses the first row", ([from, to], row) => {
  const rules = [...HEADED.filter(({ at }) => at !== 100), down(100, from, to)];
  const [, ...others] = cells("x|", "A|B", "c|d");
  expect(read([runAt(72.5, 14, "aaaaa bbbbb"), ...others], rules).tables[0]?.[0]).toBe(row);
});

test("a word that crosses the line between two columns stays in the first", () => {
  const [, ...others] = cells("x|", "A|B", "c|d", "e|f");
  expect(read([runAt(10, 14, "abcdefghijklmnopqrstuvwxyz"), ...others], grid(2, 4)).tables[0]?.[0]).toEndWith("z|");
});

test("a table has the place of its grid", () => {
  const { tables } = ruledTables(
    cells(...ROWS).map((run) => ({ ...run, y: run.y + 60 })),
    loose([0, 200], [60, 100]).map((rule) => (rule.isAcross ? { ...rule, at: rule.at + 60 } : rule)),
  );
  expect(tables[0]).toMatchObject({ x: 0, right: 200, top: 60, bottom: 100, y: 80, size: 10, line: undefined });
});

const rtl = (x: number, y: number, text: string) => runAt(x, y, text, { isRtl: true });

test("texts from right to left are in the column in which they begin", () => {
  const below = [rtl(60, 34, "ג"), rtl(160, 34, "ד"), rtl(60, 54, "ה"), rtl(160, 54, "ו")];
  expect(read([rtl(61, 14, "אבגדהוזח"), ...below], grid(2, 3)).tables).toEqual([["אבגדהוזח|", "ד|ג", "ו|ה"]]);
  expect(read([rtl(60, 14, "אבגדהוזח"), ...below], grid(2, 3)).tables).toEqual([["|אבגדהוזח", "ד|ג", "ו|ה"]]);
});
