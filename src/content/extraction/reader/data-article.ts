import { type Document, isText } from "domhandler";
import { elementsOf } from "../selectors/select-all.ts";
import { parseTree } from "../tree/tree.ts";
import { tokens } from "./page-parts.ts";
import { countWords } from "./words.ts";

/** Maximum number of characters of data that are read, of levels of a value, and of characters of a member's name. */
const MAX_LENGTH = 2_000_000;
const MAX_DEPTH = 40;
const MAX_NAME_LENGTH = 40;
/** Minimum number of words of a text that is a paragraph, and of an article. */
const MIN_WORDS_OF_A_TEXT = 8;
const MIN_WORDS = 120;
/** Minimum share of the title's words that an article has. */
const MIN_SHARE_OF_TITLE = 0.5;

/** The assignment of data at the beginning of a script. */
const ASSIGNMENT = /^\s{0,99}(?:window|self|globalThis)[.[][\w$."'[\]]{1,80}\s{0,9}=\s{0,9}(?=[[{])/;

const MARKUP = /<(?:p|div|h[1-6]|ul|ol|li|br|blockquote|section|article|figure|table)\b[^<>]{0,1000}>/i;

/**
 * The article in the data of a page's scripts, if it has more than twice the words that the page shows: the texts at one
 * place of the data, such as the paragraphs of a body, that have the most words and the words of the title. A page that
 * shows a log-in form or a notice to the reader may have it only there.
 */
export function dataArticleOf(tree: Document, title: string, shownWords: number): Document | undefined {
  const found = new Map<string, Set<string>>();
  for (const data of dataIn(tree)) collect(data, "", 0, found);
  let [best, words]: [readonly string[], number] = [[], Math.max(MIN_WORDS, shownWords * 2) - 1];
  for (const texts of found.values()) {
    const own = [...texts].reduce((sum, text) => sum + countWords(text), 0);
    if (own > words && hasTitle(texts, title)) [best, words] = [[...texts], own];
  }
  return best.length === 0 ? undefined : parseTree(best.map(htmlOf).join("\n"));
}

function* dataIn(tree: Document): Generator {
  let left = MAX_LENGTH;
  for (const { name, attribs, children } of elementsOf(tree)) {
    const [code] = children;
    if (name !== "script" || code === undefined || !isText(code) || code.data.length > left) continue;
    const isData = (attribs["type"] ?? "").trim().toLowerCase().endsWith("json");
    const start = isData ? 0 : ASSIGNMENT.exec(code.data)?.[0].length;
    if (start === undefined) continue;
    left -= code.data.length;
    try {
      yield JSON.parse(code.data.slice(start).replace(/;\s*$/, ""));
    } catch {
      // It is not JSON.
    }
  }
}

/** Collects the texts of a value by the names of the members on the way to them. All values of a list have the same path. */
function collect(value: unknown, path: string, depth: number, found: Map<string, Set<string>>): void {
  if (typeof value === "string" && countWords(value) >= MIN_WORDS_OF_A_TEXT) {
    found.set(path, (found.get(path) ?? new Set()).add(value));
  }
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return;
  for (const [name, own] of Object.entries(value)) {
    const inner = Array.isArray(value) ? path : `${path}/${name.slice(0, MAX_NAME_LENGTH)}`;
    collect(own, inner, depth + 1, found);
  }
}

function hasTitle(texts: ReadonlySet<string>, title: string): boolean {
  const words = new Set([...texts].flatMap((text) => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []));
  const wanted = [...new Set(tokens(title))];
  return wanted.length > 0 && wanted.filter((word) => words.has(word)).length >= wanted.length * MIN_SHARE_OF_TITLE;
}

/** A text is HTML, or has one paragraph in each line. Texts can have character references. */
function htmlOf(text: string): string {
  if (MARKUP.test(text)) return text;
  const lines = text.split(/\n+/).filter((line) => line.trim() !== "");
  return lines.map((line) => `<p>${line.replaceAll("<", "&lt;")}</p>`).join("");
}
