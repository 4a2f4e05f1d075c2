/**
 * The cost of the admin interface. It measures the throughput that a gateway under load loses to four tabs of the console,
 * and to a thousand wrong keys per second. It also measures the time for a list of 10,000 routes, for one more route, and
 * for the figures of the console.
 */
import { parseArgs } from "node:util";
import { ask, startGateway } from "./admin/gateway.ts";
import { measureLists } from "./admin/lists.ts";
import { measureReloads } from "./admin/reloads.ts";
import { measureSnapshot } from "./admin/snapshot.ts";
import { openTabs, TABS } from "./admin/tabs.ts";
import { measureTraffic } from "./admin/traffic.ts";
import { type Children, processTree } from "./support/children.ts";
import { compare } from "./support/comparison.ts";
import { cpuNanoseconds } from "./support/cpu-time.ts";
import { pick, readRounds, type Rounds } from "./support/options.ts";

/** Consecutive polls of the console: enough to measure the cost of one poll for a process that is busy anyway. */
const POLLS = 2000;
/** Seconds for which a gateway without traffic is observed. */
const WATCH_SECONDS = 5;

const PARTS = [
  { name: "lists", measure: measureLists },
  { name: "reloads", measure: measureReloads },
  { name: "snapshot", measure: measureSnapshot },
  { name: "visits", measure: measureVisits },
  { name: "one", measure: (children: Children, rounds: Rounds) => measureTraffic(children, rounds, 1) },
  { name: "workers", measure: (children: Children, rounds: Rounds) => measureTraffic(children, rounds, 2) },
];

interface Options extends Rounds {
  readonly parts: typeof PARTS;
}

/** Returns the exit code of `compare`. */
export async function runAdminBench(args: readonly string[]): Promise<number> {
  const bench = {
    name: "admin",
    usage: `usage: npm run bench -- admin [--only PART,...] [--rounds N] [--seconds N]\nparts: ${PARTS.map(({ name }) => name).join(", ")}`,
    tools: [
      ["wrk", "wrk"],
      ["nginx", "nginx"],
    ] as const,
    read: readOptions,
    async measure(children: Children, { parts, ...rounds }: Options): Promise<void> {
      for (const part of parts) await part.measure(children, rounds);
    },
  };
  return await compare(bench, args);
}

function readOptions(args: readonly string[]): Options {
  const options = {
    only: { type: "string" },
    rounds: { type: "string", default: "12" },
    seconds: { type: "string", default: "4" },
  } as const;
  const { values } = parseArgs({ args: [...args], options });
  return { parts: [...pick(PARTS, values.only)], ...readRounds(values) };
}

/**
 * The cost of tabs for a gateway without traffic. A process that seldom works pays more for each request: its caches
 * are cold, and it collects garbage.
 */
async function measureVisits(children: Children): Promise<void> {
  const group = children.group();
  const { url, pid } = await startGateway(group, {});
  const cpu = (): number => processTree(pid).reduce((sum, member) => sum + cpuNanoseconds(member), 0) / 1e6;
  const watch = async (): Promise<string> => {
    await Bun.sleep(1000);
    const before = cpu();
    await Bun.sleep(WATCH_SECONDS * 1000);
    return ((cpu() - before) / WATCH_SECONDS).toFixed(1);
  };
  const quiet = await watch();
  const close = openTabs(url);
  const visited = await watch();
  close();
  const before = cpu();
  for (let n = 0; n < POLLS; n += 1) await ask(url, "GET", "/v1/overview");
  const each = (cpu() - before) / POLLS;
  await group.close();
  console.log(`\nA gateway without traffic: ${quiet} ms of CPU a second, ${visited} with ${TABS} tabs`);
  console.log(`  a poll of a tab, of ${POLLS} in a row: ${each.toFixed(3)} ms`);
}
