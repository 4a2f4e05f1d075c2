/** The cost of search: indexing pages, finding them, crawling a site, and merging the results of engines. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ANYWHERE } from "../src/content/egress/guard.ts";
import { Extractor } from "../src/content/extractor/extractor.ts";
import { PageIndex } from "../src/content/search/index/page-index.ts";
import { Sites } from "../src/content/search/index/sites.ts";
import { createSearchService, SEARCH_DEFAULTS } from "../src/content/search/search-service.ts";
import { crawlMadeSite } from "../src/content/search/testing/crawl-made-site.ts";
import { startEngine } from "../src/content/search/testing/engines.ts";
import { startMadeSite } from "../src/content/search/testing/made-site.ts";
import { measureRanking } from "./search/ranking.ts";
import { fractionsOf } from "../src/lib/testing/mulberry32.ts";

const WORDS = 50_000;
const PAGE_WORDS = 600;

/** A random word. Common words are frequent, as in any language (Zipf). */
function word(random: () => number): string {
  return `w${Math.floor(WORDS ** random()).toString(36)}`;
}

function text(random: () => number, count: number): string {
  return Array.from({ length: count }, () => word(random)).join(" ");
}

/** CPU milliseconds of this process, with all threads. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function quantiles(times: number[]): string {
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(2).padStart(8);
  return `p50 ${at(0.5)} ms  p95 ${at(0.95)} ms  p99 ${at(0.99)} ms`;
}

function queries(index: PageIndex, name: string, make: () => string): void {
  const times: number[] = [];
  const before = cpu();
  for (let n = 0; n < 300; n += 1) {
    const query = make();
    const start = performance.now();
    index.search({ query, count: 10 });
    times.push(performance.now() - start);
  }
  const mean = ((cpu() - before) / times.length).toFixed(2).padStart(8);
  console.log(`  query, ${name.padEnd(28)} ${quantiles(times)}  mean ${mean} CPU-ms`);
}

function measureIndex(folder: string, pages: number): void {
  const index = PageIndex.open(join(folder, "made.db"));
  const random = fractionsOf(1);
  let characters = 0;
  let ms = 0;
  let cpuMs = 0;
  for (let n = 0; n < pages; n += 1) {
    const page = {
      url: `https://made.test/${text(random, 2).replace(" ", "/")}/${n}`,
      title: text(random, 8),
      text: text(random, PAGE_WORDS),
      site: undefined,
    };
    characters += page.text.length;
    const start = performance.now();
    const before = cpu();
    index.put(page);
    ms += performance.now() - start;
    cpuMs += cpu() - before;
  }
  const { bytes, pages: kept } = index.stats();
  console.log(`index of ${kept} pages of ${Math.round(characters / pages)} characters:`);
  console.log(
    `  put in                              ${Math.round(pages / (ms / 1000))} pages/s  ${(cpuMs / pages).toFixed(2)} CPU-ms a page`,
  );
  console.log(`  on disk                             ${(bytes / kept / 1024).toFixed(1)} KiB a page`);
  queries(index, "one rare word", () => `w${Math.floor(WORDS * (0.2 + random() * 0.8)).toString(36)}`);
  queries(index, "three words", () => text(random, 3));
  queries(index, "the three commonest words", () => "w1 w2 w3");
  queries(index, "a word that is nowhere", () => `nowhere${random()}`);
  index.close();
}

async function measureCrawl(folder: string): Promise<void> {
  const site = startMadeSite();
  const index = PageIndex.open(join(folder, "crawled.db"));
  const sites = new Sites(index);
  const extractor = new Extractor();
  for (const round of ["first crawl", "again, nothing changed"]) {
    const start = performance.now();
    const before = cpu();
    const { outcomes } = await crawlMadeSite(site, { index, sites, extractor });
    const seconds = (performance.now() - start) / 1000;
    const count = [...outcomes.values()].reduce((sum, outcome) => sum + outcome, 0);
    console.log(
      `crawl of a made site, ${round.padEnd(23)} ${Math.round(count / seconds)} addresses/s  ${((cpu() - before) / count).toFixed(1)} CPU-ms each`,
    );
  }
  extractor.close();
  index.close();
  await site.close();
}

async function measureSearch(folder: string): Promise<void> {
  const engines = [startEngine("searxng"), startEngine("duckduckgo"), startEngine("mojeek")];
  const [searxng, duckduckgo, mojeek] = engines.map(({ endpoint }) => endpoint);
  const extractor = new Extractor();
  const service = createSearchService(
    {
      ...SEARCH_DEFAULTS,
      searxngUrl: searxng ?? "",
      parallel: 3,
      providers: ["searxng", "duckduckgo", "mojeek"],
      endpoints: { duckduckgo: duckduckgo ?? "", mojeek: mojeek ?? "" },
    },
    { stateDir: folder, egress: { policy: ANYWHERE }, extractor, log: console.error },
  );
  const kinds: readonly (readonly [string, number, (n: number) => string])[] = [
    ["three engines merged, 10", 10, (n) => `q${n}`],
    ["three engines merged, 50", 50, (n) => `r${n}`],
    ["from the cache", 10, () => "q0"],
  ];
  for (const [name, count, query] of kinds) {
    const times: number[] = [];
    for (let n = 0; n < 100; n += 1) {
      const start = performance.now();
      await service.search.search({ query: query(n), count, timeoutMs: 30_000 });
      times.push(performance.now() - start);
    }
    console.log(`search, ${name.padEnd(28)}   ${quantiles(times)}`);
  }
  service.close();
  extractor.close();
  for (const engine of engines) await engine.close();
}

/** `npm run bench -- search [--pages N] [--docs DIR] [--ranking]`. Resolves to the exit code. */
export async function runSearchBench(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      pages: { type: "string", default: "20000" },
      // The folder in which the packages with documentation are installed or unpacked.
      docs: { type: "string", default: "/" },
      // Measures only the quality of ranking.
      ranking: { type: "boolean", default: false },
    },
  });
  const folder = mkdtempSync(join(tmpdir(), "turnpike-search-bench-"));
  try {
    if (!values.ranking) {
      measureIndex(folder, Number(values.pages));
      await measureCrawl(folder);
      await measureSearch(folder);
    }
    await measureRanking(values.docs);
    return 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
