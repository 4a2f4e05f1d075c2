import { expect, test } from "bun:test";
import { MemberList } from "../../../lib/member-list.ts";
import { FakeClock } from "../../../lib/testing/fake-clock.ts";
import { TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { type ServerConnection } from "../../exchange/server-host.ts";
import { type IdleConnection, IdleConnections } from "./idle-connections.ts";

interface Fake extends IdleConnection {
  readonly name: number;
  readonly holder: ServerConnection & { idleSince: number };
}

function stage(): {
  clock: FakeClock;
  all: MemberList<Fake>;
  idle: IdleConnections<Fake>;
  add: (since: number, key?: string) => Fake;
} {
  const clock = new FakeClock();
  const all = new MemberList<Fake>();
  const idle = new IdleConnections(all, new TimerWheel(clock));
  let name = 0;
  const add = (idleSince: number, key = "a"): Fake => {
    const holder = { listIndex: -1, permit: undefined, idleSince, makeWay() {}, drain() {}, cutOff() {} };
    const permit = { listIndex: -1, isReserved: false, stages: 1, holder, key, name: name++ };
    all.add(permit);
    return permit;
  };
  return { clock, all, idle, add };
}

test("300 connections are found in the order in which they became idle", () => {
  const { clock, all, idle, add } = stage();
  clock.time = 100_000;
  const times = Array.from({ length: 300 }, (_, i) => (i * 7919) % 90_001);
  for (const time of times) add(time);
  const found: number[] = [];
  for (let next = idle.take(undefined); next !== undefined; next = idle.take(undefined)) {
    found.push(next.holder.idleSince);
    all.delete(next);
    clock.time += 101;
  }
  expect(found).toEqual(times.toSorted((a, b) => a - b));
});

test("a busy connection, one that was busy just now, and one of another address are not found", () => {
  const { clock, all, idle, add } = stage();
  clock.time = 10_000;
  add(Number.POSITIVE_INFINITY);
  add(9500);
  const other = add(5000, "b");
  expect(idle.take("a")).toBeUndefined();
  expect(idle.take("b")).toBe(other);
  all.delete(other);
  clock.time = 10_200;
  expect(idle.take(undefined)).toBeUndefined();
  clock.time = 10_600;
  expect(idle.take("a")?.holder.idleSince).toBe(9500);
});

test("a connection with a request since the search is skipped", () => {
  const { clock, idle, add } = stage();
  clock.time = 10_000;
  const [first, second, third] = [add(1000), add(2000), add(3000)];
  expect(idle.take(undefined)).toBe(first);
  second.holder.idleSince = 9999;
  expect(idle.take(undefined)).toBe(third);
});
