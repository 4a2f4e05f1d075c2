/**
 * The admin interface: what a gateway under load loses to four tabs of the console, and to a thousand wrong keys a second; and how long a list of
 * 10,000 routes, and one more route, take. The gateway is one process, which has the admin interface and all traffic.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Children, cpuSeconds, waitFor } from "./support/children.ts";
import { compare } from "./support/comparison.ts";
import { readRounds, type Rounds } from "./support/options.ts";
import { startTurnpike } from "./support/programs.ts";
import { median } from "./support/report.ts";
import { type Contestant, measureRounds } from "./support/rounds.ts";
import { faultOf, type Load, runWrk } from "./support/wrk.ts";

const KEY = "the-key-of-the-bench";
const CONNECTIONS = 64;
const ROUTES = 10_000;
const REPEATS = 20;
/** Polls of the console, one after another, as many as tell what one costs a process that is busy anyway. */
const POLLS = 2000;
/** Seconds over which a gateway without traffic is watched. */
const WATCH_SECONDS = 5;

const QUIET = "quiet";
const VISITORS = ["console", "wrong-keys"] as const;

interface Started {
  readonly pid: number;
  readonly port: number;
  readonly url: string;
  exited(): string | undefined;
}

/** The exit code, as `compare` gives it. */
export async function runAdminBench(args: readonly string[]): Promise<number> {
  const bench = {
    name: "admin",
    usage: "usage: npm run bench -- admin [--rounds N] [--seconds N]",
    tools: [["wrk", "wrk"]] as const,
    read: readOptions,
    measure,
  };
  return await compare(bench, args);
}

function readOptions(args: readonly string[]): Rounds {
  const options = {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "4" },
  } as const;
  return readRounds(parseArgs({ args: [...args], options }).values);
}

async function measure(children: Children, rounds: Rounds): Promise<void> {
  await measureLists(children);
  await measureVisits(children);
  await measureTraffic(children, rounds);
}

async function start(children: Children, config: object): Promise<Started> {
  const child = startTurnpike(children, "turnpike", {
    server: { workers: 1, address: "127.0.0.1", port: 0 },
    admin: { enabled: true, port: 0, api_key: KEY },
    access_log: { enabled: false },
    ...config,
  });
  return await waitFor(child, "turnpike", async () => {
    const port = /listening on http:\/\/[^\s]*:(\d+)/.exec(child.output())?.[1];
    const url = /admin interface on (\S+)\//.exec(child.output())?.[1];
    return port === undefined || url === undefined ? undefined : { ...child, pid: child.pid, port: Number(port), url };
  });
}

