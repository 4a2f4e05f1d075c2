import { Document, type Element, Text, isTag } from "domhandler";
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
  let insideLinks = 0;
  const outermost = none();
  const open: Measure[] = [outermost];
  let own = outermost;
  walkNodes(tree, {
    enter(node) {
      if (node instanceof Text) {
        const words = countWords(node.data);
        own.words += words;
        if (insideLinks > 0) own.linkWords += words;
      } else if (isTag(node)) {
        open.push((own = none()));
        if (leftOut?.has(node) === true) return false;
        count(node, own);
        if (node.name === "a") insideLinks += 1;
      }
      return true;
    },
    leave(element) {
      const done = own;
      open.pop();
      own = open.at(-1) ?? outermost;
      if (leftOut?.has(element) === true) return;
      if (element.name === "a") insideLinks -= 1;
      measures.set(element, done);
      own.words += done.words;
      own.linkWords += done.linkWords;
      own.links += done.links;
      own.headings += done.headings;
      own.images += done.images;
    },
  });
  if (tree instanceof Document) measures.set(tree, outermost);
  return measures;
}

function none(): Measure {
  return { words: 0, linkWords: 0, links: 0, headings: 0, images: 0 };
}

function count({ name }: Element, own: Measure): void {
  if (name === "a") own.links = 1;
  else if (name === "img") own.images = 1;
  else if (name.length === 2 && name.startsWith("h") && name !== "hr") own.headings = 1;
}
