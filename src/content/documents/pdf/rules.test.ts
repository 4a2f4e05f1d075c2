import { expect, test } from "bun:test";
import { GraphicsWalk } from "./graphics.ts";
import { HiddenText } from "./hidden.ts";
import { type Drawn } from "./rules.ts";
import { across, down } from "./testing/made-runs.ts";

const OPERATORS = {
  save: 1,
  restore: 2,
  transform: 3,
  paintFormXObjectBegin: 4,
  paintFormXObjectEnd: 5,
  constructPath: 6,
  endPath: 7,
};
const STROKE = 8;

type Step = readonly [operator: number, args?: unknown];
type Name = "M" | "L" | "C" | "S" | "Z";

/** A path as pdf.js has it: a move, a line, a curve, a shorter curve or the end, each with its coordinates. */
function path(...parts: readonly (number | Name)[]): Step {
  const data = parts.map((part) => (typeof part === "number" ? part : "MLCSZ".indexOf(part)));
  return [OPERATORS.constructPath, [STROKE, [Float32Array.from(data)]]];
}

function drawn(...steps: readonly Step[]): Drawn {
  const list = { fnArray: steps.map(([operator]) => operator), argsArray: steps.map(([, args]) => args ?? null) };
  const hidden = new HiddenText(() => true);
  const walk = new GraphicsWalk(
    hidden,
    (x, y) => [x, y],
    () => 0.001,
  );
  walk.run(list, new Map(Object.entries(OPERATORS).map(([name, number]) => [number, name])));
  return hidden.shapes.drawn;
}

const LINE = path("M", 10, 20, "L", 40, 20);
const DRAWN_LINE = across(20, 10, 40);

test.each<[what: string, step: Step, rules: Drawn["rules"]]>([
  ["a level line", LINE, [DRAWN_LINE]],
  ["an upright line", path("M", 10, 20, "L", 10, 40), [down(10, 20, 40)]],
  ["a level line of 6 points", path("M", 10, 20, "L", 16, 20), [across(20, 10, 16)]],
  ["an upright line of 6 points", path("M", 10, 20, "L", 10, 26), [down(10, 20, 26)]],
  ["a level line of less", path("M", 10, 20, "L", 15.5, 20), []],
  ["an upright line of less", path("M", 10, 20, "L", 10, 25.5), []],
  ["an oblique line", path("M", 10, 20, "L", 40, 50), []],
  ["a rectangle as high as 3 points", path("M", 0, 0, "L", 9, 0, "L", 9, 3, "L", 0, 3, "Z"), [across(1.5, 0, 9)]],
  ["a rectangle as wide as 3 points", path("M", 0, 0, "L", 3, 0, "L", 3, 9, "L", 0, 9, "Z"), [down(1.5, 0, 9)]],
  [
    "a rectangle of 3.5 points",
    path("M", 0, 0, "L", 30, 0, "L", 30, 3.5, "L", 0, 3.5),
    [across(0, 0, 30), across(3.5, 0, 30)],
  ],
  [
    "the sides of a larger rectangle",
    path("M", 0, 0, "L", 9, 0, "L", 9, 20, "L", 0, 20, "Z"),
    [across(0, 0, 9), down(9, 0, 20), across(20, 0, 9), down(0, 0, 20)],
  ],
  ["the sides of an open corner", path("M", 0, 0, "L", 9, 0, "L", 9, 20), [across(0, 0, 9), down(9, 0, 20)]],
  [
    "the sides of a polygon of six points",
    path("M", 0, 0, "L", 30, 0, "L", 30, 20, "L", 20, 20, "L", 20, 30, "L", 0, 30),
    [across(0, 0, 30), down(30, 0, 20), across(20, 20, 30), down(20, 20, 30), across(30, 0, 20), down(0, 0, 30)],
  ],
  ["a polygon of seven points", path("M", 0, 0, ...Array.from({ length: 6 }, () => ["L", 30, 0] as const).flat()), []],
  ["a point", path("M", 0, 0), []],
  ["a curve", path("M", 0, 0, "C", 10, 0, 20, 0, 30, 0), []],
  ["a shorter curve", path("M", 0, 0, "S", 10, 0, 30, 0), []],
  ["two lines", path("M", 0, 0, "L", 9, 0, "M", 0, 5, "L", 9, 5), [across(0, 0, 9), across(5, 0, 9)]],
  ["a line after a curve", path("M", 0, 0, "C", 9, 9, 9, 9, 9, 0, "M", 0, 5, "L", 9, 5), [across(5, 0, 9)]],
  ["a path that is not painted", [OPERATORS.constructPath, [OPERATORS.endPath, [Float32Array.of(0, 1, 1)]]], []],
  ["a path without coordinates", [OPERATORS.constructPath, [STROKE, [null]]], []],
  ["a path without arguments", [OPERATORS.constructPath], []],
  ["another operator", [STROKE, [STROKE, [Float32Array.of(0, 0, 0, 1, 9, 0)]]], []],
])("the drawn lines of %s", (_what, step, rules) => {
  expect(drawn(step)).toEqual({ rules, dots: [] });
});

