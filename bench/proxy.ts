/**
 * Turnpike beside other proxies: the same origin, settings and load, in turn. The measure is requests per CPU-second of
 * the proxy's processes, which on a small machine says more than requests per second: load, proxy and origin share it.
 */
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { type Case, CASES } from "./proxy/cases.ts";
import { startOrigin } from "./proxy/origin.ts";
import { PEERS, type Proxy, SUBJECT } from "./proxy/proxies.ts";
import { type Children } from "./support/children.ts";
import { compare } from "./support/comparison.ts";
import { pick, readRounds, ROUND_FLAGS, type Rounds, usage } from "./support/options.ts";
import { type CaseResult, noise, summarise, table } from "./support/report.ts";
import { measureRounds } from "./support/rounds.ts";
import { runWrk } from "./support/wrk.ts";

interface Options extends Rounds {
  readonly cases: readonly Case[];
  readonly peers: readonly Proxy[];
  readonly json: string | undefined;
}

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({ args: [...args], options: { ...ROUND_FLAGS, json: { type: "string" } } });
  return {
    cases: pick(CASES, values.only),
    peers: pick(PEERS, values.peers),
    ...readRounds(values),
    json: values.json,
  };
}

/** The exit code, as `compare` gives it. */
export async function runProxyBench(args: readonly string[]): Promise<number> {
  return await compare(
    {
      name: "proxy",
      usage: usage("proxy", { cases: CASES, peers: PEERS }, " [--json FILE]"),
      tools: [["wrk", "wrk"]],
      read: readOptions,
      measure: measureAll,
    },
    args,
  );
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
    const contestants = proxies.map((proxy) => ({
      ...proxy,
      drive: (time: number) =>
        runWrk(children, `http://127.0.0.1:${proxy.port}${load.path}`, {
          connections: load.connections,
          seconds: time,
        }),
    }));
    const result = summarise(load, await measureRounds(contestants, options), SUBJECT.name);
    results.push(result);
    console.log(`${table(result)}\n`);
  }
  console.log(noise(results));
  if (options.json !== undefined) {
    const file = { date: new Date().toISOString(), cpus: cpus().length, origin: origin.program, rounds, seconds };
    writeFileSync(options.json, `${JSON.stringify({ ...file, results }, undefined, 2)}\n`);
  }
}
