/** `npm run bench -- reader`: quality and CPU time of the extraction of main content, compared with Readability. */
import { createRequire } from "node:module";
import { parseArgs } from "node:util";
import { Readability } from "@mozilla/readability";
import { type Document } from "domhandler";
import { JSDOM, VirtualConsole } from "jsdom";
import { articleOf } from "../src/content/extraction/reader/read-article.ts";
import { outlineOf } from "../src/content/extraction/reader/outline.ts";
import { bodyOf } from "../src/content/extraction/reader/words.ts";
import { parseTree } from "../src/content/extraction/tree/tree.ts";
import { blockText } from "../src/content/testing/block-text.ts";
import { type CorpusPage, mean, readerCorpus, tokenF1 } from "../src/content/testing/reader-corpus.ts";
import { messageOf } from "../src/lib/caught.ts";
import { benchLanguages } from "./reader-languages.ts";
import { benchNews } from "./reader-news.ts";
import { benchCost, benchOnData } from "./reader-data.ts";
import { aligned, median } from "./support/report.ts";

const WARM_UP_ROUNDS = 3;
const USAGE =
  "usage: npm run bench -- reader [--rounds N] [--languages] [--news [--pages]] [--data DIR [--out FILE] [--cost]]";

// linkedom's own types add global types of the browser to the whole project.
const linkedom = createRequire(import.meta.url)("linkedom") as { parseHTML(html: string): { document: object } };

/** Finds the main content of a page; "" if it finds none. */
export interface Contestant {
  readonly name: string;
  find(html: string, url: string): string;
}

/** The article of Readability as text, with each block on its own line. */
function readabilityOn(document: object): string {
  // Readability's types need the browser's Document.
  const article = new Readability(document as ConstructorParameters<typeof Readability>[0]).parse();
  return article?.content ? blockText(parseTree(article.content)) : "";
}

export const PEERS: readonly Contestant[] = [
  { name: "readability on linkedom", find: (html) => readabilityOn(linkedom.parseHTML(html).document) },
  {
    name: "readability on jsdom",
    find: (html, url) => {
      const { window } = new JSDOM(html, { url, virtualConsole: new VirtualConsole() });
      const text = readabilityOn(window.document);
      window.close();
      return text;
    },
  },
];

const CONTESTANTS: readonly Contestant[] = [
  { name: "turnpike", find: (html, url) => blockText(articleOf(parseTree(html), url).article) },
  ...PEERS,
  { name: "whole body", find: (html) => wholeBody(parseTree(html)) },
];

/** All text except scripts. */
function wholeBody(tree: Document): string {
  const { blocks } = outlineOf(bodyOf(tree));
  return blocks.map(({ text }) => text).join("\n");
}

export function runReaderBench(args: readonly string[]): Promise<number> {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        rounds: { type: "string", default: "5" },
        data: { type: "string" },
        out: { type: "string" },
        cost: { type: "boolean", default: false },
        languages: { type: "boolean", default: false },
        news: { type: "boolean", default: false },
        pages: { type: "boolean", default: false },
      },
    });
    const rounds = Number(values.rounds);
    if (!Number.isInteger(rounds) || rounds < 1)
      throw new RangeError(`--rounds takes a number, not "${values.rounds}"`);
    if (values.languages) benchLanguages();
    else if (values.news) benchNews(values.pages);
    else if (values.data === undefined) printScores(readerCorpus(), rounds);
    else if (values.cost) benchCost(values.data, rounds, PEERS);
    else benchOnData(values.data, values.out);
  } catch (error) {
    console.error(`${messageOf(error)}\n${USAGE}`);
    return Promise.resolve(2);
  }
  return Promise.resolve(0);
}

function printScores(corpus: readonly CorpusPage[], rounds: number): void {
  const types = [...new Set(corpus.map(({ type }) => type))];
  const lines = CONTESTANTS.map((contestant) => {
    const scores = corpus.map(({ type, html, url, text }) => ({ type, f1: tokenF1(contestant.find(html, url), text) }));
    const ofType = types.map((type) => mean(scores.filter((score) => score.type === type).map(({ f1 }) => f1)));
    const cpu = cpuMs(rounds, () => {
      for (const { html, url } of corpus) contestant.find(html, url);
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

/** The median of some rounds, after some warm-up rounds. */
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
