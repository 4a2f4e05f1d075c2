/**
 * The quality of ranking on documentation that Debian packages. The pages are not part of the project: install the
 * packages, or unpack them and name the folder by `--docs`.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toIndexPage } from "../../src/content/extraction/index-page.ts";
import { parseTree } from "../../src/content/extraction/tree/tree.ts";
import { PageIndex, type NewPage } from "../../src/content/search/index/page-index.ts";
import { type Ranking, RANKING } from "../../src/content/search/index/ranking.ts";

/** A set of pages, with its package and the folder of its pages. `NAME.tsv` has the queries, each with the right pages. */
interface DocumentSet {
  readonly name: string;
  readonly package: string;
  readonly folder: string;
}

const SETS: readonly DocumentSet[] = [
  {
    name: "postgresql",
    package: "postgresql-doc-15",
    folder: "usr/share/doc/postgresql-doc-15/html",
  },
  // Its queries were written after the parameters were chosen.
  { name: "git", package: "git-doc", folder: "usr/share/doc/git-doc" },
  { name: "python", package: "python3.11-doc", folder: "usr/share/doc/python3.11/html" },
  ...["de", "fr", "es"].map((language) => ({
    name: `libreoffice-${language}`,
    package: `libreoffice-help-${language}`,
    folder: `usr/share/libreoffice/help/${language}/text`,
  })),
];

/** Indexes of keywords and notes on releases are left out, because no query asks for them. */
const LEFT_OUT = /genindex|py-modindex|bookindex|RelNotes/;

const ABLATIONS: readonly (readonly [name: string, ranking: Partial<Ranking>])[] = [
  ["all", {}],
  ["without weight of titles", { weights: [1, 4, 1, 2], titleGain: 0 }],
  ["without weight of headings", { weights: [4, 1, 1, 2] }],
  ["without weight of addresses", { weights: [4, 4, 1, 0] }],
  ["without stems", { stems: false }],
  ["without corrections", { corrections: false }],
  ["whole pages instead of passages", { passageLength: 1_000_000 }],
  [
    "plain FTS5, any word",
    { weights: [1, 0, 1, 0], titleGain: 0, passageLength: 1_000_000, stems: false, corrections: false },
  ],
];

const SHOWN = 10;

/** Prints MRR@10 and times for each set that is there, with each part of ranking left out once. */
export async function measureRanking(root: string): Promise<void> {
  for (const set of SETS) {
    const pages = await pagesOf(join(root, set.folder)).catch(() => []);
    if (pages.length === 0) {
      console.log(
        `${set.name}: no pages; install ${set.package}, or name the folder of the unpacked package by --docs`,
      );
      continue;
    }
    const queries = queriesOf(set.name);
    console.log(`${set.name}: ${pages.length} pages, ${queries.length} queries`);
    for (const [name, change] of ABLATIONS) measure(name, { ...RANKING, ...change }, pages, queries);
  }
}

interface Query {
  readonly text: string;
  readonly right: ReadonlySet<string>;
}

function queriesOf(name: string): Query[] {
  const lines = readFileSync(new URL(`${name}.tsv`, import.meta.url), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => {
    const [text = "", right = ""] = line.split("\t");
    return { text, right: new Set(right.split(" ").map(urlOf)) };
  });
}

function urlOf(page: string): string {
  return `https://docs.test/${page}`;
}

async function pagesOf(folder: string): Promise<NewPage[]> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".html"));
  const pages: NewPage[] = [];
  for (const file of files.filter((name) => !LEFT_OUT.test(name)).toSorted()) {
    const url = urlOf(file.slice(0, -".html".length));
    const { content, title, language } = toIndexPage(parseTree(await Bun.file(join(folder, file)).text()), url);
    pages.push({ url, title, text: content, language, site: undefined });
  }
  return pages;
}

function measure(name: string, ranking: Ranking, pages: readonly NewPage[], queries: readonly Query[]): void {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-ranking-"));
  const index = PageIndex.open(join(folder, "index.db"), Date.now, ranking);
  for (const page of pages) index.put(page);
  let reciprocals = 0;
  const times: number[] = [];
  for (const { text, right } of queries) {
    const before = process.cpuUsage();
    const found = index.search({ query: text, count: SHOWN });
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
    const rank = found.findIndex(({ url }) => right.has(url));
    reciprocals += rank < 0 ? 0 : 1 / (rank + 1);
  }
  times.sort((a, b) => a - b);
  const mrr = (reciprocals / queries.length).toFixed(3);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
  console.log(`  ${name.padEnd(34)} MRR@${SHOWN} ${mrr}  p50 ${at(0.5)} CPU-ms  p95 ${at(0.95)} CPU-ms`);
  index.close();
  rmSync(folder, { recursive: true });
}
