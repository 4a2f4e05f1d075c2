import { type Document, type Element, isTag } from "domhandler";
import { textContent } from "domutils";
import { type ReaderPage, type TreeWeight } from "./article-extractor.ts";
import { copyTree } from "./tree-copy.ts";
import { countWords, walkNodes } from "./words.ts";

/** What shows nothing, or nothing of the page's own. */
const NOT_CONTENT = new Set(
  "script style template noscript svg iframe object embed canvas audio video link input select textarea button dialog".split(
    " ",
  ),
);

/** A page for extractors: without what is never content, and measured. */
export function readerPage(tree: Document, url: string): ReaderPage {
  const pruned = copyTree(tree, isShown);
  return { tree: pruned, url, words: countWords(textContent(bodyOf(pruned))), weight: weigh(pruned) };
}

export function bodyOf(tree: Document): Element | Document {
  const html = tree.children.find((node) => isTag(node) && node.name === "html");
  const within = html !== undefined && isTag(html) ? html.children : tree.children;
  return within.find((node): node is Element => isTag(node) && node.name === "body") ?? tree;
}

function isShown({ name, attribs }: Element): boolean {
  if (NOT_CONTENT.has(name)) return false;
  if (attribs["hidden"] !== undefined || attribs["aria-hidden"] === "true" || attribs["aria-modal"] === "true") {
    return false;
  }
  const { style } = attribs;
  return style === undefined || !/(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style);
}

function weigh(tree: Document): TreeWeight {
  let elements = 0;
  let nesting = 0;
  let crowding = 0;
  walkNodes(tree, {
    enter(node, depth) {
      nesting += depth;
      if (isTag(node)) {
        elements += 1;
        crowding += node.children.length ** 2;
      }
      return true;
    },
  });
  return { elements, nesting, crowding };
}
