import { type AnyNode, type Document, type Element, Text, isTag } from "domhandler";
import { isBlock } from "../tree/display.ts";
import { walkNodes } from "../tree/walk.ts";

/** Scripts without spaces: CJK ideographs, kana, Thai, Lao, Khmer, Burmese. Hangul has spaces. */
function isUnspaced(code: number): boolean {
  return (
    (code >= 0x3041 && code <= 0x30ff) ||
    (code >= 0x3400 && code <= 0x4dbf) ||
    (code >= 0x4e00 && code <= 0x9fff) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0x0e01 && code <= 0x0eff) ||
    (code >= 0x1780 && code <= 0x17b3) ||
    (code >= 0x1000 && code <= 0x109f)
  );
}

function isSpace(code: number): boolean {
  return code <= 0x20 || code === 0xa0 || code === 0x3000 || (code >= 0x2000 && code <= 0x200b);
}

/** The number of words in a text: sequences between spaces, and each character of scripts without spaces. */
export function countWords(text: string): number {
  let words = 0;
  let inWord = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isSpace(code)) inWord = false;
    else if (code > 0xe00 && isUnspaced(code)) {
      words += 1;
      inWord = false;
    } else if (!inWord) {
      words += 1;
      inWord = true;
    }
  }
  return words;
}

/** The number of words in the text of a tree, or of its elements that are seen. */
export function wordsIn(root: AnyNode, isSeen: (element: Element) => boolean = () => true): number {
  let words = 0;
  walkNodes(root, {
    enter(node) {
      if (node instanceof Text) words += countWords(node.data);
      return !isTag(node) || isSeen(node);
    },
  });
  return words;
}

/** Maximum number of nodes that are examined for a short text, since each level of a deep tree may request one. */
const MAX_NODES_OF_SHORT_TEXT = 500;

/**
 * The text of an element in one line. Undefined if it is longer than `maxLength` characters, or if the element has too
 * many nodes for a label.
 */
export function shortText(root: AnyNode, maxLength: number): string | undefined {
  const parts: string[] = [];
  let length = 0;
  let nodes = 0;
  walkNodes(root, {
    enter(node) {
      nodes += 1;
      if (node instanceof Text) {
        parts.push(node.data);
        length += node.data.trim().length;
      } else if (isTag(node) && (isBlock(node) || node.name === "br")) parts.push(" ");
      return length <= maxLength && nodes <= MAX_NODES_OF_SHORT_TEXT ? true : "stop";
    },
    leave(element) {
      if (isBlock(element)) parts.push(" ");
    },
  });
  if (length > maxLength || nodes > MAX_NODES_OF_SHORT_TEXT) return undefined;
  return parts.join("").replace(/\s+/g, " ").trim();
}

/** The `body` element of a document; the document itself if it has no such element. */
export function bodyOf(tree: Document): Element | Document {
  const html = tree.children.find((node) => isTag(node) && node.name === "html");
  const within = html !== undefined && isTag(html) ? html.children : tree.children;
  return within.find((node): node is Element => isTag(node) && node.name === "body") ?? tree;
}
