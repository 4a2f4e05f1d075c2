import { expect, test } from "bun:test";
import { Forest } from "./forest.ts";

const WIDTH = 2;

interface Tree {
  /** Thresholds of the second feature: of the root, and of its left and right child. */
  readonly thresholds: readonly [number, number, number];
  readonly leaves: readonly number[];
}

/** A file of trees with two steps, whose leaves are multiples of one half. */
function file(trees: readonly Tree[]): Uint8Array<ArrayBuffer> {
  const known = [...new Set(trees.flatMap(({ thresholds }) => thresholds))].toSorted((a, b) => a - b);
  const parts = [
    new Uint32Array([WIDTH, trees.length, 2, known.length]),
    new Float32Array([0.5, ...known]),
    new Uint16Array(trees.flatMap(({ thresholds }) => [0, ...thresholds.map((one) => known.indexOf(one))])),
    new Uint8Array(trees.flatMap(() => [0, 1, 1, 1])),
    new Int8Array(trees.flatMap(({ leaves }) => leaves.map((leaf) => leaf * 2))),
  ];
  return new Uint8Array(Buffer.concat(parts.map(({ buffer }) => new Uint8Array(buffer))));
}

const TREE: Tree = { thresholds: [2, 1, 3], leaves: [-2, -1, 1, 2] };

/** The log-odds of rows with these values of the second feature. */
function oddsOf(trees: readonly Tree[], own: readonly number[], parts = 1): number[] {
  const values = Float32Array.from(own.flatMap((value) => [9, value]));
  const scores = new Forest(file(trees), 0, WIDTH).score({ rows: own.length, values }, parts);
  return [...scores].map((score) => Math.round(Math.log(score / (1 - score)) * 1000) / 1000);
}

test("a tree gives each row the value of its leaf", () => {
  expect(oddsOf([TREE], [0, 1, 2, 3])).toEqual([-2, -1, 1, 2]);
});

test.each([0, 1, 7, 8, 9, 21])("%d rows have the same values as one row at a time", (rows) => {
  const own = Array.from({ length: rows }, (_, at) => (at * 7) % 5);
  expect(oddsOf([TREE, TREE], own, 2)).toEqual(own.flatMap((value) => oddsOf([TREE, TREE], [value], 2)));
});

test("the first fifth of the first forest decides alone when it is sure, and otherwise the whole forest", () => {
  const flat = (leaf: number): Tree => ({ ...TREE, leaves: [leaf, leaf, leaf, leaf] });
  // Two forests of five trees. Each is scaled to its half.
  const forests = (first: Tree, second: number) => [
    first,
    ...Array(3).fill(flat(0)),
    flat(second),
    ...Array(5).fill(flat(1)),
  ];
  const first: Tree = { ...TREE, leaves: [-2, -1, 1, 2] };
  expect(oddsOf(forests(first, 1), [0, 1, 2, 3], 2)).toEqual([-6.8, 5, 4, 6.8]);
  expect(oddsOf(forests(first, -1), [0, 1, 2, 3], 2)).toEqual([-6.8, -4, 5, 6.8]);
});

test("a forest for another number of features is rejected", () => {
  expect(() => new Forest(file([TREE]), 0, WIDTH + 1)).toThrow(
    "Cannot load the reader's model: it is for 2 features, and the program has 3",
  );
});
