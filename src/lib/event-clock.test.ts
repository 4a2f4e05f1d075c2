import { expect, test } from "bun:test";
import { beginEvent, endEvent, eventTime } from "./event-clock.ts";

function waitForTheClock(): void {
  const before = performance.now();
  while (performance.now() === before);
}

test("what one event does is done at one time, the next one later, and what no event does when it is done", () => {
  beginEvent();
  const first = eventTime();
  waitForTheClock();
  expect(eventTime()).toBe(first);
  beginEvent();
  const second = eventTime();
  expect(second).toBeGreaterThan(first);
  endEvent();
  waitForTheClock();
  const between = eventTime();
  waitForTheClock();
  expect(between).toBeGreaterThan(second);
  expect(eventTime()).toBeGreaterThan(between);
});
