import { type AnyNode, type Document, type Element, isTag, isText } from "domhandler";
import { type PageSource } from "../../page/page.ts";
import { countWords } from "../reader/words.ts";
import { isFolded } from "../tree/hidden.ts";
import { walkNodes } from "../tree/walk.ts";
import { pageTitle } from "../tree/page-title.ts";

/** Maximum number of characters of a page's text that are read, since an obstacle is short. */
const MAX_TEXT = 12_000;
/**
 * Maximum number of words of a challenge, which is a few sentences, and of a page without content. A page with more
 * words has content, or is a consent dialog.
 */
export const MANY_WORDS = 220;
/** Maximum number of characters of a page's source that are read. Challenges identify themselves early. */
const MAX_HTML = 200_000;

const UNSEEN = new Set(["script", "style", "template", "noscript", "head", "svg", "iframe", "object", "canvas"]);

/** The facts by which obstacles are recognised. */
export interface PageFacts {
  /** The beginning of the document's source. */
  readonly html: string;
  readonly title: string;
  /** The visible text with white space folded, up to MAX_TEXT characters. */
  readonly text: string;
  /** Words of the text. In scripts without spaces, each character is a word. */
  readonly words: number;
  readonly source: PageSource;
}

/** The facts of a page, in linear time. */
export function pageFacts(tree: Document, html: string, source: PageSource): PageFacts {
  const text = seenText(tree);
  return { html: html.slice(0, MAX_HTML), title: pageTitle(tree), text, words: countWords(text), source };
}

/**
 * The visible text of a part of a page, without hidden elements. White space is folded. Up to MAX_TEXT characters.
 */
export function seenText(root: AnyNode): string {
  let text = "";
  walkNodes(root, {
    enter(node) {
      if (isText(node)) text += `${node.data} `;
      // Stops the walk when the text is long enough.
      if (text.length > MAX_TEXT * 2) return "stop";
      return !isTag(node) || !isUnseen(node);
    },
  });
  return text.replace(/\s+/g, " ").trim().slice(0, MAX_TEXT);
}

/** Whether an element and its content are not visible. */
export function isUnseen(element: Element): boolean {
  const { name, attribs } = element;
  // A component's shadow tree is written as a template, but is visible.
  if (name === "template" && attribs["shadowrootmode"] !== undefined) return false;
  return UNSEEN.has(name) || isFolded(element);
}
