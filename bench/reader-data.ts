/** `npm run bench -- reader --data DIR`: word F1 and CPU time on pages of the WCXB data set. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extract } from "../src/content/extraction/extract.ts";
import { type ExtractionJob } from "../src/content/extraction/tree/extraction.ts";
import { mean } from "../src/content/testing/reader-corpus.ts";
import { decodeBody } from "../src/content/encoding/decode.ts";
import { plainText } from "../src/content/extraction/plain-text.ts";
import { scriptSigns } from "../src/content/extraction/script-signs.ts";
import { parseTree } from "../src/content/extraction/tree/tree.ts";
import { aligned } from "./support/report.ts";

/** A page of the data set, with the main content that people marked. */
export interface DataPage {
  readonly id: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly url: string;
  readonly domain: string;
  readonly type: string;
  readonly wanted: string;
  /** The title, the author and the day as the data set has them. Empty if they are missing. */
  readonly about: { readonly title: string; readonly author: string; readonly day: string };
}

interface Truth {
  /** Absent for some pages. */
  readonly url?: string;
  readonly _internal: { readonly page_type: { readonly primary: string } };
  readonly ground_truth: {
    readonly main_content?: string | null;
    readonly url?: string;
    readonly title?: string | null;
    readonly author?: string | null;
    readonly publish_date?: string | null;
  };
}

export function dataPages(data: string, limit = Infinity): DataPage[] {
  // The format of the data set.
  const metadata = JSON.parse(readFileSync(`${data}/metadata.json`, "utf8")) as Record<string, { domain: string }>;
  const ids = readdirSync(`${data}/html`).map((file) => file.replace(/\.html\.gz$/, ""));
  return ids
    .toSorted()
    .slice(0, limit)
    .map((id) => {
      const truth = JSON.parse(readFileSync(`${data}/ground-truth/${id}.json`, "utf8")) as Truth;
      const { ground_truth: wanted, _internal: about } = truth;
      const url = [truth.url, wanted.url].find((one) => URL.canParse(one ?? "")) ?? "https://site.test/";
      return {
        id,
        bytes: Bun.gunzipSync(readFileSync(`${data}/html/${id}.html.gz`)),
        url,
        domain: metadata[id]?.domain ?? new URL(url).hostname.replace(/^www\./, ""),
        type: about.page_type.primary,
        wanted: wanted.main_content ?? "",
        about: {
          title: wanted.title ?? "",
          author: wanted.author ?? "",
          day: (wanted.publish_date ?? "").slice(0, "2026-11-23".length),
        },
      };
    });
}

export interface WordScore {
  readonly f1: number;
  readonly precision: number;
  readonly recall: number;
}

/** Counts as the data set's own program does: runs of letters, digits and underscores, as a bag of words. */
export function wordScore(found: string, wanted: string): WordScore {
  const left = new Map<string, number>();
  const wantedWords = wordsOf(wanted);
  const foundWords = wordsOf(found);
  for (const word of wantedWords) left.set(word, (left.get(word) ?? 0) + 1);
  let same = 0;
  for (const word of foundWords) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    same += 1;
  }
  if (same === 0) return { f1: 0, precision: 0, recall: 0 };
  const [precision, recall] = [same / foundWords.length, same / wantedWords.length];
  return { f1: (2 * precision * recall) / (precision + recall), precision, recall };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** Markdown without markup, addresses and pictures. */
export function wordsOfMarkdown(markdown: string): string {
  return plainText(
    markdown.replace(/!\[(?:[^\]\\]|\\.){0,2000}\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s"[^"\n]*")?\)/g, " "),
  );
}

export function jobOf({ bytes, url }: DataPage): ExtractionJob {
  const contentType = "text/html; charset=utf-8";
  const source = { engine: "static", body: bytes, contentType, finalUrl: url, statusCode: 200, headers: [] } as const;
  return { source: { ...source, complete: true }, task: { kind: "article" }, mayNeedBrowser: false };
}

