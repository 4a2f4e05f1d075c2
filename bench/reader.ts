/** `npm run bench -- reader`: how well and how dearly the main content of pages is found, beside each extractor alone. */
import { parseArgs } from "node:util";
import { type Document } from "domhandler";
import { render } from "dom-serializer";
import { parseHTML } from "linkedom";
import { messageOf } from "../src/lib/caught.ts";
import { type ArticleExtractor, type ReaderPage } from "../src/content/extraction/reader/article-extractor.ts";
import { defuddle } from "../src/content/extraction/reader/defuddle.ts";
import { lightDocument } from "../src/content/extraction/reader/light-dom.ts";
import { linkedomDocument } from "../src/content/extraction/reader/linkedom-document.ts";
import { mainRegion } from "../src/content/extraction/reader/main-region.ts";
import { metadataOf } from "../src/content/extraction/reader/metadata.ts";
import { articleOf, readArticle } from "../src/content/extraction/reader/read-article.ts";
import { readability } from "../src/content/extraction/reader/readability.ts";
import { readerPage } from "../src/content/extraction/reader/reader-page.ts";
import { dropTitleHeading } from "../src/content/extraction/reader/title.ts";
import { copyTree } from "../src/content/extraction/reader/tree-copy.ts";
import { blockText, bodyOf, wordsIn } from "../src/content/extraction/reader/words.ts";
import { parseTree } from "../src/content/extraction/tree.ts";
import { type CorpusPage, mean, readerCorpus, tokenF1 } from "../src/content/testing/reader-corpus.ts";
import { benchOnData } from "./reader-data.ts";
import { aligned, median } from "./support/report.ts";

/** Whole pages of the corpus are smaller than most of the web's: one is made as long as an article page mostly is. */
const LONG_PAGE = "article-long-heavy-page";
const WARM_UP_ROUNDS = 3;
const USAGE = "usage: npm run bench -- reader [--rounds N] [--data DIR [--out FILE]]";

/** Finds the main content of a page's own tree. */
interface Contestant {
  readonly name: string;
  find(tree: Document, url: string): Document | undefined;
}

const alone =
  (extractor: ArticleExtractor): Contestant["find"] =>
  (tree, url) => {
    const page = pageOf(tree, url);
    // The page as it came, but for scripts and what is hidden: the others get no help of ours.
    const article = extractor({ ...page, tree })?.tree;
    if (article !== undefined) dropTitleHeading(article, page.title);
    return article;
  };

/** The rule of two extractors as it is without anything of our own: 40 % of the body's words, 1.5 times more. */
const twoExtractors: ArticleExtractor = (page) => {
  const first = readability(page);
  const kept = first === undefined ? 0 : wordsIn(first.tree);
  if (first !== undefined && kept >= page.words * 0.4) return first;
  const second = defuddle(page);
  return second !== undefined && wordsIn(second.tree) > kept * 1.5 ? second : first;
};

const CONTESTANTS: readonly Contestant[] = [
  { name: "turnpike", find: (tree, url) => articleOf(tree, url).article.tree },
  { name: "readability + defuddle", find: alone(twoExtractors) },
  { name: "readability", find: alone(readability) },
  { name: "defuddle", find: alone(defuddle) },
  { name: "main region", find: alone(mainRegion) },
  {
    name: "whole body",
    find: (tree) => copyTree(bodyOf(tree), ({ name }) => name !== "script" && name !== "style" && name !== "noscript"),
  },
];

export function runReaderBench(args: readonly string[]): Promise<number> {
  let rounds: number;
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { rounds: { type: "string", default: "5" }, data: { type: "string" }, out: { type: "string" } },
    });
    if (values.data !== undefined) {
      benchOnData(values.data, values.out);
      return Promise.resolve(0);
    }
    rounds = Number(values.rounds);
    if (!Number.isInteger(rounds) || rounds < 1)
      throw new RangeError(`--rounds takes a number, not "${values.rounds}"`);
  } catch (error) {
    console.error(`${messageOf(error)}\n${USAGE}`);
    return Promise.resolve(2);
  }
  const corpus = readerCorpus();
  printScores(corpus, rounds);
  const long = corpus.find(({ name }) => name === LONG_PAGE);
  if (long !== undefined) printSteps(long, rounds);
  return Promise.resolve(0);
}

function printScores(corpus: readonly CorpusPage[], rounds: number): void {
  const types = [...new Set(corpus.map(({ type }) => type))];
  const lines = CONTESTANTS.map((contestant) => {
    const scores = corpus.map(({ type, html, url, text }) => {
      const found = contestant.find(parseTree(html), url);
      return { type, f1: found === undefined ? 0 : tokenF1(blockText(found), text) };
    });
    const ofType = types.map((type) => mean(scores.filter((score) => score.type === type).map(({ f1 }) => f1)));
    const cpu = cpuMs(rounds, () => {
      for (const { html, url } of corpus) contestant.find(parseTree(html), url);
    });
    return [
      contestant.name,
      ...ofType.map(decimals),
      decimals(mean(scores.map(({ f1 }) => f1))),
      (cpu / corpus.length).toFixed(1),
    ];
  });
  const size = mean(corpus.map(({ html }) => html.length)) / 1000;
  console.log(
    `token F1 on ${corpus.length} pages of our own making; CPU-ms a page of ${size.toFixed(0)} kB, parsing included`,
  );
  console.log(aligned([["extractor", ...types, "all", "CPU-ms"], ...lines]).join("\n"));
}

/** What the steps of one long article cost. */
function printSteps({ html, url }: CorpusPage, rounds: number): void {
  const page = pageOf(parseTree(html), url);
  const steps: readonly (readonly [string, () => void])[] = [
    ["parse", () => void parseTree(html)],
    ["parse, prune, survey", () => void pageOf(parseTree(html), url)],
    ["light document", () => void lightDocument(page.tree, url)],
    ["linkedom, node by node", () => void linkedomDocument(page.tree, url)],
    ["linkedom, from text", () => void parseHTML(render(page.tree))],
    ["readability", () => void readability(page)],
    ["defuddle", () => void defuddle(page)],
    ["everything, with Markdown", () => void readArticle(parseTree(html), url)],
  ];
  console.log(
    `\nCPU-ms of the steps for ${LONG_PAGE} (${(html.length / 1000).toFixed(0)} kB, ${page.weight.elements} elements kept)`,
  );
  console.log(aligned(steps.map(([name, run]) => [name, cpuMs(rounds * 3, run).toFixed(2)])).join("\n"));
}

function pageOf(tree: Document, url: string): ReaderPage {
  const metadata = metadataOf(tree);
  return readerPage(tree, url, metadata);
}

/** The median of some rounds, after some that count for nothing. */
function cpuMs(rounds: number, run: () => void): number {
  const taken: number[] = [];
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    if (round >= 0) taken.push((user + system) / 1000);
  }
  return median(taken);
}

function decimals(value: number): string {
  return value.toFixed(3);
}
