import { type AnyNode, type ChildNode, type Element, Text, isTag } from "domhandler";
import { isCommonWord, isPhraseAround } from "./boilerplate.ts";
import { shortText, walkNodes } from "./words.ts";

/** Elements in a line of text. */
const INLINE = new Set("a abbr b button cite em font i mark small span strong sub sup u".split(" "));
/** Elements whose whole text may be a label of a removed button. */
const LABELS = new Set("a button div li p span strong b em small h2 h3 h4 h5 h6 section aside".split(" "));
/** Maximum number of characters of a label. A longer text is not a label. */
const MAX_LABEL_LENGTH = 60;
/** Maximum number of nodes of a label. A larger element is not a label. */
const MAX_NODES_OF_LABEL = 100;
/** Neighbours in a line that are examined. Labels are in short rows. */
const MAX_NEIGHBOURS = 50;
/** Characters between the labels of a row. They do not occur beside a word of a sentence. */
const SEPARATOR = /[|/·•∙>»›▸]/;
/** The minimum share of link text, in characters, in a list of other pages. */
const LINK_SHARE = 0.5;

/**
 * Maximum number of nodes of a list of other pages. Larger elements are not searched, since otherwise each level of a
 * deep tree would be searched.
 */
const MAX_NODES_OF_LIST = 5_000;

const WORD = /[\p{L}\p{N}]/u;

/**
 * Whether an element is the rest of a button, or a link in a row of such links. Its text must be a known label, outside
 * of sentences, lists of other items and headings of a text. If content may also contain the word, the element must be
 * a link.
 */
export function isLabel(element: Element): boolean {
  const { name } = element;
  if (!LABELS.has(name)) return false;
  const text = phraseOf(element);
  if (text === undefined || holdsMore(element)) return false;
  if (/^h\d$/.test(name)) return !hasTextAfter(element);
  if (isCommonWord(text) && !isLinked(element)) return false;
  if (INLINE.has(name) && isInSentence(element)) return false;
  const entry = wholeOf(element);
  return entry.name !== "li" || !isAmongOthers(entry);
}

function phraseOf(element: Element): string | undefined {
  const text = shortText(element, MAX_LABEL_LENGTH);
  return text !== undefined && text !== "" && isPhraseAround(text) ? text : undefined;
}

/** Whether a short text consists of links, or of an element that works as a button. */
function isLinked(element: Element): boolean {
  let isAll = true;
  let nodes = 0;
  walkNodes(element, {
    enter(node) {
      nodes += 1;
      if (node instanceof Text || nodes > MAX_NODES_OF_LABEL) isAll = node instanceof Text && !WORD.test(node.data);
      const isLink = isTag(node) && (node.name === "a" || node.name === "button" || node.attribs["role"] === "button");
      return isAll ? !isLink : "stop";
    },
  });
  return isAll;
}

/** Whether the element's line contains words that are neither links nor labels. */
function isInSentence(element: Element): boolean {
  return hasWordsBeside(element, "prev") || hasWordsBeside(element, "next");
}

function hasWordsBeside(element: Element, way: "prev" | "next"): boolean {
  let node: ChildNode = element;
  for (let looked = 0; looked < MAX_NEIGHBOURS; looked += 1) {
    const next: ChildNode | null = node[way];
    if (next === null) {
      const { parent }: ChildNode = node;
      if (parent === null || !isTag(parent) || !INLINE.has(parent.name)) return false;
      node = parent;
      continue;
    }
    node = next;
    const beside = sideOf(node, way);
    if (beside !== "on") return beside === "words";
  }
  return true;
}

/** The kind of a neighbour in the line: "words"; "end" for the end of the line; "on" if the next neighbour decides. */
function sideOf(node: ChildNode, way: "prev" | "next"): "words" | "end" | "on" {
  if (node instanceof Text) {
    const parts = node.data.split(SEPARATOR);
    const nearest = (way === "next" ? parts[0] : parts.at(-1)) ?? "";
    if (WORD.test(nearest)) return isPhraseAround(nearest) ? "on" : "words";
    return parts.length > 1 ? "end" : "on";
  }
  if (!isTag(node) || !INLINE.has(node.name)) return "end";
  if (isLinked(node)) return "on";
  const text = shortText(node, MAX_LABEL_LENGTH);
  return text !== undefined && (!WORD.test(text) || isPhraseAround(text)) ? "on" : "words";
}

/** The outermost element that contains only this element. */
function wholeOf(element: Element): Element {
  let whole = element;
  for (let { parent } = whole; parent !== null && isTag(parent) && parent.name !== "body"; { parent } = whole) {
    if (parent.children.length > MAX_NEIGHBOURS || !parent.children.every((child) => child === whole || isBlank(child)))
      break;
    whole = parent;
    if (whole.name === "li") break;
  }
  return whole;
}

function isBlank(node: ChildNode): boolean {
  return node instanceof Text && !WORD.test(node.data);
}

/** Whether an entry of a list has a neighbour that is not a label. */
function isAmongOthers(entry: Element): boolean {
  const siblings = entry.parent?.children.slice(0, MAX_NEIGHBOURS) ?? [];
  return siblings.some(
    (other) => isTag(other) && other.name === "li" && hasWords(other) && phraseOf(other) === undefined,
  );
}

function hasWords(root: AnyNode): boolean {
  const text = shortText(root, MAX_LABEL_LENGTH);
  return text === undefined || WORD.test(text);
}

/** Whether an element contains a picture, a table or code. */
function holdsMore(element: Element): boolean {
  let holds = false;
  walkNodes(element, {
    enter(node) {
      holds = isTag(node) && (node.name === "img" || node.name === "table" || node.name === "pre");
      return holds ? "stop" : true;
    },
  });
  return holds;
}

/** Whether text follows a heading before the next heading. */
export function hasTextAfter(heading: Element): boolean {
  for (let { next } = wholeOf(heading); next !== null; { next } = next) {
    if (next instanceof Text && next.data.trim() !== "") return true;
    if (!isTag(next)) continue;
    if (/^h[1-6]$/.test(next.name)) return false;
    if (hasWords(next) && !isMadeOfLinks(next)) return true;
  }
  return false;
}

/**
 * True if at least `LINK_SHARE` of an element's text is in links. False if it has more than `MAX_NODES_OF_LIST` nodes.
 */
export function isMadeOfLinks(element: Element): boolean {
  let all = 0;
  let inLinks = 0;
  let depth = 0;
  let nodes = 0;
  walkNodes(element, {
    enter(node) {
      nodes += 1;
      if (nodes > MAX_NODES_OF_LIST) return "stop";
      if (isTag(node) && node.name === "a") depth += 1;
      else if (node instanceof Text) {
        const { length } = node.data.trim();
        all += length;
        if (depth > 0) inLinks += length;
      }
      return true;
    },
    leave(left) {
      if (left.name === "a") depth -= 1;
    },
  });
  return nodes <= MAX_NODES_OF_LIST && inLinks > 0 && inLinks >= all * LINK_SHARE;
}
