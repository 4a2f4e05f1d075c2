/**
 * Preloaded by `scripts/test.ts`: appends a line for each test file to the file that `COSTS_VARIABLE` names. The line has the CPU time of
 * the test process since the previous file, and of the processes that ended meanwhile.
 */
import { afterAll } from "bun:test";
import { appendFileSync, readFileSync } from "node:fs";
import { relative } from "node:path";

/** The environment variable with the path of the file for the costs. */
export const COSTS_VARIABLE = "TURNPIKE_TEST_COSTS";
/** `USER_HZ` of every Linux: ticks of a second in /proc. */
const TICKS = 100;

export interface Cost {
  readonly file: string;
  /** CPU-seconds of the test process, and of the processes that it started. */
  readonly own: number;
  readonly started: number;
}

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

function total({ own, started }: Cost): number {
  return own + started;
}

/** The most expensive files, and the sum of all, as lines. `text` is the content of the file with the costs. */
export function describeCosts(text: string, most = 10): string[] {
  const costs = text.split("\n").flatMap((line): Cost[] => (line === "" ? [] : [JSON.parse(line) as Cost])); // Written above.
  const sum = costs.reduce((all, cost) => all + total(cost), 0);
  const shown = costs.toSorted((a, b) => total(b) - total(a)).slice(0, most);
  return [
    `${sum.toFixed(0)} CPU-seconds, most of them in:`,
    ...shown.map((cost) => `${total(cost).toFixed(1).padStart(6)} (own ${cost.own.toFixed(1)}) ${cost.file}`),
  ];
}
