/**
 * `npm run bench -- content`: the content service compared with a service made of puppeteer-core, jsdom and turndown.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { browserPrograms } from "../src/content/browser/program/find.ts";
import { CASES, type ContentCase } from "./content/cases.ts";
import { type Child, Children, cpuSecondsOfTree, waitFor } from "./support/children.ts";
import { pick, ROUND_FLAGS, readRounds, type Rounds, usage } from "./support/options.ts";
import { aligned, median } from "./support/report.ts";

interface Contestant {
  readonly name: string;
  readonly child: Child;
  readonly url: string;
}

interface Measured {
  readonly pages: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Latency of each request in milliseconds. */
  readonly latencies: readonly number[];
}

/**
 * Seconds before the first round: the first pages of a browser are slow, and so is a program before its hot code is
 * compiled.
 */
const WARM_UP_SECONDS = 5;

export async function runContentBench(args: readonly string[]): Promise<number> {
  const children = new Children();
  try {
    const { values } = parseArgs({ args: [...args], options: ROUND_FLAGS });
    const cases = pick(CASES, values.only);
    const rounds = readRounds(values);
    const site = await startSite(children);
    const contestants = await startBoth(children);
    for (const one of cases) {
      const results = new Map<string, Measured[]>();
      for (let round = 0; round < rounds.rounds; round++) {
        for (const contestant of contestants) {
          if (round === 0) await drive(contestant, one, site, { seconds: WARM_UP_SECONDS });
          const measured = await drive(contestant, one, site, { seconds: rounds.seconds });
          results.set(contestant.name, [...(results.get(contestant.name) ?? []), measured]);
        }
      }
      console.log(report(one, results, rounds));
    }
    return 0;
  } catch (error) {
    if (!(error instanceof RangeError) && !(error instanceof TypeError)) throw error;
    console.error(`${error.message}\n\n${usage("content", { cases: CASES, peers: [] })}`);
    return 2;
  } finally {
    await children.close();
  }
}

function program(name: string): string {
  return fileURLToPath(new URL(`content/${name}.ts`, import.meta.url));
}

async function start(children: Children, name: string, args: readonly string[]): Promise<Contestant> {
  const child = children.spawn({ name, argv: [process.execPath, program(name), ...args] });
  const port = await waitFor(child, name, async () => /^port (\d+)$/m.exec(child.output())?.[1]);
  return { name, child, url: `http://127.0.0.1:${port}` };
}

async function startSite(children: Children): Promise<string> {
  return (await start(children, "site", [])).url;
}

async function startBoth(children: Children): Promise<readonly Contestant[]> {
  const folder = `${children.folder}/state`;
  for await (const { path, environment } of browserPrograms(undefined, `${folder}/browser`)) {
    const service = await start(children, "service", [folder]);
    const profile = `${children.folder}/puppeteer`;
    const alternative = await start(children, "alternative", [path, profile, JSON.stringify(environment)]);
    return [service, alternative];
  }
  throw new Error("Cannot bench the content service: there is no browser");
}

type Length = Pick<Rounds, "seconds">;

async function drive(
  { child, url }: Contestant,
  one: ContentCase,
  site: string,
  { seconds: length }: Length,
): Promise<Measured> {
  const bodies = one.bodies(site);
  const latencies: number[] = [];
  const cpuBefore = cpuSecondsOfTree(child.pid);
  const startedAt = performance.now();
  let sent = 0;
  const more = () => performance.now() - startedAt < length * 1000;
  const client = async (): Promise<void> => {
    while (more()) {
      const body = bodies[sent++ % bodies.length];
      const from = performance.now();
      const response = await fetch(url + one.path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      const bytes = await response.arrayBuffer();
      if (response.status !== 200) {
        throw new Error(
          `Cannot measure ${one.name}: ${response.status} ${Buffer.from(bytes).toString().slice(0, 300)}`,
        );
      }
      latencies.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: one.concurrency }, client));
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    pages: latencies.length * one.pages,
    seconds,
    cpuSeconds: cpuSecondsOfTree(child.pid) - cpuBefore,
    latencies,
  };
}

function report(
  one: ContentCase,
  results: ReadonlyMap<string, readonly Measured[]>,
  { rounds, seconds }: Rounds,
): string {
  const rate = ({ pages, cpuSeconds, seconds: wall }: Measured): number =>
    one.measure === "wall time" ? pages / wall : pages / Math.max(cpuSeconds, 0.01);
  const rates = [...results].map(([name, samples]) => [name, median(samples.map(rate))] as const);
  const [own, other] = [rates[0]?.[1] ?? 0, rates[1]?.[1] ?? 0];
  const lines = [...results].map(([name, samples]) => {
    const latencies = samples.flatMap((sample) => [...sample.latencies]).toSorted((a, b) => a - b);
    const at = (share: number): string => `${(latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(1)} ms`;
    const perPage = median(samples.map((sample) => (sample.cpuSeconds * 1000) / sample.pages));
    return [name, median(samples.map(rate)).toFixed(1), `${perPage.toFixed(1)} CPU-ms`, at(0.5), at(0.95)];
  });
  const goal = one.goal === undefined ? "" : `, goal ${one.goal}`;
  const unit = one.measure === "wall time" ? "pages/s" : "pages/CPU-s";
  const table = aligned([["", unit, "a page", "p50", "p95"], ...lines]).join("\n");
  return `${one.name}: ${one.about} (${rounds} rounds of ${seconds} s, ${one.concurrency} at a time)\n${table}\nratio ${(own / other).toFixed(2)}${goal}\n`;
}
