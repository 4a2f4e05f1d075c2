import { expect, test } from "bun:test";
import { jsonSteps } from "./memory/packed-json.ts";
import { atOnce, inSlices, type Steps } from "./slices.ts";

function* stepsUntil(isEnough: () => boolean): Steps<number> {
  for (let steps = 0; ; steps++) {
    if (isEnough()) return steps;
    yield;
  }
}

test("other events run between the slices of a computation", async () => {
  let events = 0;
  const event = (): void => {
    events++;
    if (events < 3) setImmediate(event);
  };
  setImmediate(event);
  // Without slices, this would never end.
  expect(await inSlices(stepsUntil(() => events === 3))).toBeGreaterThan(3);
});

test("a computation that throws rejects", async () => {
  const steps = stepsUntil(() => {
    throw new Error("broken");
  });
  expect(inSlices(steps)).rejects.toThrow("broken");
});

test("objects are written as JSON.stringify does", () => {
  const values = [
    {},
    { a: undefined, b: null, "ü\n": [1, undefined, { c: "\u2028" }] },
    { long: Array.from({ length: 300 }, (_, i) => ({ i, none: undefined })), after: { list: [[]] } },
    { long: Array.from({ length: 300 }, () => undefined) },
    [],
    "text",
  ];
  expect(values.map((value) => atOnce(jsonSteps(value)))).toEqual(values.map((value) => JSON.stringify(value)));
});
