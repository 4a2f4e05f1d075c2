/**
 * Turnpike beside other proxies: the same origin, settings and load, in turn. The measure is requests per CPU-second of
 * the proxy's processes, which on a small machine says more than requests per second: load, proxy and origin share it.
 */
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { messageOf } from "../src/lib/caught.ts";
import { type Case, CASES } from "./proxy/cases.ts";
import { Children, cpuSeconds } from "./proxy/children.ts";
import { startOrigin } from "./proxy/origin.ts";
import { PEERS, type Proxy, type Running, SUBJECT } from "./proxy/proxies.ts";
import { type CaseResult, noise, type Sample, summarise, table } from "./proxy/report.ts";
import { runWrk } from "./proxy/wrk.ts";

const WARM_UP_SECONDS = 1;
/** What shells call a program that SIGINT ended. */
const INTERRUPTED = 130;

const USAGE = `usage: npm run bench -- proxy [--only CASE,...] [--peers NAME,...] [--rounds N] [--seconds N] [--json FILE]
cases: ${CASES.map((load) => load.name).join(", ")}
peers: ${PEERS.map((peer) => peer.name).join(", ")} (--peers "" for none)`;

interface Options {
  readonly cases: readonly Case[];
  readonly peers: readonly Proxy[];
  readonly rounds: number;
  readonly seconds: number;
  readonly json: string | undefined;
}

interface Run {
  readonly children: Children;
  readonly proxies: readonly Running[];
  readonly options: Options;
}

/** The named members of `known`, or a text that says which name is none of them. */
function pick<T extends { readonly name: string }>(known: readonly T[], names: string | undefined): readonly T[] {
  if (names === undefined) return known;
  return names
    .split(",")
    .filter((name) => name !== "")
    .map((name) => {
      const found = known.find((candidate) => candidate.name === name);
      if (found === undefined) throw new RangeError(`unknown name "${name}"`);
      return found;
    });
}

function positive(text: string, flag: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new RangeError(`--${flag} takes a number from 1 to 9999, not "${text}"`);
  return Number(text);
}

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string" },
      peers: { type: "string" },
      rounds: { type: "string", default: "3" },
      seconds: { type: "string", default: "3" },
      json: { type: "string" },
    },
  });
  return {
    cases: pick(CASES, values.only),
    peers: pick(PEERS, values.peers),
    rounds: positive(values.rounds, "rounds"),
    seconds: positive(values.seconds, "seconds"),
    json: values.json,
  };
}

/** The exit code: 0 done, 1 something would not start or broke, 2 usage. */
export async function runProxyBench(args: readonly string[]): Promise<number> {
  let options: Options;
  try {
    options = readOptions(args);
  } catch (error) {
    console.error(`${messageOf(error)}\n${USAGE}`);
    return 2;
  }
  if (process.platform !== "linux" || Bun.which("wrk") === null) {
    console.error("Cannot run the proxy bench: it needs Linux (/proc) and wrk (Debian: apt-get install wrk)");
    return 1;
  }
  const children = new Children();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => void children.close().then(() => process.exit(INTERRUPTED)));
  }
  try {
    await measureAll(children, options);
    return 0;
  } catch (error) {
    if (children.closing) return INTERRUPTED;
    console.error(messageOf(error));
    return 1;
  } finally {
    await children.close();
  }
}

async function measureAll(children: Children, options: Options): Promise<void> {
  const origin = await startOrigin(children);
  const proxies = [await SUBJECT.start(children, origin.port)];
  for (const peer of options.peers) {
    if (peer.installed()) proxies.push(await peer.start(children, origin.port));
    else console.log(`${peer.name} is not installed: left out`);
  }
  const { rounds, seconds } = options;
  console.log(`${cpus().length} CPUs; origin: ${origin.program}; ${rounds} rounds of ${seconds} s after a warm-up\n`);
  const results: CaseResult[] = [];
  for (const load of options.cases) {
    const samples = await measureCase({ children, proxies, options }, load);
    const result = summarise(load, samples, SUBJECT.name);
    results.push(result);
    console.log(`${table(result)}\n`);
  }
  console.log(noise(results));
  if (options.json !== undefined) {
    const file = { date: new Date().toISOString(), cpus: cpus().length, origin: origin.program, rounds, seconds };
    writeFileSync(options.json, `${JSON.stringify({ ...file, results }, undefined, 2)}\n`);
  }
}

async function measureCase(run: Run, load: Case): Promise<Sample[]> {
  const { children, proxies, options } = run;
  for (const proxy of proxies) await measure(children, load, proxy, WARM_UP_SECONDS);
  const samples: Sample[] = [];
  for (let round = 0; round < options.rounds; round++) {
    // Each round begins with another proxy, so that none always runs after the same one.
    const first = round % proxies.length;
    for (const proxy of [...proxies.slice(first), ...proxies.slice(0, first)]) {
      samples.push({ ...(await measure(children, load, proxy, options.seconds)), proxy: proxy.name, round });
    }
  }
  return proxies.flatMap((proxy) => samples.filter((sample) => sample.proxy === proxy.name));
}

type Measured = Omit<Sample, "proxy" | "round">;

async function measure(children: Children, load: Case, proxy: Running, seconds: number): Promise<Measured> {
  const before = cpuSeconds(proxy.pid);
  const found = await runWrk(children, `http://127.0.0.1:${proxy.port}${load.path}`, load.connections, seconds);
  const used = cpuSeconds(proxy.pid) - before;
  const ended = proxy.exited();
  if (ended !== undefined) throw new Error(`Cannot go on with ${load.name}: ${ended}`);
  return { ...found, requestsPerCpuSecond: used > 0 ? found.requests / used : Number.NaN };
}
