/** `npm run bench -- reader --news`: the reader's own pages that are like those of news sites. */
import { readArticle } from "../src/content/extraction/reader/read-article.ts";
import { parseTree } from "../src/content/extraction/tree/tree.ts";
import { countWords } from "../src/content/extraction/reader/words.ts";
import { plainText } from "../src/content/extraction/plain-text.ts";
import { type NewsPage, newsCorpus } from "../src/content/testing/news-corpus.ts";
import { mean } from "../src/content/testing/reader-corpus.ts";
import { type WordScore, wordScore, wordsOfMarkdown } from "./reader-data.ts";
import { aligned } from "./support/report.ts";

interface Row {
  readonly page: NewsPage;
  readonly score: WordScore;
  /** For each kind of text around the article, its words and those that are kept. */
  readonly around: readonly { readonly kind: string; readonly words: number; readonly kept: number }[];
}

/** Prints F1, precision and recall of the pages, then the share of words that are kept of each kind of text around. */
export function benchNews(isVerbose: boolean): void {
  const rows = newsCorpus().map(rowOf);
  const groups = [
    ["trained on", rows.filter(({ page }) => !page.reserved)],
    ["reserved", rows.filter(({ page }) => page.reserved)],
  ] as const;
  console.log(
    aligned([
      ["pages", "", "F1", "precision", "recall"],
      ...groups.map(([name, own]) => [
        name,
        String(own.length),
        meanOf(own, "f1"),
        meanOf(own, "precision"),
        meanOf(own, "recall"),
      ]),
    ]).join("\n"),
  );
  const kinds = [...new Set(rows.flatMap(({ around }) => around.map(({ kind }) => kind)))].toSorted();
  console.log("\nshare of words that are kept");
  console.log(
    aligned([
      ["kind", ...groups.map(([name]) => name)],
      ...kinds.map((kind) => [kind, ...groups.map(([, own]) => shareKept(own, kind))]),
    ]).join("\n"),
  );
  if (!isVerbose) return;
  for (const { page, score, around } of rows) {
    const faults = around.filter(({ kept }) => kept > 0).map(({ kind, words, kept }) => `${kind} ${kept}/${words}`);
    console.log(
      `${page.name.padEnd(16)} ${score.f1.toFixed(3)} ${score.precision.toFixed(3)} ${score.recall.toFixed(3)}  ${faults.join(", ")}`,
    );
  }
}

function meanOf(rows: readonly Row[], key: keyof WordScore): string {
  return mean(rows.map(({ score }) => score[key])).toFixed(4);
}

function shareKept(rows: readonly Row[], kind: string): string {
  const own = rows.flatMap(({ around }) => around.filter((one) => one.kind === kind));
  const sum = (key: "words" | "kept"): number => own.reduce((all, one) => all + one[key], 0);
  return `${((100 * sum("kept")) / Math.max(sum("words"), 1)).toFixed(1)} %`;
}

function rowOf(page: NewsPage): Row {
  const { content } = readArticle(parseTree(page.html), page.url);
  const text = plainText(content).replace(/\s+/g, " ");
  const around = Object.entries(page.around).map(([kind, texts]) => ({
    kind,
    words: texts.reduce((sum, one) => sum + countWords(one), 0),
    kept: texts.reduce((sum, one) => sum + (text.includes(one.replace(/\s+/g, " ")) ? countWords(one) : 0), 0),
  }));
  return { page, score: wordScore(wordsOfMarkdown(content), page.text), around };
}
