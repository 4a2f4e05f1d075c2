import { expect, test } from "bun:test";
import { MemoryWatch } from "./memory-watch.ts";

/** A process with 100 bytes, a limit of 200, and a growth of 100 that is always allowed. */
function watched() {
  const state = { bytes: 100, ms: 0 };
  const watch = new MemoryWatch({ maxBytes: 200, minGrowth: 100, rss: () => state.bytes, now: () => state.ms });
  return { state, watch };
}

test("memory is exceeded above the limit, or above the allowed growth if the process was large before", () => {
  const { state, watch } = watched();
  watch.begin();
  expect(watch.isExceeded()).toBe(false);
  state.bytes = 201;
  expect(watch.isExceeded()).toBe(true);
  watch.begin();
  state.bytes = 301;
  expect(watch.isExceeded()).toBe(false);
  state.bytes = 302;
  expect(watch.isExceeded()).toBe(true);
});

test("the memory of an ended worker does not end the next one while it comes back", () => {
  const { state, watch } = watched();
  watch.begin();
  state.bytes = 210;
  expect(watch.isExceeded()).toBe(true);
  watch.ended();
  state.bytes = 320;
  expect(watch.isExceeded()).toBe(false);
  state.ms = 500;
  expect(watch.isExceeded()).toBe(true);
  state.bytes = 290;
  expect(watch.isExceeded()).toBe(false);
});

test("ended workers do not raise the limit more and more", () => {
  const { state, watch } = watched();
  watch.begin();
  for (const at of [1_000, 2_000, 3_000]) {
    [state.ms, state.bytes] = [at, 310];
    expect(watch.isExceeded()).toBe(true);
    watch.ended();
    watch.begin();
    [state.ms, state.bytes] = [at + 500, 300];
    expect(watch.isExceeded()).toBe(false);
  }
});

test("the limit falls with the memory that comes back", () => {
  const { state, watch } = watched();
  state.bytes = 250;
  watch.begin();
  state.bytes = 90;
  expect(watch.isExceeded()).toBe(false);
  state.bytes = 210;
  expect(watch.isExceeded()).toBe(true);
});

test("extractions wait for the memory of an ended worker, but not for ever", () => {
  const { state, watch } = watched();
  state.bytes = 210;
  expect(watch.isReturning()).toBe(false);
  watch.ended();
  expect(watch.isReturning()).toBe(true);
  state.bytes = 200;
  expect(watch.isReturning()).toBe(false);
  [state.bytes, state.ms] = [210, 5_000];
  expect(watch.isReturning()).toBe(false);
});
