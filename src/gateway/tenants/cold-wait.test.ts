import { expect, test } from "bun:test";
import { FakeClock } from "../../lib/testing/fake-clock.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { ColdWait, type Turn } from "./cold-wait.ts";

function create() {
  const clock = new FakeClock();
  const left: ColdWait<string>[] = [];
  const wait = new ColdWait<string>(new TimerWheel(clock), (one) => left.push(one));
  wait.begin(1000);
  return { clock, wait, left };
}

test.each<readonly [Turn<string>, (wait: ColdWait<string>) => void, number]>([
  [{ kind: "warm", mapping: "/vms/a" }, (wait) => wait.warm("/vms/a"), 0],
  [{ kind: "leads" }, (wait) => wait.lead(), 0],
  [{ kind: "gone" }, (wait) => wait.gone(), 1],
])("a wait ends as %j, and its time limit with it", async (turn, act, leaves) => {
  const { clock, wait, left } = create();
  act(wait);
  expect(await wait.turn).toEqual(turn);
  expect([left.length, clock.tick]).toEqual([leaves, undefined]);
});

test("a request that has waited too long leaves the queue", async () => {
  const { clock, wait, left } = create();
  clock.advance(980);
  expect(left).toEqual([]);
  clock.advance(50);
  expect(await wait.turn).toEqual({ kind: "late" });
  expect(left).toEqual([wait]);
});