/** Prints F1, precision and recall by type; `out` gets a line of JSON for each page. */
export function benchOnData(data: string, out: string | undefined): void {
  const rows: (WordScore & { readonly type: string })[] = [];
  const lines: string[] = [];
  const times: number[] = [];
  for (const page of dataPages(data)) {
    const before = process.cpuUsage();
    const outcome = extract(jobOf(page));
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
    const text = outcome.outcome === "content" ? wordsOfMarkdown(outcome.extraction.content) : "";
    const score = wordScore(text, page.wanted);
    rows.push({ type: page.type, ...score });
    if (out !== undefined) lines.push(JSON.stringify({ id: page.id, type: page.type, ...score, text }));
  }
  if (out !== undefined) writeFileSync(out, `${lines.join("\n")}\n`);
  const types = [...new Set(rows.map(({ type }) => type))].toSorted();
  const row = (name: string, of: typeof rows) => [
    name,
    String(of.length),
    ...(["f1", "precision", "recall"] as const).map((key) => mean(of.map((one) => one[key])).toFixed(4)),
  ];
  console.log(
    aligned([
      ["type", "pages", "F1", "precision", "recall"],
      ...types.map((type) =>
        row(
          type,
          rows.filter((one) => one.type === type),
        ),
      ),
      row("all", rows),
    ]).join("\n"),
  );
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(1);
  console.log(
    `CPU-ms a page, bytes to Markdown, one run: median ${at(0.5)}, p90 ${at(0.9)}, mean ${mean(times).toFixed(1)}`,
  );
}

/** Pages of each group whose cost is measured; peers read fewer pages. */
const PAGES_OF_COST = 30;
const PEER_ROUNDS = 2;

interface Reader {
  readonly name: string;
  find(html: string, url: string): unknown;
}

/**
 * Prints the CPU time from bytes to Markdown for pages of median length and for the longest tenth: the best of some
 * rounds. The check whether a page needs a browser is measured alone, on the parsed page.
 */
export function benchCost(data: string, rounds: number, peers: readonly Reader[]): void {
  const bySize = dataPages(data).toSorted((a, b) => a.bytes.length - b.bytes.length);
  const around = (share: number): DataPage[] => {
    const from = Math.floor(bySize.length * share) - PAGES_OF_COST / 2;
    return bySize.slice(from, from + PAGES_OF_COST);
  };
  const groups = [
    ["median pages", around(0.5)],
    ["pages at the 90th percentile of length", around(0.9)],
  ] as const;
  const all = bySize.filter((_page, at) => at % 10 === 0);
  for (let warm = 0; warm < 2; warm += 1) for (const page of all) extract(jobOf(page));
  for (const [name, pages] of groups) {
    const size = mean(pages.map(({ bytes }) => bytes.length)) / 1000;
    const ours = best(rounds, pages, (page) => extract(jobOf(page)));
    const parsed = new Map(pages.map((page) => [page.id, { tree: parsedPage(page), source: jobOf(page).source }]));
    const signs = best(rounds, pages, ({ id }) => {
      const own = parsed.get(id);
      if (own !== undefined) scriptSigns(own.tree, own.source);
    });
    const rows = peers.map((peer) => [
      peer.name,
      ...best(PEER_ROUNDS, pages, ({ bytes, url }) => peer.find(new TextDecoder().decode(bytes), url)),
    ]);
    console.log(`${pages.length} ${name} (${size.toFixed(0)} kB): CPU-ms a page, best of ${rounds} rounds`);
    console.log(
      aligned([["", "median", "mean", "p90"], ["turnpike", ...ours], ["check for a browser", ...signs], ...rows]).join(
        "\n",
      ),
    );
  }
}

function parsedPage({ bytes }: DataPage): ReturnType<typeof parseTree> {
  return parseTree(decodeBody(bytes, "text/html; charset=utf-8"));
}

function best(rounds: number, pages: readonly DataPage[], run: (page: DataPage) => unknown): string[] {
  const least = pages.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, page] of pages.entries()) {
      const before = process.cpuUsage();
      try {
        run(page);
      } catch {
        // If a peer fails on a page, the time until the failure counts.
      }
      const { user, system } = process.cpuUsage(before);
      least[at] = Math.min(least[at] ?? 0, (user + system) / 1000);
    }
  }
  const sorted = least.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(1);
  return [at(0.5), mean(sorted).toFixed(1), at(0.9)];
}
