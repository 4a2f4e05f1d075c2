import { expect, test } from "bun:test";
import { beginEvent, endEvent, eventTime } from "./event-clock.ts";

function waitForTheClock(): void {
  const before = performance.now();
  while (performance.now() === before);
}

test("all actions of one event have the same time, the next event has a later one, and actions outside events have their own", () => {
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
