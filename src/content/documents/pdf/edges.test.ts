import { expect, test } from "bun:test";
import { cellEdges } from "./edges.ts";
import { type Run } from "./shapes.ts";
import { runAt } from "./testing/made-runs.ts";

const NAMES = ["Ada", "Benno", "Carla", "Dirk", "Elena"];

/** Rows of a name, a number at the right edge 60, and a town 3 points after it. */
function rows(more: Partial<Run> = {}): Run[][] {
  return NAMES.map((name, at) => {
    const number = String(10 ** (at % 3));
    return [
      runAt(0, at * 12, name, more),
      runAt(60 - number.length * 5, at * 12, number, more),
      runAt(63, at * 12, `town ${name}`, more),
    ];
  });
}

const sizesOf = (lines: readonly Run[][]) => cellEdges(lines).map(({ size }) => size);

test("cells that are aligned have edges, however close they are", () => {
  expect(cellEdges(rows()).map((edges) => edges.has(63))).toEqual(NAMES.map(() => true));
});

test("a text object inside a run is a cell", () => {
  const joined = NAMES.map((name, at) => [
    runAt(0, at * 12, name),
    runAt(45, at * 12, `100 ${name}`, { width: 40, starts: [{ at: 4, x: 63, end: 60 }] }),
  ]);
  expect(cellEdges(joined).map((edges) => [...edges])).toEqual(NAMES.map(() => [45, 63]));
});

test("the names of columns have the edges of the rows below, though they are aligned in another way", () => {
  const head = [runAt(0, -12, "Name"), runAt(43, -12, "No."), runAt(63, -12, "Town")];
  expect(cellEdges([head, ...rows()])[0]?.has(63)).toBe(true);
});

test.each<[what: string, lines: Run[][]]>([
  ["of two rows", rows().slice(0, 2)],
  ["of labels and texts", rows().map(([name, , town]) => [name, town].filter((run) => run !== undefined))],
  [
    "after bullets",
    NAMES.map((name, at) => [runAt(0, at * 12, "•"), runAt(8, at * 12, "–"), runAt(16, at * 12, name)]),
  ],
  ["of code", rows({ isMono: true })],
  ["from right to left", rows({ isRtl: true })],
  ["far apart", rows().map((row, at) => row.map((run) => ({ ...run, y: at * 30 })))],
  [
    "across which other texts reach",
    rows().map((row, at) => (at % 2 === 0 ? row : [runAt(0, at * 12, "x".repeat(30))])),
  ],
  [
    "of a line with over 500 texts",
    rows().map((row) => [...row, ...Array.from({ length: 500 }, (_none, at) => runAt(90 + at, row[0]?.y ?? 0, "a"))]),
  ],
])("no edges are found between texts %s", (_what, lines) => {
  expect(sizesOf(lines)).toEqual(lines.map(() => 0));
});
