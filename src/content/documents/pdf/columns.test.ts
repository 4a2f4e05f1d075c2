import { expect, test } from "bun:test";
import { columnsOf, placesIn, type Span } from "./columns.ts";

type Edges = readonly [x: number, right: number];

function cellsAt(...edges: readonly Edges[]): Span[] {
  return edges.map(([x, right]) => ({ x, right }));
}

const FULL: readonly Edges[] = [
  [0, 20],
  [50, 70],
  [100, 160],
];

test.each<[what: string, rows: readonly (readonly Edges[])[], columns: readonly Edges[]]>([
  [
    "are as wide as all their texts",
    [
      [[5, 25]],
      FULL,
      [
        [-5, 10],
        [48, 60],
      ],
    ],
    [
      [-5, 25],
      [48, 70],
      [100, 160],
    ],
  ],
  ["are not widened by a cell across two of them", [FULL, [[0, 60]]], FULL],
  [
    "are further if a text below stands apart",
    [FULL, [[30, 40]]],
    [
      [0, 20],
      [30, 40],
      [50, 70],
      [100, 160],
    ],
  ],
  [
    "may touch",
    [FULL, [[20, 50]]],
    [
      [0, 20],
      [20, 50],
      [50, 70],
      [100, 160],
    ],
  ],
  ["are not those of texts above the first full row", [[[30, 40]], FULL], FULL],
])("columns %s", (_what, rows, columns) => {
  expect(columnsOf(rows.map((row) => cellsAt(...row)))).toEqual(columns.map(([from, to]) => ({ from, to })));
});

test.each([
  [40, 41],
  [41, 41],
])("after a row of %d columns, there are %d with those of the next row", (count, expected) => {
  const wide = Array.from({ length: count }, (_none, at): Edges => [at * 10, at * 10 + 5]);
  expect(columnsOf([cellsAt(...wide), cellsAt([1000, 1001])])).toHaveLength(expected);
});

test.each<[what: string, isHead: boolean, cells: readonly Edges[], places: readonly number[]]>([
  [
    "in their columns",
    false,
    [
      [1, 9],
      [55, 60],
      [110, 120],
    ],
    [0, 1, 2],
  ],
  ["across two columns", false, [[0, 60]], [0]],
  ["between two columns", false, [[25, 45]], [0]],
  [
    "outside of all columns",
    false,
    [
      [-20, -10],
      [170, 180],
    ],
    [0, 2],
  ],
  ["at the middle of all columns", false, [[72, 88]], [1]],
  ["that are heads of all columns", true, [[72, 88]], [0]],
  [
    "that are heads beside that of the first column",
    true,
    [
      [1, 20],
      [72, 88],
    ],
    [0, 1],
  ],
  [
    "that are heads beside that of the last column",
    true,
    [
      [72, 88],
      [130, 150],
    ],
    [1, 2],
  ],
  ["that begin with the second column", true, [[51, 109]], [1]],
  ["that begin a little right of the second column", true, [[52, 108]], [0]],
])("the columns of cells %s", (_what, isHead, cells, places) => {
  expect(placesIn(columnsOf([cellsAt(...FULL)]), cellsAt(...cells), isHead)).toEqual([...places]);
});
