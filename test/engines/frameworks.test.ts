import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { call } from "../../src/content/testing/client.ts";
import { startTestService } from "../../src/content/testing/service.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { type BuiltPage, startBuiltSite } from "./corpus/built.ts";

// A hundred pages in a browser on a busy machine.
setDefaultTimeout(patient(120_000));

const AT_ONCE = 6;
/** At most one page in this number may miss content, and at most one may use the browser unnecessarily. */
const MISSES = 40;
const NEEDLESS = 20;

interface Read {
  readonly page: BuiltPage;
  readonly engine: string;
  /** Missing words, and words that must not be there. */
  readonly faults: readonly string[];
}

const site = startBuiltSite();
const { service, close } = await startTestService();
const all: Read[] = [];

async function read(page: BuiltPage): Promise<Read> {
  const { status, json } = await call(service, "/scrape", { url: site.url + page.path, format: "text", timeout: 60 });
  // Metadata of the response; a problem document has no metadata.
  const { engine = "none" } = (json["metadata"] ?? {}) as { readonly engine?: string };
  const content = status === 200 ? String(json["content"]).replace(/\s+/g, " ") : "";
  const missing = page.must.filter((words) => !content.includes(words)).map((words) => `no "${words}"`);
  const wrong = page.mustNot.filter((words) => content.includes(words)).map((words) => `has "${words}"`);
  const refused = status === 200 ? [] : [`${status} ${String(json["detail"])}`];
  return { page, engine, faults: [...refused, ...missing, ...wrong] };
}

beforeAll(async () => {
  const waiting = [...site.pages];
  const work = async () => {
    for (let page = waiting.shift(); page !== undefined; page = waiting.shift()) all.push(await read(page));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}, patient(300_000));

afterAll(async () => {
  await close();
  await site.close();
});

test("the corpus has at least 120 pages, made by the frameworks' own tools or by hand", () => {
  expect(site.pages.length).toBeGreaterThanOrEqual(120);
  expect(new Set(site.pages.map(({ path }) => path)).size).toBe(site.pages.length);
});

test("auto returns the words of each page, with at most one exception in 40", () => {
  const missed = all.filter(({ faults }) => faults.length > 0);
  console.log(`${missed.length} of ${all.length} miss words`);
  for (const { page, engine, faults } of missed) console.log(`  ${page.path} (${engine}): ${faults.join("; ")}`);
  expect(missed.length * MISSES).toBeLessThanOrEqual(all.length);
});

test("auto uses a browser without need on at most one page in 20", () => {
  const needless = all.filter(({ page, engine }) => page.engine === "static" && engine === "browser");
  console.log(`${needless.length} of ${all.length} take a browser without need`);
  for (const { page } of needless) console.log(`  ${page.path}`);
  expect(needless.length * NEEDLESS).toBeLessThanOrEqual(all.length);
});
