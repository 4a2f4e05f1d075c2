import { expect, test } from "bun:test";
import { beginEvent, endEvent, eventDate, eventTime } from "./event-clock.ts";

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

test("the date of an event is that of the system, to a millisecond, and stays the same within the event", () => {
  for (let event = 0; event < 100; event++) {
    beginEvent();
    const before = Date.now();
    const time = eventTime();
    const after = Date.now();
    waitForTheClock();
    const date = eventDate();
    expect(eventDate()).toBe(date);
    expect(eventTime()).toBe(time);
    endEvent();
    expect(date).toBeInteger();
    expect(date).toBeGreaterThanOrEqual(before - 1);
    expect(date).toBeLessThanOrEqual(after + 1);
  }
});
