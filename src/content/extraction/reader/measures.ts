import { type Document, Element, Text, isTag } from "domhandler";
import { countWords, walkNodes } from "./words.ts";

/** What an element holds, with all in it. */
export interface Measure {
  words: number;
  /** Of them, in links. */
  linkWords: number;
  links: number;
  headings: number;
  images: number;
}

export type Measures = ReadonlyMap<Element | Document, Measure>;

/** Measures every element of a tree in one walk; what is left out counts for nothing. */
export function measure(tree: Document | Element, leftOut?: ReadonlySet<Element>): Measures {
  const measures = new Map<Element | Document, Measure>();
  const of = (node: Element | Document): Measure => {
    let found = measures.get(node);
    if (found === undefined) measures.set(node, (found = { words: 0, linkWords: 0, links: 0, headings: 0, images: 0 }));
    return found;
  };
  let insideLinks = 0;
  of(tree);
  walkNodes(tree, {
    enter(node) {
      if (node instanceof Text) {
        const { parent } = node;
        const words = countWords(node.data);
        if (words > 0 && (parent instanceof Element || parent === tree)) {
          const own = of(parent instanceof Element ? parent : tree);
          own.words += words;
          if (insideLinks > 0) own.linkWords += words;
        }
      } else if (isTag(node)) {
        if (leftOut?.has(node) === true) return false;
        const own = of(node);
        if (node.name === "a") {
          insideLinks += 1;
          own.links += 1;
        } else if (node.name === "img") own.images += 1;
        else if (/^h[1-6]$/.test(node.name)) own.headings += 1;
      }
      return true;
    },
    leave(element) {
      if (leftOut?.has(element) === true) return;
      if (element.name === "a") insideLinks -= 1;
      const { parent } = element;
      if (element === tree || !(parent instanceof Element || parent === tree)) return;
      const own = of(element);
      const above = of(parent instanceof Element ? parent : tree);
      above.words += own.words;
      above.linkWords += own.linkWords;
      above.links += own.links;
      above.headings += own.headings;
      above.images += own.images;
    },
  });
  return measures;
}
