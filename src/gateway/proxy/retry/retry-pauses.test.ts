import { expect, test } from "bun:test";
import { pauseMs, type RetrySettings } from "./retries.ts";

const SETTINGS: RetrySettings = {
  maxRetries: 9,
  connectAnyMethod: false,
  anyMethod: false,
  statuses: new Set(),
  tryTimeoutMs: Number.POSITIVE_INFINITY,
  backoffMs: 100,
  maxBackoffMs: 1000,
  random: () => 0,
};

test("pauses double up to the maximum, and half of each is random", () => {
  const pauses = (random: number): number[] =>
    [0, 1, 2, 3, 4, 50].map((retries) => pauseMs({ ...SETTINGS, random: () => random }, retries));
  expect(pauses(0)).toEqual([100, 200, 400, 800, 1000, 1000]);
  expect(pauses(0.5)).toEqual([75, 150, 300, 600, 750, 750]);
  expect(pauseMs({ ...SETTINGS, backoffMs: 0 }, 3)).toBe(0);
});