test.each<[what: string, steps: readonly Step[], rules: Drawn["rules"]]>([
  ["moved", [[OPERATORS.transform, [1, 0, 0, 1, 5, 7]], LINE], [across(27, 15, 45)]],
  ["made larger", [[OPERATORS.transform, [2, 0, 0, 3, 0, 0]], LINE], [across(60, 20, 80)]],
  ["turned", [[OPERATORS.transform, [0, 1, -1, 0, 0, 0]], LINE], [down(-20, 10, 40)]],
  [
    "turned after it is moved",
    [[OPERATORS.transform, [1, 0, 0, 1, 5, 7]], [OPERATORS.transform, Float32Array.of(0, 1, -1, 0, 1, 2)], LINE],
    [down(-14, 19, 49)],
  ],
  [
    "moved and made larger after it is turned and made larger",
    [[OPERATORS.transform, [0, 2, -3, 0, 4, 5]], [OPERATORS.transform, [2, 0, 0, 3, 1, 2]], LINE],
    [down(-182, 47, 167)],
  ],
  [
    "moved until the matrix before is restored",
    [[OPERATORS.save], [OPERATORS.transform, [1, 0, 0, 1, 5, 7]], [OPERATORS.restore], LINE],
    [DRAWN_LINE],
  ],
  ["in a form with a matrix", [[OPERATORS.paintFormXObjectBegin, [[1, 0, 0, 1, 5, 7]]], LINE], [across(27, 15, 45)]],
  ["in a form without one", [[OPERATORS.paintFormXObjectBegin, [null]], LINE], [DRAWN_LINE]],
  ["in a form without arguments", [[OPERATORS.paintFormXObjectBegin], LINE], [DRAWN_LINE]],
  [
    "after a form",
    [[OPERATORS.paintFormXObjectBegin, [[1, 0, 0, 1, 5, 7]]], [OPERATORS.paintFormXObjectEnd], LINE],
    [DRAWN_LINE],
  ],
  ["after a matrix that was never saved is restored", [[OPERATORS.restore], LINE], [DRAWN_LINE]],
  ["after half a matrix", [[OPERATORS.transform, [5, 0, 0]], LINE], [DRAWN_LINE]],
  ["after a matrix without a move", [[OPERATORS.transform, [2, 0, 0, 2]], LINE], [across(40, 20, 80)]],
  [
    "after 200 saved matrices, of which no more are kept",
    [
      ...Array.from({ length: 201 }, (): Step => [OPERATORS.save]),
      [OPERATORS.transform, [1, 0, 0, 1, 5, 7]],
      ...Array.from({ length: 201 }, (): Step => [OPERATORS.restore]),
      LINE,
    ],
    [DRAWN_LINE],
  ],
])("a line that is %s", (_what, steps, rules) => {
  expect(drawn(...steps).rules).toEqual(rules);
});

/** A shape of 8 points around a middle. */
function round(width: number, height = width): Step {
  const [x, y] = [50 - width / 2, 50 - height / 2];
  return path(
    "M",
    x,
    50,
    "C",
    x,
    y,
    x,
    y,
    50,
    y,
    "C",
    x + width,
    y,
    x + width,
    y,
    x + width,
    50,
    "S",
    x,
    y + height,
    x,
    50,
  );
}

test.each<[width: number, height: number, isDot: boolean]>([
  [1, 1, true],
  [8, 8, true],
  [4, 4.5, true],
  [4, 3.5, true],
  [4, 4.75, false],
  [4, 3.25, false],
  [0.5, 0.5, false],
  [8.5, 8.5, false],
])("a shape of %d × %d points is a dot: %p", (width, height, isDot) => {
  const { dots, rules } = drawn(round(width, height));
  expect(rules).toEqual([]);
  expect(dots).toEqual(isDot ? [{ x: 50 - width / 2, y: 50, width }] : []);
});

const corners = (count: number) =>
  path(
    "M",
    0,
    0,
    ...Array.from({ length: count - 1 }, (_none, at) => ["L", (at % 2) * 6, at % 3 > 1 ? 6 : 0] as const).flat(),
  );

test("a small square is a dot, and a dot has 4 to 64 points", () => {
  const square = path("M", 0, 0, "L", 6, 0, "L", 6, 6, "L", 0, 6);
  expect(drawn(square)).toEqual({ rules: [], dots: [{ x: 0, y: 3, width: 6 }] });
  expect(drawn(path("M", 0, 0, "L", 6, 0, "L", 6, 6)).dots).toEqual([]);
  expect(drawn(corners(64)).dots).toHaveLength(1);
  expect(drawn(corners(65)).dots).toEqual([]);
});

const lines = (count: number) => path(...Array.from({ length: count }, () => ["M", 0, 0, "L", 9, 0] as const).flat());

const dots = (count: number) => Array.from({ length: count }, () => round(4));

test("a page with more than 4,000 lines has no lines, and one with more than 1,000 dots has no dots", () => {
  expect(drawn(lines(4_000)).rules).toHaveLength(4_000);
  expect(drawn(lines(4_001))).toEqual({ rules: [], dots: [] });
  expect(drawn(lines(4_000), LINE)).toEqual({ rules: [], dots: [] });
  expect(drawn(...dots(1_000), LINE).dots).toHaveLength(1_000);
  expect(drawn(...dots(1_001), LINE)).toEqual({ rules: [DRAWN_LINE], dots: [] });
});
