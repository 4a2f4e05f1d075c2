import { expect, test } from "bun:test";
import { joinedWords, lineOfRow, rowsOf, type Segment, segmentsOf } from "./segments.ts";
import { type Run } from "./shapes.ts";
import { runAt } from "./testing/made-runs.ts";

function textsOf(segments: readonly Segment[]): string[] {
  return segments.map(({ line }) => line?.text ?? "");
}

const read = (...runs: readonly Run[]): string[] => textsOf(segmentsOf(runs));

test.each<[what: string, runs: readonly Run[], texts: readonly string[]]>([
  ["on one baseline", [runAt(20, 100, "b"), runAt(0, 100, "aaa")], ["aaa b"]],
  ["a quarter of a letter apart", [runAt(0, 100, "aaa"), runAt(20, 102.5, "b")], ["aaa b"]],
  ["further apart", [runAt(0, 100, "aaa"), runAt(20, 103, "b")], ["aaa", "b"]],
  ["a quarter of the larger letter apart", [runAt(0, 100, "aaa"), runAt(20, 105, "b", { size: 20 })], ["aaa b"]],
  [
    "close to the largest letters of a line",
    [runAt(0, 100, "aaa"), runAt(20, 102, "b", { size: 20 }), runAt(30, 107, "c")],
    ["aaa b c"],
  ],
  ["of which each is close to the one above", [100, 102, 104].map((y, at) => runAt(at * 10, y, "a")), ["a a", "a"]],
])("runs %s are lines", (_what, runs, texts) => {
  expect(read(...runs)).toEqual([...texts]);
});

test.each<[what: string, runs: readonly Run[], isOne: boolean]>([
  ["0.85 letters", [runAt(0, 0, "aa"), runAt(18.5, 0, "b")], true],
  ["more", [runAt(0, 0, "aa"), runAt(18.75, 0, "b")], false],
  ["1.7 letters of a smaller run after it", [runAt(0, 0, "aa", { size: 20 }), runAt(21, 0, "b")], true],
  ["more before a smaller run", [runAt(0, 0, "aa", { size: 20 }), runAt(22, 0, "b")], false],
  ["0.85 letters of a smaller run before it", [runAt(0, 0, "aa"), runAt(18.5, 0, "b", { size: 20 })], true],
  ["more after a smaller run", [runAt(0, 0, "aa"), runAt(18.75, 0, "b", { size: 20 })], false],
  ["0.45 letters between amounts", [runAt(0, 0, "10"), runAt(14.5, 0, "20")], true],
  ["more between amounts", [runAt(0, 0, "1.5"), runAt(19.75, 0, "$20")], false],
  ["more between an amount and a digit", [runAt(0, 0, "10"), runAt(15, 0, "2")], true],
  ["more between an amount and a word", [runAt(0, 0, "(10)"), runAt(25, 0, "ab")], true],
  ["a run below a longer one", [runAt(0, 0, "aa", { width: 100 }), runAt(10, 0, "b"), runAt(105, 0, "c")], true],
])("a line is split at wide gaps: %s", (_what, runs, isOne) => {
  expect(segmentsOf(runs)).toHaveLength(isOne ? 1 : 2);
});

test.each<[x: number, y: number, size: number, isRaised: boolean]>([
  [21, 92.5, 6, true],
  [21, 92, 6, false],
  [21, 105, 6, true],
  [21, 105.5, 6, false],
  [23.5, 95, 6, true],
  [24, 95, 6, false],
  [10.5, 95, 6, true],
  [10, 95, 6, false],
  [-8.5, 95, 6, true],
  [-9, 95, 6, false],
  [21, 95, 8.75, true],
  [21, 95, 9, false],
])("a run at %d, %d whose letters are %d points high is raised beside a word: %p", (x, y, size, isRaised) => {
  const runs = [runAt(0, 100, "word"), runAt(x, y, "2", { size })];
  expect(segmentsOf(runs)).toHaveLength(isRaised ? 1 : 2);
});

test("raised letters between two lines belong to the one below, unless they touch the one above", () => {
  const lines = [runAt(0, 100, "above"), runAt(0, 110, "below")];
  expect(read(...lines, runAt(25, 106, "2", { size: 4 }))).toEqual(["above", "below2"]);
  expect(read(...lines, runAt(25, 105, "2", { size: 4 }))).toEqual(["above2", "below"]);
  expect(read(...lines, runAt(25, 106, "x", { size: 4 }), runAt(60, 106, "y", { size: 4 }))).toHaveLength(3);
});

test("raised letters are searched in lines of at most 500 runs", () => {
  const words = Array.from({ length: 501 }, (_none, index) => runAt(index * 20, 100, "ab"));
  const marks = words.map(({ x }) => runAt(x + 10, 95, "2", { size: 5 }));
  expect(read(...words, ...marks.slice(1)).join(" ")).toStartWith("ab ab2 ab2");
  expect(read(...words, ...marks).join(" ")).toStartWith("2 2 2");
});

test("a part of a line is as high as its letters", () => {
  expect(segmentsOf([runAt(10, 100, "ab"), runAt(21, 100, "c")])[0]).toMatchObject({
    x: 10,
    right: 26,
    top: 92,
    bottom: 102,
    y: 100,
    size: 10,
    block: undefined,
  });
});

const LEFT = runAt(0, 100, "some words");
const RIGHT = runAt(70, 100, "and others");
/** A line whose text is over the gap. */
const closed = (y: number, more: Partial<Run> = {}): Run => runAt(0, y, "a line without a wide gap", more);
/** A line with the same gap. */
const open = (y: number): Run[] => [runAt(0, y, "other text"), runAt(70, y, "beside it")];
/** A line that begins right of the gap. */
const beyond = (y: number, size = 10): Run => runAt(90, y, "far", { size });

