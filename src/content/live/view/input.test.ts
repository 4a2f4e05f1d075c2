import { expect, test } from "bun:test";
import { callOf, type Input, inputOf } from "./input.ts";

const AREA = { width: 800, height: 600, top: 10 };
const mouse: Input = {
  type: "mouse",
  page: 1,
  action: "down",
  x: 0.5,
  y: 0.5,
  button: "left",
  clicks: 2,
  modifiers: 8,
};
const key: Input = { type: "key", page: 1, action: "down", key: "a", code: "KeyA", keyCode: 65, modifiers: 0 };

test("an input becomes one call with a place in the page", () => {
  expect(callOf(mouse, AREA)).toEqual([
    "Input.dispatchMouseEvent",
    { type: "mousePressed", x: 400, y: 290, button: "left", clickCount: 2, modifiers: 8 },
  ]);
  const placeOf = (x: number, y: number) => callOf({ type: "wheel", page: 1, x, y, dx: -1, dy: 2 }, AREA)[1];
  expect([placeOf(0, 0), placeOf(1, 1)]).toEqual([
    { type: "mouseWheel", x: 0, y: 0, deltaX: -1, deltaY: 2 },
    { type: "mouseWheel", x: 799, y: 590, deltaX: -1, deltaY: 2 },
  ]);
  const text = (one: Partial<Extract<Input, { type: "key" }>>) => callOf({ ...key, ...one }, AREA)[1]["text"];
  expect([
    text({}),
    text({ key: "A", modifiers: 8 }),
    text({ key: "Enter" }),
    text({ key: "\u{1f600}" }),
    text({ key: "ArrowUp" }),
    text({ modifiers: 2 }),
    text({ action: "up" }),
  ]).toEqual(["a", "A", "\r", "\u{1f600}", undefined, undefined, undefined]);
  expect(callOf({ type: "text", page: 1, text: "x" }, AREA)).toEqual([
    "Input.dispatchKeyEvent",
    { type: "char", text: "x" },
  ]);
});

test("a message that is not an input, has a member too many, or one beyond its bounds is refused", () => {
  for (const one of [mouse, key]) expect(inputOf(JSON.stringify(one))).toEqual(one);
  const bad: readonly object[] = [
    {},
    { ...mouse, x: -0.1 },
    { ...mouse, y: 1.1 },
    { ...mouse, x: "0" },
    { ...mouse, button: "back" },
    { ...mouse, clicks: 4 },
    { ...mouse, modifiers: 16 },
    { ...mouse, type: "mouseWheel" },
    { ...mouse, files: [] },
    { ...key, commands: ["paste"] },
    { ...key, text: "long" },
    { ...key, key: "k".repeat(33) },
    { ...key, code: "Key A" },
    { ...key, keyCode: 256 },
    { type: "wheel", page: 1, x: 0, y: 0, dx: 0, dy: 2_001 },
    { type: "text", page: 1, text: "" },
    { type: "text", page: 1, text: "12345" },
  ];
  for (const one of bad) expect([one, inputOf(JSON.stringify(one))]).toEqual([one, undefined]);
  expect(inputOf('{"type":"wheel","page":1,"x":0,"y":0,"dx":0,"dy":1e999}')).toBeUndefined();
  expect(inputOf("{")).toBeUndefined();
});
