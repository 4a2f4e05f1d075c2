import { expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { choose } from "./choice.ts";
import { outlineOf } from "./outline.ts";
import { bodyOf } from "./words.ts";

/** Four blocks of 10 words each. */
const { blocks } = outlineOf(bodyOf(parseTree("<p>one two three four five six seven eight nine ten</p>".repeat(4))));
const SCORES = Float32Array.of(0.9, 0.2, 0.6, 0.05);

test("the blocks with the highest expected F1 are chosen", () => {
  const { chosen, threshold, expected } = choose(blocks, SCORES, false);
  expect([...chosen]).toEqual([1, 0, 1, 0]);
  expect(threshold).toBeCloseTo(0.6, 5);
  expect(expected).toBeCloseTo((2 * 15) / (20 + 17.5), 5);
});

test("on a page of news a block needs a higher score, and the expected F1 is that of its own scores", () => {
  const { chosen, threshold, expected } = choose(blocks, SCORES, true);
  expect([...chosen]).toEqual([1, 0, 0, 0]);
  expect(threshold).toBeCloseTo(0.9, 5);
  expect(expected).toBeCloseTo((2 * 9) / (10 + 17.5), 5);
});

test("a block without words has no value, and comes with the better ones", () => {
  const { blocks: some } = outlineOf(bodyOf(parseTree("<p>…</p><p>one two three four</p><p>five six seven eight</p>")));
  expect(some.map(({ count }) => count.words)).toEqual([0, 4, 4]);
  expect([...choose(some, Float32Array.of(0.95, 0.9, 0.05), false).chosen]).toEqual([1, 1, 0]);
  expect(choose(some.slice(0, 1), Float32Array.of(0.9), false)).toMatchObject({
    chosen: Uint8Array.of(1),
    expected: 0,
  });
});

test("no block is chosen of none", () => {
  expect(choose([], new Float32Array(), true)).toEqual({ chosen: new Uint8Array(), threshold: 1, expected: 0 });
});
