import { expect, test } from "bun:test";
import { afterAnimations, type Frames } from "./animations.ts";
import { type Declarations, hides } from "./hiding-styles.ts";

const [SEEN, UNSEEN, NOTHING]: Declarations[] = [new Map([["opacity", "1"]]), new Map([["opacity", "0"]]), new Map()];
const frames = (first = NOTHING, last = NOTHING): Frames => ({
  first: first as Declarations,
  last: last as Declarations,
  all: [first as Declarations, last as Declarations],
});
const ANIMATIONS = new Map([
  ["in", frames(UNSEEN, SEEN)],
  ["out", frames(SEEN, UNSEEN)],
  ["gone", frames(UNSEEN, UNSEEN)],
]);

test.each([
  ["out 1s forwards", true],
  ["out 1s both", true],
  ["out 1s", false],
  ["out 1s backwards", false],
  ["out 1s 4900ms forwards", true],
  ["out 1s 5s forwards", false],
  ["out 1s cubic-bezier(0, 0, 1, 1) forwards", true],
  ["out 1s infinite", false],
  ["out 1s forwards reverse", true],
  ["in 1s forwards", false],
  ["in 1s forwards reverse", true],
  ["in 1s forwards alternate", true],
  ["in 59s forwards", false],
  ["in 60s forwards", true],
  ["in 60s infinite", false],
  ["in 1s 5s both", true],
  ["in 1s 5000ms backwards", true],
  ["in 1s 4.9s backwards", false],
  ["in 1s 5s forwards", false],
  ["in 1s paused", true],
  ["out 1s paused", true],
  ["out 60s", false],
  ["out 60s reverse", true],
  ["gone 1s infinite", true],
  ["none 1s forwards", false],
  ["in 1s, out 1s forwards", true],
  [`${"in 1s,".repeat(19)}out 1s forwards`, true],
  [`${"in 1s,".repeat(20)}out 1s forwards`, false],
])("a shown text with the animation %s ends hidden: %p", (animation, isHidden) => {
  expect(hides(afterAnimations(new Map([["animation", animation]]), ANIMATIONS))).toBe(isHidden);
});

const hidden = (...more: readonly (readonly [string, string])[]): boolean =>
  hides(afterAnimations(new Map([["opacity", "0"], ...more]), ANIMATIONS));

test("a hidden text is shown by an animation whose declarations agree", () => {
  expect(hidden(["animation", "in 1s forwards"])).toBe(false);
  expect(hidden(["animation", "in 1s"])).toBe(true);
  expect(hidden(["animation", "in 1s forwards"], ["animation-name", "in"])).toBe(true);
});

test("the parts of animations repeat for all names", () => {
  const style = new Map([
    ["animation-name", "in, out"],
    ["animation-duration", "1s"],
    ["animation-fill-mode", "forwards"],
  ]);
  expect(hides(afterAnimations(style, ANIMATIONS))).toBe(true);
  expect(hides(afterAnimations(new Map([...style, ["animation-fill-mode", "forwards, none"]]), ANIMATIONS))).toBe(
    false,
  );
});
