/** The cost of single steps without sockets, with warm caches: the median of rounds in turns. */
import { parseArgs } from "node:util";
import { hpackParts } from "./parts/hpack.ts";
import { logLineParts } from "./parts/log-line.ts";
import { policyParts } from "./parts/policies.ts";
import { median } from "./support/report.ts";

const TIMES = 100_000;
const ROUNDS = 9;

/** One step, which gets the number of its run. */
export interface Part {
  readonly name: string;
  readonly work: (i: number) => unknown;
}

function nanoseconds({ work }: Part): number {
  const before = process.cpuUsage();
  for (let i = 0; i < TIMES; i++) work(i);
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / TIMES;
}

/** `npm run bench -- parts [--only TEXT]`. Resolves to 0. */
export function runPartsBench(args: readonly string[]): Promise<number> {
  const options = { only: { type: "string", default: "" }, help: { type: "boolean", default: false } } as const;
  const { values } = parseArgs({ args: [...args], options });
  if (values.help) {
    console.log("usage: npm run bench -- parts [--only TEXT]");
    return Promise.resolve(0);
  }
  const parts = [...policyParts(), ...logLineParts(), ...hpackParts()].filter(({ name }) => name.includes(values.only));
  for (const part of parts) nanoseconds(part);
  const rounds = Array.from({ length: ROUNDS }, () => parts.map(nanoseconds));
  for (const [i, { name }] of parts.entries()) {
    const ns = median(rounds.map((round) => round[i] ?? 0));
    console.log(`${name.padEnd(52)} ${ns.toFixed(0).padStart(6)} ns of CPU`);
  }
  return Promise.resolve(0);
}