test.each<[what: string, runs: readonly Run[], isJoined: boolean]>([
  ["alone", [LEFT, RIGHT], false],
  ["above a line without the gap", [LEFT, RIGHT, closed(112)], true],
  ["below a line without the gap", [LEFT, RIGHT, closed(88)], true],
  ["above a word without the gap", [LEFT, RIGHT, runAt(0, 112, "a".repeat(25))], false],
  ["above a line that ends in the gap", [LEFT, RIGHT, runAt(0, 112, "a line to it", { width: 70 })], false],
  ["above a line that ends after it", [LEFT, RIGHT, runAt(0, 112, "a line to it", { width: 71 })], true],
  ["between lines with and without the gap", [LEFT, RIGHT, closed(88), ...open(112)], false],
  ["between lines without and with the gap", [LEFT, RIGHT, closed(112), ...open(88)], false],
  ["between lines without the gap", [LEFT, RIGHT, closed(112), closed(88)], true],
  [
    "beside a line that ends about at the gap",
    [LEFT, RIGHT, closed(88), runAt(0, 112, "text", { width: 52.25 }), runAt(90, 112, "far")],
    false,
  ],
  [
    "beside a line that ends before the gap",
    [LEFT, RIGHT, closed(88), runAt(0, 112, "text", { width: 47.5 }), runAt(90, 112, "far")],
    true,
  ],
  [
    "beside a line that goes on about at the end of the gap",
    [LEFT, RIGHT, closed(88), runAt(0, 112, "text", { width: 30 }), runAt(72.25, 112, "far")],
    false,
  ],
  [
    "beside a line that goes on after the gap",
    [LEFT, RIGHT, closed(88), runAt(0, 112, "text", { width: 30 }), runAt(72.5, 112, "far")],
    true,
  ],
  ["above a line that is two letters away", [LEFT, RIGHT, closed(120)], true],
  ["above a line that is further away", [LEFT, RIGHT, closed(121)], false],
  ["that is wider", [LEFT, { ...RIGHT, x: 90 }, closed(112)], true],
  ["that is too wide", [LEFT, { ...RIGHT, x: 90.5 }, closed(112)], false],
  ["before letters that are a tenth larger", [LEFT, { ...RIGHT, size: 11 }, closed(112)], true],
  ["before letters that are larger", [LEFT, { ...RIGHT, size: 11.25 }, closed(112)], false],
  ["before letters that are smaller", [LEFT, { ...RIGHT, size: 9.25 }, closed(112)], true],
  ["before a number", [LEFT, { ...RIGHT, text: "1 2" }, closed(112)], false],
  ["after a number", [{ ...LEFT, text: "1 2" }, RIGHT, closed(112)], false],
  ["three lines above one without it", [LEFT, RIGHT, ...[104, 108, 112].map((y) => beyond(y, 4)), closed(116)], true],
  [
    "four lines above one without it",
    [LEFT, RIGHT, ...[104, 108, 112, 116].map((y) => beyond(y, 4)), closed(120, { size: 4 })],
    false,
  ],
])("a gap between words is joined: %s", (_what, runs, isJoined) => {
  const rows = rowsOf(joinedWords(segmentsOf(runs)));
  expect(rows.find(({ y }) => y === 100)?.segments).toHaveLength(isJoined ? 1 : 2);
});

test("all parts of a justified line are joined, in a table of many columns too", () => {
  const parts = [0, 40, 80, 120].map((x) => runAt(x, 100, "word"));
  const below = runAt(0, 112, "a line of a text that has no gaps at all");
  expect(textsOf(joinedWords(segmentsOf([...parts, below])))).toEqual(["word word word word", below.text]);
  const cells = [0, 40, 80, 120].map((x) => runAt(x, 88, "cell"));
  expect(joinedWords(segmentsOf([...parts, ...cells, below]))).toHaveLength(9);
});

const segmentAt = (x: number, y: number, size: number): Segment => ({
  x,
  right: x + 10,
  top: y - size,
  bottom: y + 2,
  y,
  size,
  line: undefined,
  block: undefined,
});

test("rows have the segments whose baselines are close, from left to right, and no block beside a text", () => {
  const block = { ...segmentAt(30, 100, 10), block: { kind: "code", text: "" } as const };
  expect(rowsOf([segmentAt(20, 100, 10), segmentAt(0, 104, 12)])).toEqual([
    { segments: [segmentAt(0, 104, 12), segmentAt(20, 100, 10)], y: 104, top: 90, bottom: 106, size: 12 },
  ]);
  expect(rowsOf([segmentAt(20, 100, 10), segmentAt(0, 104.5, 12)])).toHaveLength(2);
  expect(rowsOf([segmentAt(20, 100, 10), segmentAt(0, 104, 9)])).toHaveLength(2);
  expect(rowsOf([segmentAt(0, 100, 10), block])).toHaveLength(2);
  expect(rowsOf([block, segmentAt(0, 100, 10)])).toHaveLength(2);
  expect(rowsOf([segmentAt(0, 100, 10), segmentAt(0, 103, 10), segmentAt(0, 106, 10)])).toHaveLength(2);
});

test("the line of a row has all its text", () => {
  const [row] = rowsOf(segmentsOf([runAt(0, 0, "left"), runAt(100, 0, "right")]));
  if (row === undefined) throw new Error("There is no row");
  expect(lineOfRow(row)).toMatchObject({ text: "left right", x: 0, right: 125 });
  const one = { ...row, segments: row.segments.slice(1) };
  expect(lineOfRow(one)).toBe(one.segments[0]?.line as ReturnType<typeof lineOfRow>); // The segment has a line.
});
