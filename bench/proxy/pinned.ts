/**
 * Measures the proxy alone on one CPU, load and origin on the other, so that only the proxy's cost is measured. The
 * CPU time includes all its processes and threads. The proxies take turns; a ratio is the median of the ratios of all
 * rounds.
 */
import { type Children, type Surroundings } from "../support/children.ts";
import { type Rounds } from "../support/options.ts";
import { pinnedGroups } from "../support/pinned-groups.ts";
import { aligned, type CaseResult, failureLine, median, noise, type Sample, summarise } from "../support/report.ts";
import { type Contestant, measureSurvivors, warmUp } from "../support/rounds.ts";
import { type Case } from "./cases.ts";
import { contestantsOf, openSetup, type OpenSetup } from "./contestants.ts";
import { CALL_GROUPS, countCalls, parseAllocated, parseCollections, TELLS_BYTES, TELLS_COLLECTIONS } from "./counts.ts";
import { RELAY } from "./proxies/relay.ts";
import { SUBJECT } from "./proxies.ts";
import { type Proxy } from "./proxy.ts";
import { type SetupName } from "./setups.ts";

/** Connections of the load of each program before the first case with its path. With one connection it would last longer. */
const WARM_UP_CONNECTIONS = 64;
/** Seconds of load for counting system calls, and again for collections. */
const COUNT_SECONDS = 2;
const MOST_LOG = 16 * 1024 * 1024;
const MICROSECONDS = 1_000_000;
/** The program with which the others are compared, if it runs. */
const MARK = "nginx";

export interface PinnedOptions extends Rounds {
  readonly cases: readonly Case[];
  readonly peers: readonly Proxy[];
  /** Counts system calls and allocations too. */
  readonly counts: boolean;
}

export async function measurePinned(children: Children, options: PinnedOptions): Promise<CaseResult[]> {
  console.log("each proxy alone on a CPU; load and origin on another");
  console.log(`${options.rounds} rounds of ${options.seconds} s in turn after a warm-up; access logs off\n`);
  const results: CaseResult[] = [];
  for (const setup of new Set(options.cases.map((one) => one.setup))) {
    const group = children.group();
    const cases = options.cases.filter((one) => one.setup === setup);
    results.push(...(await measureSetup(group, setup, { ...options, cases })));
    await group.close();
  }
  if (results.some(({ rows }) => rows.length > 0)) console.log(noise(results));
  return results;
}

async function measureSetup(children: Children, setup: SetupName, options: PinnedOptions): Promise<CaseResult[]> {
  const groups = pinnedGroups(children);
  const { load } = groups;
  const opened = await openSetup(groups, setup, [SUBJECT, ...options.peers]);
  const telling = options.counts ? await openTelling(children, setup, opened) : undefined;
  console.log(`origin: ${opened.origin.program}\n`);
  const results: CaseResult[] = [];
  const warm = new Set<string>();
  for (const one of options.cases) {
    const contestants = contestantsOf(load, one, opened);
    await warmUpFor(load, one, opened, warm);
    const { samples, failures } = await measureSurvivors(contestants, options);
    const result = summarise(one, { samples, failures: new Map([...opened.failures, ...failures]) }, SUBJECT.name);
    console.log(`${costTable(result)}\n`);
    results.push(result);
    if (telling === undefined) continue;
    const alive = contestants.filter(({ name }) => !failures.has(name));
    const bytes = contestantsOf(load, one, { ...opened, proxies: telling.bytes });
    const collections = contestantsOf(load, one, { ...opened, proxies: telling.collections });
    console.log(`${await countTable(load, { contestants: alive, bytes, collections, samples })}\n`);
  }
  return results;
}

/** Loads all programs of a case, unless they were loaded with its path before. */
async function warmUpFor(children: Children, one: Case, opened: OpenSetup, warm: Set<string>): Promise<void> {
  const { client } = one;
  const key = client.kind + ("path" in client ? client.path : "");
  if (warm.has(key)) return;
  warm.add(key);
  const load = client.kind === "wrk" ? { ...one, client: { ...client, connections: WARM_UP_CONNECTIONS } } : one;
  // A program that fails here also fails in its case, which reports it.
  for (const program of contestantsOf(children, load, opened)) await warmUp(program).catch(() => undefined);
}

