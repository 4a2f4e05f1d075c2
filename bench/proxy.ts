/**
 * Turnpike compared with other proxies: the same origin, settings and load, in turn. The measure is requests per
 * CPU-second of the proxy's processes. On a small machine it is more useful than requests per second, because load,
 * proxy and origin share the CPUs.
 */
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { type Case, CASES } from "./proxy/cases.ts";
import { toolOf } from "./proxy/drive.ts";
import { measurePinned, type PinnedOptions } from "./proxy/pinned.ts";
import { PEERS } from "./proxy/proxies.ts";
import { type Children } from "./support/children.ts";
import { compare } from "./support/comparison.ts";
import { pick, readRounds, ROUND_FLAGS, type Rounds, usage } from "./support/options.ts";
import { isInstalled } from "./support/programs.ts";
import { type CaseResult } from "./support/report.ts";

interface Options extends PinnedOptions {
  readonly json: string | undefined;
}

const FLAGS = {
  ...ROUND_FLAGS,
  json: { type: "string" },
  "no-counts": { type: "boolean", default: false },
} as const;

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({ args: [...args], options: FLAGS });
  return {
    cases: pick(CASES, values.only),
    peers: pick(PEERS, values.peers),
    ...readRounds(values),
    json: values.json,
    counts: !values["no-counts"],
  };
}

/** Returns the exit code of `compare`, and 1 if a proxy failed a case. */
export async function runProxyBench(args: readonly string[]): Promise<number> {
  return await compare(
    {
      name: "proxy",
      usage: usage("proxy", { cases: CASES, peers: PEERS }, " [--no-counts] [--json FILE]"),
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
  const results = await measurePinned(children, { ...options, cases: options.cases.filter(hasTool), peers });
  if (options.json !== undefined) writeJson(options.json, options, results);
  const failed = results.filter(({ failures }) => Object.keys(failures).length > 0).map(({ name }) => name);
  if (failed.length > 0) throw new Error(`Cannot give all figures: proxies failed in ${failed.join(", ")}`);
}

function hasTool({ name, client }: Case): boolean {
  const tool = toolOf(client);
  if (tool === undefined || isInstalled(tool[0])) return true;
  console.log(`${name}: left out, it needs ${tool[0]} (Debian: ${tool[1]})`);
  return false;
}

function writeJson(path: string, { rounds, seconds }: Rounds, results: readonly CaseResult[]): void {
  const text = { date: new Date().toISOString(), cpus: cpus().length, rounds, seconds, results };
  writeFileSync(path, `${JSON.stringify(text, undefined, 2)}\n`);
}
