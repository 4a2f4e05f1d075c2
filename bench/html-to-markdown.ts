/** The cost of converting a page to Markdown: CPU milliseconds per megabyte of HTML. */
import { readdirSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { markdownOf } from "../src/content/extraction/markdown/writer.ts";
import { prepare } from "../src/content/extraction/tree/prune.ts";
import { parseTree } from "../src/content/extraction/tree/tree.ts";

const FOLDER = new URL("../src/content/extraction/markdown/testdata/", import.meta.url);
const URL_BASE = "https://site.test/";
/** A typical length of web pages, in characters. */
const PAGE_LENGTH = 300_000;

interface Times {
  parse: number;
  prune: number;
  write: number;
}

/** User and system time of the process so far, in milliseconds. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function convert(html: string): Times {
  const start = cpu();
  const tree = parseTree(html);
  const parsed = cpu();
  prepare(tree, URL_BASE);
  const pruned = cpu();
  markdownOf(tree);
  return { parse: parsed - start, prune: pruned - parsed, write: cpu() - pruned };
}

/** A page of the test data, with its body repeated up to a typical length. */
function longPage(name: string): string {
  const html = readFileSync(new URL(name, FOLDER), "utf8");
  const at = html.indexOf(">", html.indexOf("<body")) + 1;
  return html.slice(0, at) + html.slice(at).repeat(Math.ceil(PAGE_LENGTH / (html.length - at)));
}

const WORDS =
  "the tide rises where the basin is shallow and the wave slows at the bar of sand near the harbour mouth".split(" ");

/** An ordinary page: one third style and script, paragraphs of 60 words in wrappers with many class names. */
function ordinaryPage(): string {
  const style = ".x-12{color:#123;margin:0 auto;padding:1px 2px}\n".repeat(1000);
  const script = JSON.stringify(
    Array.from({ length: 500 }, (_none, id) => ({ id, slug: `a-b-c-${id}`, tags: ["x", "y"] })),
  );
  const paragraphs = Array.from({ length: 250 }, (_none, block) => {
    const words = Array.from({ length: 60 }, (_word, at) => WORDS[(at * 7 + block) % WORDS.length]).join(" ");
    return (
      `<div class="article__block u-mb-4 md:u-mb-6" data-block="${block}">${block % 10 === 0 ? `<h2 id="h${block}">Part</h2>` : ""}` +
      `<p class="text-base leading-7 dark:text-gray-200">${words}, <a class="link" href="/topic/${block}">more</a> <b>so</b>.</p></div>\n`
    );
  });
  return `<!doctype html><title>T</title><style>${style}</style><script>state=${script}</script><body>${paragraphs.join("")}`;
}

function average(rounds: number, run: () => Times): Times {
  const sum = { parse: 0, prune: 0, write: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const times = run();
    sum.parse += times.parse / rounds;
    sum.prune += times.prune / rounds;
    sum.write += times.write / rounds;
  }
  return sum;
}

function row(name: string, times: Times, megabytes: number): void {
  const cells = [times.parse, times.prune, times.write, times.parse + times.prune + times.write];
  const texts = cells.map((time) => (time / megabytes).toFixed(1).padStart(8));
  console.log(`${name.padEnd(24)}${texts.join("")}`);
}

/** Flags: `--rounds N`. */
export async function runMarkdownBench(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { rounds: { type: "string", default: "10" } },
  });
  console.log(`${"CPU ms per MB".padEnd(24)}   parse   prune   write     all`);
  const dense = readdirSync(FOLDER).filter((file) => file.endsWith(".html"));
  const pages = [["an ordinary page", ordinaryPage()], ...dense.map((name) => [name, longPage(name)])] as const;
  for (const [name = "", html = ""] of pages) {
    const megabytes = html.length / 1_000_000;
    average(10, () => convert(html));
    const times = average(Number(values.rounds), () => convert(html));
    row(name, times, megabytes);
  }
  return 0;
}