/** A second start of the programs that use the runtime, so that they report their memory use. */
interface Telling {
  readonly collections: OpenSetup["proxies"];
  readonly bytes: OpenSetup["proxies"];
}

async function openTelling(children: Children, setup: SetupName, opened: OpenSetup): Promise<Telling> {
  const names = new Set(opened.proxies.map(({ name }) => name));
  const asked = [SUBJECT, RELAY].filter(({ name }) => names.has(name));
  const start = async (env: NonNullable<Surroundings["env"]>): Promise<OpenSetup["proxies"]> =>
    (await openSetup(pinnedGroups(children, { mostOutput: MOST_LOG, env }), setup, asked)).proxies;
  return { collections: await start(TELLS_COLLECTIONS), bytes: await start(TELLS_BYTES) };
}

function costTable({ name, about, rows, samples, failures }: CaseResult): string {
  const lines = rows.map(({ program, spread, ratio, requestsPerSecond }) => {
    const own = samples.filter((sample) => sample.program === program);
    const micros = (of: (sample: Sample) => number): string =>
      median(own.map((sample) => (MICROSECONDS * of(sample)) / sample.requests)).toFixed(1);
    return [
      program,
      micros(({ userSeconds, systemSeconds }) => userSeconds + systemSeconds),
      micros(({ userSeconds }) => userSeconds),
      micros(({ systemSeconds }) => systemSeconds),
      toMark(own, samples),
      Number.isNaN(ratio) ? "-" : ratio.toFixed(2),
      `${(spread * 100).toFixed(0)} %`,
      Math.round(requestsPerSecond).toLocaleString("en-US"),
    ];
  });
  const titles = ["program", "us/req", "user", "system", `it/${MARK}`, `${SUBJECT.name}/it`, "spread", "req/s"];
  const failed = Object.entries(failures).map(([program, reason]) => failureLine(program, reason));
  return [`${name}: ${about}`, ...aligned([titles, ...lines]), ...failed].join("\n");
}

/** Requests per CPU-second, divided by those of the mark in the same round. */
function toMark(own: readonly Sample[], all: readonly Sample[]): string {
  const marks = new Map(all.filter(({ program }) => program === MARK).map((sample) => [sample.round, sample]));
  if (marks.size === 0) return "-";
  const ratios = own.map(
    (sample) => sample.requestsPerCpuSecond / (marks.get(sample.round)?.requestsPerCpuSecond ?? Number.NaN),
  );
  return median(ratios).toFixed(2);
}

interface Counted {
  readonly contestants: readonly Contestant[];
  /** Contestants that report allocations, and contestants that report collections. */
  readonly bytes: readonly Contestant[];
  readonly collections: readonly Contestant[];
  readonly samples: readonly Sample[];
}

/** All counts per request. */
async function countTable(children: Children, counted: Counted): Promise<string> {
  const lines: string[][] = [];
  for (const contestant of counted.contestants) {
    const { name, pid } = contestant;
    let requests = 0;
    const drive = async (): Promise<void> => {
      ({ requests } = await contestant.drive(COUNT_SECONDS));
    };
    const calls = await countCalls(children, pid, drive);
    const each = (count = 0): string => (count / requests).toFixed(2);
    const called = CALL_GROUPS.map((group) => (calls.size === 0 ? "-" : each(calls.get(group))));
    const own = counted.samples.filter(({ program }) => program === name);
    const faults = median(own.map((sample) => sample.pageFaults / sample.requests)).toFixed(3);
    const bytes = await told(counted.bytes, name, parseAllocated);
    const collections = await told(counted.collections, name, parseCollections);
    const between = collections === undefined || collections === 0 ? "-" : (1 / collections).toFixed(0);
    lines.push([name, ...called, faults, bytes?.toFixed(0) ?? "-", between]);
  }
  const titles = ["per request", ...CALL_GROUPS, "page faults", "bytes allocated", "requests a collection"];
  return aligned([titles, ...lines]).join("\n");
}

/** The result of `parse` per request, from the log of a drive; undefined if the program reports nothing. */
async function told(
  tellers: readonly Contestant[],
  name: string,
  parse: (log: string) => number,
): Promise<number | undefined> {
  const teller = tellers.find((one) => one.name === name);
  if (teller?.output === undefined) return undefined;
  await teller.drive(1);
  const before = teller.output().length;
  const { requests } = await teller.drive(COUNT_SECONDS);
  return parse(teller.output().slice(before)) / requests;
}
