/** Reads the project's Markdown documents. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";

export const ROOT = join(import.meta.dir, "../..");

export const DOCUMENTS: readonly string[] = [
  ...new Glob("*.md").scanSync(ROOT),
  ...new Glob("docs/**/*.md").scanSync(ROOT),
].toSorted();

/** Documents that lie beside the code. */
export const FOLDER_DOCUMENTS: readonly string[] = [
  ...new Glob("{client,examples,src,test,tools}/**/*.md").scanSync(ROOT),
]
  .filter((path) => !/node_modules|testdata/.test(path))
  .toSorted();

export function readDocument(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** A fenced block; `language` is what follows the fence. */
export interface Block {
  readonly language: string;
  readonly text: string;
}

/** Every fenced block, in order. */
export function blocksOf(document: string): Block[] {
  return [...document.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = "", text = ""]) => ({
    language,
    text,
  }));
}

/** The document without its fenced blocks. */
export function proseOf(document: string): string {
  return document.replace(/^```\w*\n[\s\S]*?^```$/gm, "");
}

/** The texts between backticks in the prose. */
export function codeOf(document: string): string[] {
  return [...proseOf(document).matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
}

/** The first block of the language that contains `part`. Throws if it does not exist. */
export function blockWith(document: string, language: string, part: string): string {
  const block = blocksOf(document).find(
    (candidate) => candidate.language === language && candidate.text.includes(part),
  );
  if (block === undefined) throw new Error(`Cannot find a ${language} block that holds "${part}"`);
  return block.text;
}

/** A metric of docs/metrics.md. */
export interface DocumentedMetric {
  readonly name: string;
  readonly type: string;
  /** The text of its labels; empty if it has no labels. */
  readonly labels: string;
}

/** The metrics that docs/metrics.md lists, in order. */
export function documentedMetrics(): DocumentedMetric[] {
  const items = readDocument("docs/metrics.md").replaceAll(/\n {2}/g, " ");
  return [...items.matchAll(/^- `(turnpike_[^`]+)` \(([a-z, ]+)(?:; (.+?))?\): /gm)].map(
    ([, name = "", type = "", labels = ""]) => ({ name, type, labels }),
  );
}

/** The cells of every table row whose first cell begins with `start`. */
export function rowsOf(document: string, start: string): string[][] {
  return document
    .split("\n")
    .filter((line) => line.startsWith(`| ${start}`))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}
