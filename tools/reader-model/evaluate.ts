/** `node scripts/bun.mjs tools/reader-model/evaluate.ts DATA DIR`: word F1 of the Markdown made with cross-validated scores. */
import { readFileSync, writeFileSync } from "node:fs";
import { dataPages, wordScore, wordsOfMarkdown } from "../../bench/reader-data.ts";
import { decodeBody } from "../../src/content/extraction/decode.ts";
import { showLateText } from "../../src/content/extraction/late-text.ts";
import { readArticle } from "../../src/content/extraction/reader/read-article.ts";
import { parseTree } from "../../src/content/extraction/tree.ts";
import { mean } from "../../src/content/testing/reader-corpus.ts";

const [, , data = "", folder = "", limit = "Infinity"] = process.argv;
// train.py's own file.
const scores = JSON.parse(readFileSync(`${folder}/scores.json`, "utf8")) as Record<string, readonly number[]>;
const byType = new Map<string, { f1: number; precision: number; recall: number }[]>();
const lines: string[] = [];
for (const page of dataPages(data, Number(limit))) {
  const own = scores[page.id];
  if (own === undefined) continue;
  const html = decodeBody(page.bytes, "text/html; charset=utf-8");
  const tree = parseTree(html);
  showLateText(tree, html, "static");
  const found = readArticle(tree, page.url, { scores: Float32Array.from(own) });
  const score = wordScore(wordsOfMarkdown(found.content), page.wanted);
  const list = byType.get(page.type) ?? [];
  list.push(score);
  byType.set(page.type, list);
  lines.push(
    JSON.stringify({ id: page.id, type: page.type, ...score, confidence: found.confidence, content: found.content }),
  );
}
writeFileSync(`${folder}/contents.jsonl`, `${lines.join("\n")}\n`);
for (const [type, list] of [...byType, ["all", [...byType.values()].flat()] as const]) {
  const of = (key: "f1" | "precision" | "recall") => mean(list.map((one) => one[key])).toFixed(4);
  console.log(
    `${type.padEnd(14)} ${String(list.length).padStart(5)} F1 ${of("f1")} P ${of("precision")} R ${of("recall")}`,
  );
}
