import { type Document, type Element, Text, isTag } from "domhandler";
import { isPhraseAround, isTrailerHeading } from "./boilerplate.ts";
import { removeAll } from "./tree-copy.ts";
import { shortText, walkNodes } from "./words.ts";

/** Elements whose whole text may be a label of a button that is not there any more. */
const LABELS = new Set("a button div li p span strong b em small h2 h3 h4 h5 h6 section aside".split(" "));
/** A longer text is no label; in characters. */
const MAX_LABEL_LENGTH = 60;
/** Links are so much of a list of other pages; in characters. */
const LINK_SHARE = 0.5;

/** What has more nodes is no list of a few other pages: it is not looked through at every level of a deep tree. */
const MAX_NODES_OF_LIST = 5_000;

/** Takes out of an article what is left of buttons, and lists of other pages at its end. */
export function cleanArticle(tree: Document): void {
  const gone = new Set<Element>();
  walkNodes(tree, {
    enter(node) {
      if (!isTag(node)) return true;
      const { name } = node;
      if (gone.has(node) || name === "pre" || name === "code" || name === "math" || isDataTable(node)) return false;
      const isTrailer = /^h[2-6]$/.test(name) && isTrailerHeading(shortText(node, MAX_LABEL_LENGTH) ?? "");
      if (isTrailer) addLinksAfter(node, gone);
      else if (isMark(node) || isLabel(node)) gone.add(node);
      return !gone.has(node);
    },
  });
  removeAll(tree, gone);
}

/** The link of a heading to itself. */
function isMark(link: Element): boolean {
  if (link.name !== "a") return false;
  const [only, more] = link.children;
  if (!(only instanceof Text) || more !== undefined || only.data.length > 4) return false;
  return (link.attribs["href"]?.includes("#") ?? false) && /^\s*[#¶§🔗]\s*$/u.test(only.data);
}

/** A table with headings has short words as its content; one without may be the page's layout. */
function isDataTable(element: Element): boolean {
  if (element.name !== "table") return false;
  let hasHeading = false;
  walkNodes(element, {
    enter(node) {
      if (isTag(node) && node !== element && (node.name === "th" || node.name === "caption")) hasHeading = true;
      return !hasHeading && (node === element || !isTag(node) || node.name !== "table");
    },
  });
  return hasHeading;
}

function isLabel(element: Element): boolean {
  if (!LABELS.has(element.name)) return false;
  const text = shortText(element, MAX_LABEL_LENGTH);
  return text !== undefined && text !== "" && isPhraseAround(text) && !holdsMore(element);
}

/** Whether a short text has something beside it. */
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

/** A heading such as "Related articles" and what is made of links after it, up to the next heading of its rank. */
function addLinksAfter(heading: Element, gone: Set<Element>): void {
  const links: Element[] = [];
  let next = heading.next;
  for (; next !== null; next = next.next) {
    if (!isTag(next)) continue;
    if (/^h[1-6]$/.test(next.name) && next.name <= heading.name) break;
    if (!isMadeOfLinks(next)) break;
    links.push(next);
  }
  // A heading with text of its own beneath it is a section.
  if (links.length === 0 && hasTextAfter(heading)) return;
  gone.add(heading);
  for (const element of links) gone.add(element);
}

function hasTextAfter(element: Element): boolean {
  for (let next = element.next; next !== null; next = next.next) {
    if (isTag(next)) return !/^h[1-6]$/.test(next.name) && shortText(next, 0) === undefined;
    if (next instanceof Text && next.data.trim() !== "") return true;
  }
  return false;
}

function isMadeOfLinks(element: Element): boolean {
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
