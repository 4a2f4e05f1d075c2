import { type Document, type Element, isTag, isText } from "domhandler";
import { prepare } from "../prune.ts";
import { type ReaderPage, type TreeWeight } from "./article-extractor.ts";
import { isConsentBox } from "./boilerplate.ts";
import { type PageMetadata } from "./metadata.ts";
import { surveyBody } from "./survey.ts";
import { titleOf } from "./title.ts";
import { copyTree } from "./tree-copy.ts";
import { bodyOf, walkNodes, wordsIn } from "./words.ts";

/** Pages are known that have all their content in an element for what stands around it. */
const MIN_SHARE_LEFT = 0.1;
/** What a reader works with, and no text of the page. */
const CONTROLS = new Set(["input", "select", "button", "object"]);
/** Elements in which a button is a heading that opens what follows, or the like. */
const HEADINGS = new Set(["h1", "h2", "h3", "h4", "h5", "h6", "dt", "summary"]);

/** What has more nodes is no head and no foot: it is not looked through at every level of a deep tree. */
const MAX_NODES_OF_HEADER = 20_000;

const CHROME_ROLES = new Set(
  "navigation banner contentinfo search complementary dialog alertdialog menu menubar".split(" "),
);
const CHROME = new Set(["footer", "aside", "header"]);
const CONTENT = new Set(["main", "article", "section", "blockquote", "li", "td", "figure"]);

/** A page for extractors: pruned of what is never content and of what is marked up as standing around it. Changes the tree. */
export function readerPage(tree: Document, url: string, metadata: PageMetadata): ReaderPage {
  prepare(tree, url);
  let wordsAround = 0;
  let pruned = copyTree(tree, (element) => {
    if (isControl(element)) return false;
    if (!isChrome(element)) return true;
    wordsAround += wordsIn(element);
    return false;
  });
  const left = wordsIn(bodyOf(pruned));
  const words = left + wordsAround;
  if (left < words * MIN_SHARE_LEFT) pruned = copyTree(tree, (element) => !isControl(element));
  const title = titleOf(metadata, pruned, url);
  return { tree: pruned, url, title, words, weight: weigh(pruned), survey: surveyBody(bodyOf(pruned), title) };
}

function isControl({ name, attribs, parent }: Element): boolean {
  if (!CONTROLS.has(name)) return name === "head" || attribs["aria-modal"] === "true";
  // The mark of a list of tasks.
  if (name === "input")
    return attribs["type"] !== "checkbox" || parent === null || !isTag(parent) || parent.name !== "li";
  return name !== "button" || parent === null || !isTag(parent) || !HEADINGS.has(parent.name);
}

function isChrome(element: Element): boolean {
  const { name, attribs } = element;
  if (name === "nav") return true;
  const role = attribs["role"];
  if (role !== undefined && CHROME_ROLES.has(role)) return true;
  if (CHROME.has(name)) return !hasAbove(element, CONTENT) && !holdsMain(element);
  return isConsentBox(attribs) || NOT_PRINTED.test(attribs["class"] ?? "");
}

/** What a site leaves out of its pages on paper. */
const NOT_PRINTED = /(?:^|\s)(?:noprint|no-print|d-print-none|print:hidden)(?:\s|$)/;

function hasAbove(element: Element, names: ReadonlySet<string>): boolean {
  for (let above = element.parent; above !== null; above = above.parent) {
    if (isTag(above) && names.has(above.name)) return true;
  }
  return false;
}

/** A page's header may hold its heading, and sloppy pages put all they have in one. */
function holdsMain(element: Element): boolean {
  let holds = false;
  let nodes = 0;
  walkNodes(element, {
    enter(node) {
      nodes += 1;
      if (isTag(node) && (node.name === "main" || node.name === "article" || node.name === "h1")) holds = true;
      return holds || nodes > MAX_NODES_OF_HEADER ? "stop" : true;
    },
  });
  return holds || nodes > MAX_NODES_OF_HEADER;
}

function weigh(tree: Document): TreeWeight {
  let elements = 0;
  let characters = 0;
  let nesting = 0;
  walkNodes(tree, {
    enter(node, depth) {
      nesting += depth;
      if (isTag(node)) elements += 1;
      else if (isText(node)) characters += node.data.length;
      return true;
    },
  });
  return { elements, characters, nesting };
}
