import { beforeEach, expect, test } from "bun:test";
import { SharedZone } from "../../lib/memory/shared-zone.ts";
import { MAX_SERVERS } from "../config/max-servers.ts";
import { serverColumn, zoneShape } from "../telemetry/metrics/layout.ts";
import { ServerStates } from "./outlier-detection.ts";

const LIMITS = { maxFails: 3, failTimeoutMs: 1000 };
const SLOT = 7;

let now: number;
let steady: number;
let zone: SharedZone;
let first: ServerStates;
let second: ServerStates;

function isInRotation(states: ServerStates, slot = SLOT): boolean {
  return states.isInRotation(slot, LIMITS.failTimeoutMs);
}

beforeEach(() => {
  now = 1_800_000_000_000;
  steady = 77_000;
  zone = SharedZone.local(zoneShape(2));
  first = new ServerStates(
    zone,
    1,
    () => now,
    () => steady,
  );
  second = new ServerStates(
    zone,
    2,
    () => now,
    () => steady,
  );
});

test("failures in a row over all workers put a server out of rotation for its timeout, and a success resets the count", () => {
  first.failed(SLOT, LIMITS);
  second.failed(SLOT, LIMITS);
  first.succeeded(SLOT);
  first.failed(SLOT, LIMITS);
  second.failed(SLOT, LIMITS);
  expect(isInRotation(first)).toBe(true);
  second.failed(SLOT, LIMITS);
  expect([isInRotation(first), isInRotation(second), isInRotation(first, SLOT + 1)]).toEqual([false, false, true]);
  steady += 999;
  expect(isInRotation(first)).toBe(false);
  steady += 1;
  expect(isInRotation(first)).toBe(true);
});

test("a server that is tried again and fails is out at once, and one that responds is back for good", () => {
  for (let i = 0; i < 3; i++) first.failed(SLOT, LIMITS);
  steady += 1000;
  expect(isInRotation(first)).toBe(true);
  second.failed(SLOT, LIMITS);
  expect(isInRotation(first)).toBe(false);
  steady += 1000;
  first.succeeded(SLOT);
  second.failed(SLOT, LIMITS);
  expect(isInRotation(second)).toBe(true);
});

test("a system clock that is set back or forward leaves a server out for its timeout, and no longer", () => {
  for (let i = 0; i < 3; i++) first.failed(SLOT, LIMITS);
  for (const step of [-3_600_000, 25 * 3_600_000]) {
    now += step;
    expect(isInRotation(second)).toBe(false);
  }
  steady += 1000;
  expect(isInRotation(second)).toBe(true);
});

test("an ejection that ended weeks ago does not count again when the time in the zone wraps", () => {
  for (let i = 0; i < 3; i++) first.failed(SLOT, LIMITS);
  steady += 2 ** 31 + 2000;
  expect(isInRotation(second)).toBe(true);
});

test("probes do not return a server that requests put out of rotation, and requests do not return one that probes did", () => {
  first.setActive(SLOT, false, 4);
  first.succeeded(SLOT);
  expect([isInRotation(second), first.active(SLOT)]).toEqual([false, { up: false, reason: 4 }]);
  first.setActive(SLOT, true);
  expect(isInRotation(second)).toBe(true);
  for (let i = 0; i < 3; i++) first.failed(SLOT, LIMITS);
  first.setActive(SLOT, true);
  expect(isInRotation(second)).toBe(false);
  first.setActive(SLOT, undefined);
  expect(first.active(SLOT)).toEqual({ up: undefined, reason: 0 });
});

test("requests in flight are counted over all workers, and a slot is free without any", () => {
  first.began(SLOT);
  second.began(SLOT);
  second.began(SLOT);
  expect([first.inFlight(SLOT), first.isUnused(SLOT), first.isUnused(SLOT + 1)]).toEqual([3, false, true]);
  first.ended(SLOT);
  second.ended(SLOT);
  second.ended(SLOT);
  expect(first.isUnused(SLOT)).toBe(true);
});

test("a server that gets the slot of another one starts without its state", () => {
  const supervisor = new ServerStates(zone, 0, () => now);
  supervisor.setActive(SLOT, false, 2);
  for (let i = 0; i < 3; i++) first.failed(SLOT, LIMITS);
  zone.counters(2)[serverColumn(SLOT)] = 5;
  zone.counters(2)[serverColumn(SLOT + 1)] = 6;
  supervisor.reset(SLOT);
  expect([isInRotation(first), first.fails(SLOT), zone.counters(2)[serverColumn(SLOT)]]).toEqual([true, 0, 0]);
  expect(zone.counters(2)[serverColumn(SLOT + 1)]).toBe(6);
});

test("the number of slots is limited", () => {
  first.began(MAX_SERVERS - 1);
  expect(first.inFlight(MAX_SERVERS - 1)).toBe(1);
  expect(() => first.began(MAX_SERVERS)).toThrow("Cannot use slot 1024: there are 1024");
});

test("a drained server is out of rotation for all workers, whatever its probes and requests show, until the drain ends", () => {
  first.setDrained(SLOT, true);
  expect([isInRotation(first), isInRotation(second), second.isDrained(SLOT)]).toEqual([false, false, true]);
  for (const up of [true, false, undefined]) {
    first.setActive(SLOT, up);
    expect([isInRotation(second), first.active(SLOT).up]).toEqual([false, up]);
  }
  second.succeeded(SLOT);
  expect(isInRotation(second)).toBe(false);
  first.setDrained(SLOT, false);
  expect(isInRotation(second)).toBe(true);
  first.setActive(SLOT, false);
  first.setDrained(SLOT, true);
  first.setDrained(SLOT, false);
  expect([isInRotation(second), first.active(SLOT).up]).toEqual([false, false]);
});

test("the last failure is recorded with its time, and the number of ejections is counted", () => {
  expect(second.lastFailure(SLOT)).toEqual({ ms: undefined, failure: "" });
  first.failed(SLOT, LIMITS, "late");
  expect(second.lastFailure(SLOT)).toEqual({ ms: now, failure: "late" });
  now += 5000;
  first.setActive(SLOT, true, 3);
  expect(second.lastFailure(SLOT).ms).toBe(now);
  now += 5000;
  first.setActive(SLOT, true, 0);
  expect(second.lastFailure(SLOT).ms).toBe(now - 5000);
  expect(second.ejections(SLOT)).toBe(0);
  for (let i = 0; i < 4; i++) first.failed(SLOT, LIMITS);
  expect(second.ejections(SLOT)).toBe(1);
  second.reset(SLOT);
  expect([second.ejections(SLOT), second.lastFailure(SLOT)]).toEqual([0, { ms: undefined, failure: "" }]);
});
