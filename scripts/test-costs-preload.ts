/**
 * Preloaded by `scripts/test.ts`: appends a line for each test file to the file that `COSTS_VARIABLE` names. The line has the CPU time of
 * the test process since the previous file, and of the processes that ended meanwhile. Programs that get
 * the environment of a test use the last compiler as they do for users, without `ENGINE_VARIABLE`.
 */
import { afterAll } from "bun:test";
import { appendFileSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { type Cost, COSTS_VARIABLE, ENGINE_VARIABLE } from "./test-costs.ts";

/** `USER_HZ` of every Linux: ticks of a second in /proc. */
const TICKS = 100;

delete process.env[ENGINE_VARIABLE];
const path = process.env[COSTS_VARIABLE];
if (path !== undefined) {
  let before = { own: 0, started: 0 };
  afterAll(() => {
    const now = cpuSeconds();
    const cost: Cost = {
      file: relative(process.cwd(), Bun.main),
      own: now.own - before.own,
      started: now.started - before.started,
    };
    before = now;
    appendFileSync(path, `${JSON.stringify(cost)}\n`);
  });
}

/** From proc(5): the times after the name of the program, which may contain spaces. */
function cpuSeconds(): { own: number; started: number } {
  const fields = readFileSync("/proc/self/stat", "latin1")
    .replace(/^.*\) /s, "")
    .split(" ");
  const [user = 0, system = 0, startedUser = 0, startedSystem = 0] = fields.slice(11, 15).map(Number);
  return { own: (user + system) / TICKS, started: (startedUser + startedSystem) / TICKS };
}
