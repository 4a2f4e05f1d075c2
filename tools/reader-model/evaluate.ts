/**
 * `node scripts/bun.mjs tools/reader-model/evaluate.ts DATA DIR [RULE]`: word F1 of the Markdown made with
 * cross-validated scores, and the titles, authors and days that are as in the data; without a rule of rules.ts.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dataPages, wordScore, wordsOfMarkdown } from "../../bench/reader-data.ts";
import { decodeBody } from "../../src/content/encoding/decode.ts";
import { showLateText, showStreamedParts } from "../../src/content/extraction/late-text.ts";
import { metadataOf } from "../../src/content/extraction/reader/metadata.ts";
import { folded } from "../../src/content/extraction/reader/folded.ts";
import { readArticle } from "../../src/content/extraction/reader/read-article.ts";
import { parseTree } from "../../src/content/extraction/tree/tree.ts";
import { mean } from "../../src/content/testing/reader-corpus.ts";

/** The same value as in train.py. */
const HELD_FOLD = 6;
const [, , data = "", folder = "", without = ""] = process.argv;
// A file that train.py wrote.
const scores = JSON.parse(readFileSync(`${folder}/scores.json`, "utf8")) as Record<string, readonly number[]>;
const held = new Set(
  readFileSync(`${folder}/pages.jsonl`, "utf8")
    .trim()
    .split("\n")
    // A file that dump.ts wrote.
    .map((line) => JSON.parse(line) as { readonly id: string; readonly fold: number })
    .filter(({ fold }) => fold === HELD_FOLD)
    .map(({ id }) => id),
);
const byType = new Map<string, { f1: number; precision: number; recall: number }[]>();
const lines: string[] = [];
/** Articles that declare themselves to be news. */
const news: { f1: number; precision: number; recall: number }[] = [];
const NEWS = /NewsArticle$/;
/** For each kind of metadata, the number of pages by the comparison with the data. */
const compared = {
  title: new Map<string, number>(),
  author: new Map<string, number>(),
  day: new Map<string, number>(),
};
/** Upper ends of the ranges of the confidence. */
const ENDS = [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.01];
const trusted = ENDS.map((): { readonly expected: number; readonly f1: number }[] => []);
for (const page of dataPages(data)) {
  const own = scores[page.id];
  if (own === undefined) continue;
  const html = decodeBody(page.bytes, "text/html; charset=utf-8");
  const tree = parseTree(html);
  showStreamedParts(tree, html, "static");
  showLateText(tree, html, "static");
  const found = readArticle(tree, page.url, { scores: Float32Array.from(own), without });
  const { title, byline = "", published = "" } = found;
  compare(compared.title, title, page.about.title);
  compare(compared.author, byline, page.about.author);
  compare(compared.day, published.slice(0, page.about.day.length || undefined), page.about.day);
  const score = wordScore(wordsOfMarkdown(found.content), page.wanted);
  const group = held.has(page.id) ? "held back" : page.type;
  const list = byType.get(group) ?? [];
  list.push(score);
  byType.set(group, list);
  if (page.type === "article" && [...metadataOf(tree).types.keys()].some((type) => NEWS.test(type))) news.push(score);
  const range = ENDS.findIndex((end) => found.confidence !== undefined && found.confidence < end);
  if (page.wanted !== "") trusted[range]?.push({ expected: found.confidence ?? 0, f1: score.f1 });
  lines.push(
    JSON.stringify({ id: page.id, type: page.type, ...score, confidence: found.confidence, content: found.content }),
  );
}
writeFileSync(`${folder}/contents.jsonl`, `${lines.join("\n")}\n`);
for (const [type, list] of [
  ...byType,
  ["news", news] as const,
  ["all but held", [...byType].flatMap(([group, own]) => (group === "held back" ? [] : own))] as const,
]) {
  const of = (key: "f1" | "precision" | "recall") => mean(list.map((one) => one[key])).toFixed(4);
  console.log(
    `${type.padEnd(14)} ${String(list.length).padStart(5)} F1 ${of("f1")} P ${of("precision")} R ${of("recall")}`,
  );
}
for (const [at, list] of trusted.entries()) {
  const of = (key: "expected" | "f1") => mean(list.map((one) => one[key])).toFixed(3);
  console.log(`confidence below ${ENDS[at] ?? 1}: ${list.length} pages, expected ${of("expected")}, F1 ${of("f1")}`);
}
for (const [name, counts] of Object.entries(compared)) {
  console.log(`${name}: ${[...counts].map(([kind, count]) => `${kind} ${count}`).join(", ")}`);
}

function compare(counts: Map<string, number>, found: string, wanted: string): void {
  const [own, truth] = [folded(found), folded(wanted)];
  const kind =
    own === truth
      ? truth === ""
        ? "none"
        : "same"
      : own === ""
        ? "not found"
        : truth === ""
          ? "not in the data"
          : "other";
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
}