async function ask(url: string, method: string, path: string, body?: object): Promise<number> {
  const headers = { "x-api-key": KEY, "content-type": "application/json" };
  const begun = performance.now();
  const response = await fetch(`${url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`Cannot ${method} ${path}: ${response.status} ${text}`);
  return performance.now() - begun;
}

async function measureLists(children: Children): Promise<void> {
  const group = children.group();
  const upstreams = [{ name: "o", servers: [{ address: "127.0.0.1", port: 9 }] }];
  const routes = Array.from({ length: ROUTES }, (_, n) => ({ path_prefix: `/route/${n}`, upstream: "o" }));
  const { url, pid } = await start(group, { upstreams, routes });
  const steps = [
    ["one is added in", (n: number) => ask(url, "POST", "/v1/routes", { path_prefix: `/new/${n}`, upstream: "o" })],
    ["listed after a change in", () => ask(url, "GET", "/v1/routes")],
    ["listed again in", () => ask(url, "GET", "/v1/routes")],
  ] as const;
  const times: number[][] = steps.map(() => []);
  const used = steps.map(() => 0);
  for (let n = 0; n < REPEATS; n += 1) {
    for (const [i, [, step]] of steps.entries()) {
      const before = cpuSeconds(pid);
      times[i]?.push(await step(n));
      used[i] = (used[i] ?? 0) + cpuSeconds(pid) - before;
    }
  }
  await group.close();
  console.log(`${ROUTES} routes, ${REPEATS} times (bounds: added in 100 ms, listed in 50 ms):`);
  for (const [i, [what]] of steps.entries()) {
    const cpu = (((used[i] ?? 0) / REPEATS) * 1000).toFixed(0);
    console.log(`  ${what.padEnd(25)} ${median(times[i] ?? []).toFixed(1)} ms in the median, ${cpu} ms of CPU`);
  }
}

function visit(children: Children, mode: string, url: string): Promise<true> {
  const program = join(import.meta.dir, "admin/visitors.ts");
  const child = children.spawn({ name: mode, argv: [process.execPath, program, mode, url, KEY] });
  return waitFor(child, mode, async () => (child.output().includes("visiting") ? true : undefined));
}

/** What visitors cost a gateway without traffic. One that seldom works pays more for each piece of it: caches are cold, and it collects garbage meanwhile. */
async function measureVisits(children: Children): Promise<void> {
  const gateway = await start(children.group(), {});
  const cost = async (mode: string | undefined): Promise<number> => {
    const group = children.group();
    if (mode !== undefined) await visit(group, mode, gateway.url);
    await Bun.sleep(1000);
    const before = cpuSeconds(gateway.pid);
    await Bun.sleep(WATCH_SECONDS * 1000);
    const used = cpuSeconds(gateway.pid) - before;
    await group.close();
    return (used / WATCH_SECONDS) * 1000;
  };
  console.log("\nCPU of a gateway without traffic:");
  for (const mode of [undefined, ...VISITORS]) {
    console.log(`  ${(mode ?? QUIET).padEnd(11)} ${(await cost(mode)).toFixed(1)} ms each second`);
  }
  const before = cpuSeconds(gateway.pid);
  for (let n = 0; n < POLLS; n += 1) await ask(gateway.url, "GET", "/v1/overview");
  const each = ((cpuSeconds(gateway.pid) - before) / POLLS) * 1000;
  console.log(`  a poll of a tab, of ${POLLS} in a row: ${each.toFixed(2)} ms`);
}

async function measureTraffic(children: Children, rounds: Rounds): Promise<void> {
  const origin = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("hello") });
  const upstreams = [{ name: "o", servers: [{ address: "127.0.0.1", port: origin.port }] }];
  const gateway = await start(children, { upstreams, routes: [{ path_prefix: "/", upstream: "o" }] });
  const load = async (seconds: number): Promise<Load> => {
    const url = `http://127.0.0.1:${gateway.port}/`;
    const found = await runWrk(children, url, { connections: CONNECTIONS, seconds });
    const fault = faultOf(found);
    if (fault !== undefined) throw new Error(fault);
    return found;
  };
  const visited = (mode: string): Contestant => ({
    ...gateway,
    name: mode,
    async drive(seconds) {
      const group = children.group();
      try {
        await visit(group, mode, gateway.url);
        return await load(seconds);
      } finally {
        await group.close();
      }
    },
  });
  const contestants = [{ ...gateway, name: QUIET, drive: load }, ...VISITORS.map(visited)];
  console.log(`\nUnder load, ${rounds.rounds} rounds of ${rounds.seconds} s in turn:`);
  const samples = await measureRounds(contestants, rounds);
  await origin.stop(true);
  const rate = (name: string, round: number): number =>
    samples.find((sample) => sample.program === name && sample.round === round)?.requestsPerCpuSecond ?? Number.NaN;
  for (const { name } of contestants) {
    const own = samples.filter(({ program }) => program === name).map((sample) => sample.requestsPerCpuSecond);
    const ratios = own.map((_, round) => rate(name, round) / rate(QUIET, round));
    const loss = (1 - median(ratios)) * 100;
    console.log(`  ${name.padEnd(11)} ${Math.round(median(own))} requests per CPU-second, ${loss.toFixed(1)} % lost`);
  }
}
