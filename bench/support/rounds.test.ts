import { expect, test } from "bun:test";
import { type Contestant, measureRounds, measureSurvivors } from "./rounds.ts";
import { type Load } from "./wrk.ts";

const LOAD: Load = { requests: 10, requestsPerSecond: 10, p50: 1, p99: 2, non2xx: 0, socketErrors: 0 };
const ROUNDS = { rounds: 2, seconds: 1 };

function contestant(name: string, drive: () => Load, exited?: string): Contestant {
  return { name, pid: process.pid, exited: () => exited, drive: async () => drive() };
}

test("each program runs once to warm up and once in each round, and has a sample of each round", async () => {
  let drives = 0;
  const one = contestant("one", () => {
    drives++;
    return LOAD;
  });
  const two = contestant("two", () => LOAD);
  const { samples, failures } = await measureSurvivors([one, two], ROUNDS);
  expect(samples.map(({ program, round }) => [program, round])).toEqual([
    ["one", 0],
    ["one", 1],
    ["two", 0],
    ["two", 1],
  ]);
  expect([drives, failures.size]).toEqual([3, 0]);
});

test("a program with wrong responses in its last round has no samples, and the reason is kept", async () => {
  let drives = 0;
  const broken = contestant("broken", () => {
    if (++drives === 3) throw new Error("7 responses failed");
    return LOAD;
  });
  const { samples, failures } = await measureSurvivors([broken, contestant("sound", () => LOAD)], ROUNDS);
  expect(new Set(samples.map(({ program }) => program))).toEqual(new Set(["sound"]));
  expect([...failures]).toEqual([["broken", "7 responses failed"]]);
});

test("one that ends is named where all figures are wanted", () => {
  const ended = contestant("ended", () => LOAD, "ended ended (SIGKILL)");
  expect(measureRounds([ended], ROUNDS)).rejects.toThrow(/measurement: ended ended \(SIGKILL\)/);
});
