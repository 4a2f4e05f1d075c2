import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { type Cell } from "../browser/cell/cell.ts";
import { LiveBrowser } from "./live-browser.ts";

const MINUTE_MS = 60_000;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A browser for a minute, with a clock of the system that can be set. */
function started(idleMs: number) {
  const system = { step: 0 };
  let isEnded = false;
  const processes = { enter: () => undefined, leave: () => undefined };
  const wire = { pause: () => undefined, resume: () => undefined };
  const kill = () => void (isEnded = true);
  // A cell without a browser: this is all that is used of it.
  const cell = { processes, wire, exited: new Promise<void>(() => {}), kill } as unknown as Cell;
  const browser = new LiveBrowser(cell, {
    id: "one",
    tokenHash: "",
    viewHash: "",
    controlHash: "",
    ttlMs: MINUTE_MS,
    idleMs,
    now: () => Date.now() + system.step,
    clock: () => performance.now(),
  });
  return { browser, system, isEnded: () => isEnded };
}

test("a browser ends when its paid time is over, and each further minute adds a minute, whatever the system's clock shows", () => {
  const { browser, system, isEnded } = started(MINUTE_MS * 10);
  const { expiresAt } = browser;
  system.step = 3_600_000;
  jest.advanceTimersByTime(MINUTE_MS / 2);
  expect(browser.extend(MINUTE_MS, "")).toBe(true);
  expect([browser.expiresAt - expiresAt, browser.leftMs]).toEqual([MINUTE_MS, 1.5 * MINUTE_MS]);
  system.step = -3_600_000;
  browser.extend(MINUTE_MS, "a payment");
  jest.advanceTimersByTime(2.5 * MINUTE_MS - 1);
  expect(isEnded()).toBe(false);
  jest.advanceTimersByTime(1);
  expect(isEnded()).toBe(true);
});

test("a browser ends before that if no client has it for too long", () => {
  const { browser, isEnded } = started(MINUTE_MS / 2);
  expect([browser.take(), browser.take()]).toEqual([true, false]);
  jest.advanceTimersByTime(MINUTE_MS - 2);
  expect(isEnded()).toBe(false);
  browser.extend(MINUTE_MS, "");
  browser.leave();
  jest.advanceTimersByTime(MINUTE_MS / 2);
  expect(isEnded()).toBe(true);
});
