import { type ChildNode, type Document, Element, Text, isTag } from "domhandler";
import { isBlock } from "../tree/display.ts";
import { replaceChildren } from "../tree/relink.ts";
import { walkNodes } from "../tree/walk.ts";

/** Inline elements that pages often separate from their neighbours by style. */
const BOXES = new Set(["span", "a", "time", "label", "button"]);
/** Elements whose text is kept as it is, and elements that belong to the word before them. */
const VERBATIM = new Set(["pre", "code", "kbd", "samp", "math", "script", "textarea"]);
const ATTACHED = new Set([...VERBATIM, "sup", "sub"]);
/** Maximum number of levels to the text at the edge of an element, and of its characters that are compared. */
const MAX_LEVELS = 6;
const MAX_EDGE = 8;

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/**
 * Adds the spaces between words that only a style separates, as in `<span>3 beds</span><span>2.5 baths</span>` or
 * between two links. Parts of one word, such as a first letter in its own element, stay together.
 */
export function separateWords(tree: Document): void {
  walkNodes(tree, {
    enter(node) {
      if (!isTag(node)) return true;
      if (VERBATIM.has(node.name)) return false;
      const { children } = node;
      if (children.some((child, at) => isJoined(children[at - 1], child))) {
        const spaced = children.flatMap((child, at) =>
          isJoined(children[at - 1], child) ? [new Text(" "), child] : [child],
        );
        replaceChildren(node, spaced);
      }
      return true;
    },
  });
}

/** Whether two neighbours show two words without a space between. */
function isJoined(before: ChildNode | undefined, after: ChildNode): boolean {
  if (before === undefined || (before instanceof Text && after instanceof Text)) return false;
  if (isPicture(before) && after instanceof Text) return /^[\p{Lu}\p{N}]/u.test(after.data);
  if (!isTextOrBox(before) || !isTextOrBox(after)) return false;
  const left = edgeOf(before, -1).slice(-MAX_EDGE);
  const right = edgeOf(after, 0).slice(0, MAX_EDGE);
  if (left === "" || right === "" || UNSPACED.test(left.slice(-1) + right.slice(0, 1))) return false;
  if (isLink(before) && isLink(after)) return /[\p{L}\p{N}.!?)]$/u.test(left) && /^[\p{Lu}\p{N}]/u.test(right);
  if (before instanceof Element && after instanceof Element) {
    // "3 beds" and "2.5 baths", "Price" and "$5", "19" and "December", "Sleeps 4" and "2 beds", "PM" and "3D".
    return (
      (/\p{Ll}{2}[.,!?)]?$/u.test(left) && /^(?:\p{Lu}\p{Ll}|\p{N}|\p{Sc})/u.test(right)) ||
      (/[\p{Lo}\p{M}]{2}$/u.test(left) && /^\p{N}/u.test(right)) ||
      (/\p{N}$/u.test(left) && /^\p{L}{3}/u.test(right)) ||
      (/\p{L}\s\p{N}+$/u.test(left) && /^\p{N}+\s\p{L}/u.test(right)) ||
      (/\p{Lu}{2}$/u.test(left) && /^\p{N}/u.test(right))
    );
  }
  // "2025" before a link, as in a line with a date and a category.
  if (before instanceof Text && isLink(after) && /\d{4}$/.test(left)) return /^\p{Lu}\p{L}{2}/u.test(right);
  const isApart = [before, after].some((node) => isTag(node) && (node.name === "a" || node.name === "time"));
  return isApart && /\p{Ll}{2}[.!?)]?$/u.test(left) && /^\p{Lu}\p{Ll}{2}/u.test(right);
}

function isTextOrBox(node: ChildNode): boolean {
  return node instanceof Text || (isTag(node) && BOXES.has(node.name) && !isBlock(node));
}

function isPicture(node: ChildNode): boolean {
  return isTag(node) && (node.name === "img" || node.name === "picture");
}

function isLink(node: ChildNode): boolean {
  return isTag(node) && node.name === "a";
}

/** The text at the beginning (0) or the end (-1) of a node. Empty if it is not only text. */
function edgeOf(node: ChildNode, side: 0 | -1): string {
  let at: ChildNode | undefined = node;
  for (let level = 0; level < MAX_LEVELS && at !== undefined; level += 1) {
    if (at instanceof Text) return at.data;
    if (!isTag(at) || ATTACHED.has(at.name)) return "";
    at = at.children.at(side);
  }
  return "";
}
