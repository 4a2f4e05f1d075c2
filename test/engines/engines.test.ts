import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { call } from "../../src/content/testing/client.ts";
import { startTestService } from "../../src/content/testing/service.ts";
import { CORPUS, startCorpus } from "./corpus/corpus.ts";
import { type CorpusPage } from "./corpus/page.ts";
import { patient } from "../../src/lib/testing/patience.ts";

// Hundreds of pages in a browser on a busy machine.
setDefaultTimeout(patient(300_000));

/** The reading of a page by one engine. */
interface Reading {
  readonly engine: string;
  /** The Markdown, or the type of the error. */
  readonly content: string;
  readonly isContent: boolean;
}

interface Judged {
  readonly page: CorpusPage;
  readonly auto: Reading;
  readonly still: Reading;
  readonly browser: Reading;
}

const AT_ONCE = 4;

const site = startCorpus();
const { service, close } = await startTestService();
const judged: Judged[] = [];

beforeAll(async () => {
  const waiting = [...CORPUS];
  const work = async () => {
    for (let page = waiting.shift(); page !== undefined; page = waiting.shift()) judged.push(await judge(page));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}, patient(300_000));

afterAll(async () => {
  await close();
  await site.close();
});

async function read(page: CorpusPage, engine: string): Promise<Reading> {
  const { status, json } = await call(service, "/scrape", { url: site.url + page.path, engine, timeout: 60 });
  // Metadata of the response; a problem document has no metadata.
  const { engine: used = "none" } = (json["metadata"] ?? {}) as { readonly engine?: string };
  const isContent = status === 200;
  return { engine: used, content: String(json[isContent ? "content" : "type"]), isContent };
}

/** The readings of both engines. The page is not read again by the one that `auto` used. */
async function judge(page: CorpusPage): Promise<Judged> {
  const auto = await read(page, "auto");
  const still = auto.engine === "static" ? auto : await read(page, "static");
  const browser = auto.engine === "browser" ? auto : await read(page, "browser");
  return { page, auto, still, browser };
}

function same({ still, browser }: Judged): boolean {
  return still.content === browser.content;
}

function percent(ratio: number): string {
  return `${(ratio * 100).toFixed(1)} %`;
}

/** The first difference between two texts. */
function difference(left: string, right: string): string {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 20), at + 60));
  return `static ${around(left)}, browser ${around(right)}`;
}

test("the corpus has many kinds of pages, each page once", () => {
  expect(CORPUS.length).toBeGreaterThanOrEqual(130);
  expect(new Set(CORPUS.map(({ path }) => path)).size).toBe(CORPUS.length);
});

test("auto serves each page from the expected engine", () => {
  const wrong = judged.filter(({ page, auto }) => auto.isContent && auto.engine !== page.engine);
  expect(wrong.map(({ page, auto }) => `${page.path}: ${auto.engine}`)).toEqual([]);
});

test("both engines give the same Markdown for 99 % of the pages that auto serves from static, which are 80 % of the possible ones", () => {
  // If both find no content, there is nothing to compare.
  const pages = judged.filter(({ still, browser }) => still.isContent || browser.isContent);
  const accepted = pages.filter(({ auto }) => auto.engine === "static");
  const different = accepted.filter((one) => !same(one));
  const could = pages.filter((one) => same(one));
  const refused = could.filter(({ auto }) => auto.engine !== "static");
  const agreement = 1 - different.length / accepted.length;
  const acceptance = 1 - refused.length / could.length;
  console.log(
    [
      `${CORPUS.length} pages, ${pages.length} with content; auto served ${accepted.length} from static`,
      `the same Markdown: ${accepted.length - different.length} of ${accepted.length} = ${percent(agreement)}`,
      `accepted of those it could: ${could.length - refused.length} of ${could.length} = ${percent(acceptance)}`,
      ...different.map((one) => `  different: ${one.page.path}: ${difference(one.still.content, one.browser.content)}`),
      ...refused.map(({ page }) => `  needlessly in a browser: ${page.path}`),
    ].join("\n"),
  );
  expect(agreement).toBeGreaterThanOrEqual(0.99);
  expect(acceptance).toBeGreaterThanOrEqual(0.8);
});
