import { type Document, isTag, isText } from "domhandler";
import { parseTree } from "../tree/tree.ts";
import { tokens } from "./page-parts.ts";
import { countWords, walkNodes } from "./words.ts";

/** Scripts with data that are read, their characters, and their values. Data beyond these is not read. */
const MAX_SCRIPTS = 20;
const MAX_LENGTH = 2_000_000;
const MAX_VALUES = 100_000;
/** Maximum number of levels of the data. Deeper values are not read. */
const MAX_DEPTH = 40;
/** Maximum number of characters of an article in data. */
const MAX_ARTICLE_LENGTH = 500_000;

/** Minimum number of words of a text that is a paragraph, and of an article. */
const MIN_WORDS_OF_A_TEXT = 8;
const MIN_WORDS = 120;
/** Minimum share of the title's words that an article has. */
const MIN_SHARE_OF_TITLE = 0.5;

/** The types of scripts with data. Code can begin with an assignment of data. */
const DATA_TYPE = /json$/;
const ASSIGNMENT = /^\s{0,99}(?:window|self|globalThis)[.[][\w$."'[\]]{1,80}\s{0,9}=\s{0,9}(?=[[{])/;

const MARKUP = /<(?:p|div|h[1-6]|ul|ol|li|br|blockquote|section|article|figure|table)\b[^<>]{0,1000}>/i;

/**
 * The article in the data of a page's scripts, if it has more than twice the words that the page shows: the texts at one
 * place of the data, such as the paragraphs of a body, that have the most words and the words of the title. A page that
 * shows a log-in form or a notice to the reader may have it only there.
 */
export function dataArticleOf(tree: Document, title: string, shownWords: number): Document | undefined {
  const texts = new Map<string, string[]>();
  const left = { values: MAX_VALUES, length: MAX_ARTICLE_LENGTH };
  for (const data of dataIn(tree)) collect(data, { path: "", depth: 0 }, { texts, left });
  let [best, words]: [readonly string[], number] = [[], 0];
  for (const found of texts.values()) {
    const own = found.reduce((sum, text) => sum + countWords(text), 0);
    if (own > words && hasTitle(found, title)) [best, words] = [found, own];
  }
  return words < Math.max(MIN_WORDS, shownWords * 2) ? undefined : parseTree(best.map(htmlOf).join("\n"));
}

function dataIn(tree: Document): unknown[] {
  const found: unknown[] = [];
  let [scripts, left] = [0, MAX_LENGTH];
  walkNodes(tree, {
    enter(node) {
      if (!isTag(node) || node.name !== "script") return true;
      const [code] = node.children;
      const data = code !== undefined && isText(code) ? dataOf(node.attribs["type"] ?? "", code.data) : undefined;
      if (data === undefined || data.length > left) return true;
      [scripts, left] = [scripts + 1, left - data.length];
      try {
        found.push(JSON.parse(data));
      } catch {
        // It is not JSON.
      }
      return scripts < MAX_SCRIPTS ? true : "stop";
    },
  });
  return found;
}

function dataOf(type: string, code: string): string | undefined {
  if (DATA_TYPE.test(type.trim().toLowerCase())) return code;
  const start = ASSIGNMENT.exec(code)?.[0].length;
  return start === undefined ? undefined : code.slice(start).replace(/;?\s*$/, "");
}

interface At {
  /** The names of the members on the way to the value. All values of a list have the same path. */
  readonly path: string;
  readonly depth: number;
}

interface Collected {
  readonly texts: Map<string, string[]>;
  readonly left: { values: number; length: number };
}

function collect(value: unknown, { path, depth }: At, into: Collected): void {
  const { texts, left } = into;
  if (depth > MAX_DEPTH || left.values <= 0) return;
  left.values -= 1;
  if (typeof value === "string") {
    if (value.length > left.length || countWords(value) < MIN_WORDS_OF_A_TEXT) return;
    left.length -= value.length;
    const found = texts.get(path) ?? [];
    // The same text stands in the data for several parts of a page.
    if (!found.includes(value)) texts.set(path, [...found, value]);
  } else if (typeof value === "object" && value !== null) {
    const inList = Array.isArray(value);
    for (const [name, own] of Object.entries(value)) {
      collect(own, { path: inList ? path : `${path}/${name}`, depth: depth + 1 }, into);
    }
  }
}

function hasTitle(texts: readonly string[], title: string): boolean {
  const wanted = new Set(tokens(title));
  const found = new Set(texts.flatMap((text) => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []));
  let same = 0;
  for (const token of wanted) if (found.has(token)) same += 1;
  return wanted.size > 0 && same >= wanted.size * MIN_SHARE_OF_TITLE;
}

/** A text is HTML, or has one paragraph in each line. Texts can have character references. */
function htmlOf(text: string): string {
  if (MARKUP.test(text)) return text;
  const lines = text.split(/\n+/).filter((line) => line.trim() !== "");
  return lines.map((line) => `<p>${line.replaceAll("<", "&lt;")}</p>`).join("");
}
