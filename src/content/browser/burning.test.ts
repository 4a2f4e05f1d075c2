import { expect, test } from "bun:test";
import { hasBurnt } from "./burning.ts";

interface Seen {
  readonly cpuS: number;
  readonly workedS: number;
  readonly isBusy: boolean;
  /** Seconds of the visit. Default: 10. */
  readonly elapsedS?: number;
}

function judge({ cpuS, workedS, isBusy, elapsedS = 10 }: Seen): Promise<boolean> {
  const metrics = [
    { name: "Timestamp", value: 8176 },
    { name: "TaskDuration", value: workedS },
    { name: "ProcessTime", value: cpuS },
  ];
  return hasBurnt(() => Promise.resolve({ metrics }), { elapsedMs: elapsedS * 1000, isBusy });
}

test.each<[what: string, seen: Seen]>([
  ["half of the time, whatever its main thread did", { cpuS: 5, workedS: 0, isBusy: false }],
  ["a quarter of it, and was busy at the end and most of the time", { cpuS: 2.5, workedS: 7.5, isBusy: true }],
  [
    "4 s of a long visit, and was busy at the end and most of the time",
    { cpuS: 4, workedS: 50, isBusy: true, elapsedS: 60 },
  ],
])("a page that used %s used the time up", async (_, seen) => {
  expect(await judge(seen)).toBe(true);
});

test.each<[what: string, seen: Seen]>([
  ["less than half, and was idle at the end", { cpuS: 4.9, workedS: 9, isBusy: false }],
  ["less than half, and was not busy most of the time", { cpuS: 4.9, workedS: 7.4, isBusy: true }],
  ["less than a quarter", { cpuS: 2.4, workedS: 9.9, isBusy: true }],
  ["less than 4 s of a long visit", { cpuS: 3.9, workedS: 60, isBusy: true, elapsedS: 60 }],
])("a page that used %s did not use the time up", async (_, seen) => {
  expect(await judge(seen)).toBe(false);
});

test("a page that cannot be measured did not use the time up", async () => {
  const late = { elapsedMs: 1000, isBusy: true };
  expect(await hasBurnt(() => Promise.reject(new Error("no session")), late)).toBe(false);
  expect(await hasBurnt(() => Promise.resolve({}), late)).toBe(false);
  expect(await hasBurnt(() => new Promise(() => {}), late)).toBe(false);
});
