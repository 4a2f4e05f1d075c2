import { expect, test } from "bun:test";
import { type AttemptOutcome, Breaker } from "./breaker.ts";

function setUp() {
  const clock = { now: 0 };
  const breaker = new Breaker(() => clock.now);
  const attempt = (outcome: AttemptOutcome): boolean => {
    const done = breaker.attempt();
    done?.(outcome);
    return done !== undefined;
  };
  return { clock, breaker, attempt };
}

test("opens after three consecutive failures, and not after others", () => {
  const { breaker, attempt } = setUp();
  for (const outcome of ["failure", "failure", "success", "failure", "failure", "void"] as const) attempt(outcome);
  expect(breaker.state).toBe("closed");
  attempt("failure");
  expect(breaker.state).toBe("open");
  expect(attempt("success")).toBe(false);
});

test("lets one attempt through after its time, which closes it or opens it for twice as long", () => {
  const { clock, breaker, attempt } = setUp();
  for (let n = 0; n < 3; n += 1) attempt("failure");
  clock.now = 29_999;
  expect(breaker.state).toBe("open");
  clock.now = 30_000;
  expect(breaker.state).toBe("half-open");
  const probe = breaker.attempt();
  expect(breaker.attempt()).toBeUndefined();
  probe?.("failure");
  expect(breaker.state).toBe("open");
  clock.now = 89_999;
  expect(breaker.state).toBe("open");
  clock.now = 90_000;
  expect(attempt("success")).toBe(true);
  expect(breaker.state).toBe("closed");
});

test("an attempt without a result leaves the next attempt open", () => {
  const { clock, breaker, attempt } = setUp();
  for (let n = 0; n < 3; n += 1) attempt("failure");
  clock.now = 30_000;
  attempt("void");
  expect(breaker.state).toBe("half-open");
  expect(attempt("success")).toBe(true);
});

test("stays open for at most ten minutes, and starts again after a success", () => {
  const { clock, breaker, attempt } = setUp();
  for (let n = 0; n < 3; n += 1) attempt("failure");
  for (let n = 0; n < 10; n += 1) {
    clock.now += 600_000;
    expect(attempt("failure")).toBe(true);
  }
  clock.now += 600_000;
  attempt("success");
  for (let n = 0; n < 3; n += 1) attempt("failure");
  clock.now += 30_000;
  expect(breaker.state).toBe("half-open");
});

test("failures that were under way when it opened do not extend the time", () => {
  const { clock, breaker } = setUp();
  const attempts = Array.from({ length: 5 }, () => breaker.attempt());
  for (const done of attempts.slice(0, 3)) done?.("failure");
  clock.now = 20_000;
  for (const done of attempts.slice(3)) done?.("failure");
  clock.now = 30_000;
  expect(breaker.state).toBe("half-open");
});
