import { expect, test } from "bun:test";
import { BodyTime } from "./body-time.ts";

test("the time of a body rests while the client is paused", () => {
  const time = new BodyTime(1_000);
  expect(time.run(50)).toBe(1_000);
  time.rest(450);
  expect(time.run(90_000)).toBe(600);
  time.rest(90_700);
  expect(time.run(95_000)).toBe(0);
});

test("a lifted limit does not return", () => {
  const time = new BodyTime(1_000);
  time.run(0);
  time.lift();
  time.rest(500);
  expect(time.run(600)).toBe(Number.POSITIVE_INFINITY);
});
