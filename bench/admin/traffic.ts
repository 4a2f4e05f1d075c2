/**
 * The throughput that a gateway under load loses to users of its admin interface: many short rounds with and without
 * them, in pairs.
 */
import { join } from "node:path";
import { freePort } from "../../src/lib/testing/listen.ts";
import { accepts, type Children, processTree, waitFor } from "../support/children.ts";
import { cpuNanoseconds, type Interval, medianInterval, pin } from "../support/cpu-time.ts";
import { type Rounds } from "../support/options.ts";
import { startNginx } from "../support/programs.ts";
import { median } from "../support/report.ts";
import { type Started, startGateway } from "./gateway.ts";
import { openTabs, TABS } from "./tabs.ts";

const CONNECTIONS = 64;
const WARM_UP_MS = 3000;
/**
 * Milliseconds after users arrive or leave that are not measured, because opening a tab costs more than having it open.
 */
const ARRIVAL_MS = 3000;
const LEAVE_MS = 250;
/** The gateway has one CPU for itself; load and origin use the other. */
const GATEWAY_CPU = 0;
const LOAD_CPU = 1;

/** The result of one round. */
interface Round {
  readonly requests: number;
  readonly seconds: number;
  /** CPU nanoseconds of each process of the gateway; the process with the admin interface is the first. */
  readonly cpu: readonly number[];
}

interface Origin {
  readonly port: number;
  requests(): Promise<number>;
}

interface Scene {
  readonly children: Children;
  readonly gateway: Started;
  readonly origin: Origin;
  readonly rounds: Rounds;
}

type Visitors = (scene: Scene) => Promise<() => Promise<void>>;

async function startOrigin(children: Children): Promise<Origin> {
  const port = await freePort();
  const http = `server {
    listen 127.0.0.1:${port} backlog=4096;
    location = /requests { stub_status; }
    location / { return 200 "hello"; }
  }`;
  const child = startNginx(children, "origin", { workers: 1, connections: 8192, http });
  await waitFor(child, "the origin", () => accepts(port));
  pin(child.pid, LOAD_CPU);
  return {
    port,
    async requests() {
      const text = await (await fetch(`http://127.0.0.1:${port}/requests`)).text();
      return Number(/^\s*\d+ \d+ (\d+)\s*$/m.exec(text)?.[1] ?? Number.NaN);
    },
  };
}

const consoleTabs: Visitors = async ({ gateway }) => {
  const close = openTabs(gateway.url);
  return async () => close();
};

const wrongKeys: Visitors = async ({ children, gateway }) => {
  const group = children.group();
  const argv = [process.execPath, join(import.meta.dir, "wrong-keys.ts"), gateway.url];
  const child = group.spawn({ name: "wrong keys", argv });
  pin(child.pid, LOAD_CPU);
  await waitFor(child, "wrong keys", async () => (child.output().includes("trying") ? true : undefined));
  return () => group.close();
};

/** The processes of the gateway: the one with the admin interface, then its workers. The launcher only waits. */
function gatewayProcesses({ pid }: Started): number[] {
  return processTree(pid).slice(1);
}

async function round({ gateway, origin, rounds }: Scene): Promise<Round> {
  const pids = gatewayProcesses(gateway);
  const requests = await origin.requests();
  const cpu = pids.map(cpuNanoseconds);
  const begun = performance.now();
  await Bun.sleep(rounds.seconds * 1000);
  const done = (await origin.requests()) - requests;
  const seconds = (performance.now() - begun) / 1000;
  return { requests: done, seconds, cpu: pids.map((pid, i) => cpuNanoseconds(pid) - (cpu[i] ?? 0)) };
}

function total({ cpu }: Round): number {
  return cpu.reduce((sum, own) => sum + own, 0);
}

/** Requests per CPU-second of all processes of the gateway. */
function rateOf(found: Round): number {
  return found.requests / (total(found) / 1e9);
}

/** Pairs of rounds without and with users. The order alternates, so that a drift cancels out. */
async function measurePairs(scene: Scene, visitors: Visitors): Promise<[quiet: Round, visited: Round][]> {
  const visited = async (): Promise<Round> => {
    const end = await visitors(scene);
    await Bun.sleep(ARRIVAL_MS);
    const found = await round(scene);
    await end();
    await Bun.sleep(LEAVE_MS);
    return found;
  };
  const pairs: [Round, Round][] = [];
  for (let n = 0; n < scene.rounds.rounds; n += 1) {
    if (n % 2 === 0) {
      pairs.push([await round(scene), await visited()]);
    } else {
      const second = await visited();
      pairs.push([await round(scene), second]);
    }
  }
  return pairs;
}

function percents({ low, median: middle, high }: Interval): string {
  return `${(middle * 100).toFixed(2)} % (95 %: ${(low * 100).toFixed(2)} to ${(high * 100).toFixed(2)})`;
}

function report(name: string, pairs: readonly (readonly [quiet: Round, visited: Round])[]): void {
  const lost = medianInterval(pairs.map(([quiet, visited]) => 1 - rateOf(visited) / rateOf(quiet)));
  console.log(`  ${name}: requests per CPU-second lost: ${percents(lost)}`);
  const first = pairs[0]?.[0];
  if (first === undefined || first.cpu.length < 2) return;
  // Each process separately: a share of 1 % is visible even if the rates of two rounds differ by more.
  const share = (found: Round, index: number): number => (found.cpu[index] ?? 0) / total(found);
  for (const index of first.cpu.keys()) {
    const [quiet, visited] = [0, 1].map((side) => median(pairs.map((pair) => share(pair[side] ?? pair[0], index))));
    const who = index === 0 ? "supervisor" : `worker ${index}`;
    const [before, after] = [quiet ?? 0, visited ?? 0].map((part) => (part * 100).toFixed(3));
    console.log(`    ${who.padEnd(10)} ${before} % of the gateway's CPU alone, ${after} % with them`);
  }
}

/**
 * Prints the cost of four tabs and of a thousand wrong keys per second for a gateway of one process, or of a supervisor
 * and `workers`.
 */
export async function measureTraffic(children: Children, rounds: Rounds, workers: number): Promise<void> {
  const group = children.group();
  const origin = await startOrigin(group);
  const upstreams = [{ name: "o", servers: [{ address: "127.0.0.1", port: origin.port }] }];
  const gateway = await startGateway(group, { upstreams, routes: [{ path_prefix: "/", upstream: "o" }] }, workers);
  const isPinned = pin(gateway.pid, GATEWAY_CPU) && pin(process.pid, LOAD_CPU);
  const url = `http://127.0.0.1:${gateway.port}/`;
  const argv = ["wrk", "-t1", `-c${CONNECTIONS}`, "-d9999s", url];
  const load = group.spawn({ name: "wrk", argv });
  pin(load.pid, LOAD_CPU);
  await Bun.sleep(WARM_UP_MS);
  const scene = { children: group, gateway, origin, rounds };
  const processes = workers === 1 ? "one process" : `a supervisor and ${workers} workers`;
  const where = isPinned ? "the gateway on a CPU of its own" : "not pinned";
  console.log(`\nUnder load, ${processes}, ${where}; ${rounds.rounds} pairs of rounds of ${rounds.seconds} s:`);
  report(`${TABS} tabs`, await measurePairs(scene, consoleTabs));
  report(
    "wrong keys",
    await measurePairs({ ...scene, rounds: { ...rounds, rounds: Math.ceil(rounds.rounds / 4) } }, wrongKeys),
  );
  const ended = load.exited();
  if (ended !== undefined) throw new Error(`Cannot continue the measurement: ${ended}: ${load.output()}`);
  await group.close();
}
