/**
 * Turnpike compared with other proxies: the same origin, settings and load, in turn. The measure is requests per
 * CPU-second of the proxy's processes. On a small machine it is more useful than requests per second, because load,
 * proxy and origin share the CPUs.
 */
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { messageOf } from "../src/lib/caught.ts";
import { LOCALHOST, TEST_CA } from "../test/support/certificates.ts";
import { type Case, CASES, PINNED_CASES } from "./proxy/cases.ts";
import { contestantsOf, type OpenSetup } from "./proxy/contestants.ts";
import { toolOf } from "./proxy/drive.ts";
import { measurePinned } from "./proxy/pinned.ts";
import { PEERS, PINNED_PEERS, SUBJECT } from "./proxy/proxies.ts";
import { type Proxy, type RunningProxy } from "./proxy/proxy.ts";
import { SETUPS, type SetupName } from "./proxy/setups.ts";
import { type Children } from "./support/children.ts";
import { compare } from "./support/comparison.ts";
import { pick, readRounds, ROUND_FLAGS, type Rounds, usage } from "./support/options.ts";
import { isInstalled } from "./support/programs.ts";
import { type CaseResult, noise, summarise, table } from "./support/report.ts";
import { measureSurvivors } from "./support/rounds.ts";

interface Options extends Rounds {
  readonly cases: readonly Case[];
  readonly peers: readonly Proxy[];
  readonly json: string | undefined;
  /** The proxy on a CPU of its own. */
  readonly isPinned: boolean;
  /** The same with a neighbour process on that CPU. */
  readonly hasNeighbour: boolean;
  /** Counts system calls and allocations too. */
  readonly counts: boolean;
}

const FLAGS = {
  ...ROUND_FLAGS,
  json: { type: "string" },
  pinned: { type: "boolean", default: false },
  neighbour: { type: "boolean", default: false },
  "no-counts": { type: "boolean", default: false },
} as const;

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({ args: [...args], options: FLAGS });
  const { pinned: isPinned, neighbour: hasNeighbour } = values;
  if (hasNeighbour && !isPinned) throw new RangeError("--neighbour needs --pinned");
  return {
    cases: pick(isPinned ? PINNED_CASES : CASES, values.only),
    peers: pick(isPinned ? PINNED_PEERS : PEERS, values.peers),
    ...readRounds(values),
    json: values.json,
    isPinned,
    hasNeighbour,
    counts: !values["no-counts"],
  };
}

const USAGE = `${usage("proxy", { cases: CASES, peers: PEERS }, " [--json FILE]")}
       npm run bench -- proxy --pinned [--neighbour] [--no-counts] and the same
cases: ${PINNED_CASES.map(({ name }) => name).join(", ")}
peers: ${PINNED_PEERS.map(({ name }) => name).join(", ")}`;

/** Returns the exit code of `compare`, and 1 if a proxy failed a case. */
export async function runProxyBench(args: readonly string[]): Promise<number> {
  return await compare(
    {
      name: "proxy",
      usage: USAGE,
      tools: [["wrk", "wrk"]],
      read: readOptions,
      measure: measureAll,
    },
    args,
  );
}

async function measureAll(children: Children, options: Options): Promise<void> {
  const peers = options.peers.filter((peer) => {
    if (!peer.installed()) console.log(`${peer.name} is not installed: left out`);
    return peer.installed();
  });
  const cases = options.cases.filter(hasTool);
  if (options.isPinned) {
    const results = await measurePinned(children, { ...options, cases, peers }, openIn);
    finish(options, results, new Map());
    return;
  }
  const results: CaseResult[] = [];
  const origins = new Map<SetupName, string>();
  for (const name of new Set(cases.map(({ setup }) => setup))) {
    const group = children.group();
    const open = await openSetup(group, name, [SUBJECT, ...peers]);
    origins.set(name, open.origin.program);
    const { rounds, seconds } = options;
    console.log(
      `${cpus().length} CPUs; origin: ${open.origin.program}; ${rounds} rounds of ${seconds} s after a warm-up\n`,
    );
    for (const load of cases.filter(({ setup }) => setup === name)) {
      results.push(await measureCase(group, load, open, options));
    }
    await group.close();
  }
  if (results.some(({ rows }) => rows.length > 0)) console.log(noise(results));
  finish(options, results, origins);
}

/** Writes the results as JSON if requested. Throws an Error if a program failed in a case. */
function finish(options: Options, results: readonly CaseResult[], origins: ReadonlyMap<SetupName, string>): void {
  if (options.json !== undefined) writeJson(options.json, { options, results: [...results], origins });
  const failed = results.filter(({ failures }) => Object.keys(failures).length > 0).map(({ name }) => name);
  if (failed.length > 0) throw new Error(`Cannot give all figures: proxies failed in ${failed.join(", ")}`);
}

function hasTool({ name, client }: Case): boolean {
  const tool = toolOf(client);
  if (tool === undefined || isInstalled(tool[0])) return true;
  console.log(`${name}: left out, it needs ${tool[0]} (Debian: ${tool[1]})`);
  return false;
}

/** The process groups of a set-up: one for the origin, one for the proxies. */
interface Groups {
  readonly load: Children;
  readonly proxy: Children;
}

async function openSetup(children: Children, name: SetupName, proxies: readonly Proxy[]): Promise<OpenSetup> {
  return await openIn({ load: children, proxy: children }, name, proxies);
}

async function openIn(
  { load, proxy: children }: Groups,
  name: SetupName,
  proxies: readonly Proxy[],
): Promise<OpenSetup> {
  const setup = SETUPS[name];
  const file = async (kind: string, text: string): Promise<string> => {
    const path = join(children.folder, `${kind}.pem`);
    await Bun.write(path, text);
    return path;
  };
  const pair = { cert: await file("cert", LOCALHOST.cert), key: await file("key", LOCALHOST.key) };
  const origin = await setup.start(load, pair);
  const site = { shape: setup.shape, originPort: origin.port, ...pair, ca: await file("ca", TEST_CA.cert) };
  const opened: RunningProxy[] = [];
  const failures = new Map<string, string>();
  for (const proxy of proxies.filter((candidate) => candidate.can(setup.shape))) {
    try {
      opened.push(await proxy.start(children, site));
    } catch (error) {
      if (children.closing) throw error;
      failures.set(proxy.name, messageOf(error));
    }
  }
  return { setup, origin, proxies: opened, failures };
}

async function measureCase(children: Children, load: Case, open: OpenSetup, rounds: Rounds): Promise<CaseResult> {
  const { samples, failures } = await measureSurvivors(contestantsOf(children, load, open), rounds);
  const result = summarise(load, { samples, failures: new Map([...open.failures, ...failures]) }, SUBJECT.name);
  console.log(`${table(result)}\n`);
  return result;
}

interface Outcome {
  readonly options: Options;
  readonly results: readonly CaseResult[];
  readonly origins: ReadonlyMap<SetupName, string>;
}

function writeJson(path: string, { options: { rounds, seconds }, results, origins }: Outcome): void {
  const [origin] = origins.values();
  const file = { date: new Date().toISOString(), cpus: cpus().length, origin, rounds, seconds };
  const text = { ...file, origins: Object.fromEntries(origins), results };
  writeFileSync(path, `${JSON.stringify(text, undefined, 2)}\n`);
}
