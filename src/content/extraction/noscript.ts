import { type Document, type Element, isTag } from "domhandler";
import { textContent } from "domutils";
import { isHidden } from "./tree/hidden.ts";
import { bodyOf, wordsIn } from "./reader/words.ts";
import { replaceChildren } from "./tree/relink.ts";
import { elementsOf } from "./selectors/select-all.ts";
import { parseTree } from "./tree/tree.ts";

/** A shorter `noscript` is a notice or a tracking pixel. In characters of HTML, then in words. */
const MIN_LENGTH = 400;
const MIN_WORDS = 80;

const UNSEEN = new Set(["script", "style", "noscript", "template", "head", "svg", "iframe", "textarea"]);

/**
 * Replaces the longest `noscript` of a page by its content, if that has more words than the visible page. Forums and
 * shops keep their text for crawlers there. Changes the tree. Throws TooManyElements.
 */
export function showNoscript(tree: Document): void {
  let longest: Element | undefined;
  let length = MIN_LENGTH - 1;
  for (const element of elementsOf(tree)) {
    if (element.name !== "noscript" || !isInBody(element)) continue;
    const own = textContent(element).length;
    if (own > length) [longest, length] = [element, own];
  }
  if (longest === undefined) return;
  const content = bodyOf(parseTree(textContent(longest)));
  const words = wordsIn(content);
  if (words < MIN_WORDS || words <= wordsShown(tree)) return;
  longest.name = "div";
  replaceChildren(longest, content.children);
}

function wordsShown(tree: Document): number {
  return wordsIn(tree, (element) => !UNSEEN.has(element.name) && !isHidden(element));
}

/** A `noscript` in the head contains style sheets for browsers without scripts. */
function isInBody({ parent }: Element): boolean {
  return !(parent !== null && isTag(parent) && parent.name === "head");
}
