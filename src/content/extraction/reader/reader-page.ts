import { type Document, type Element, isTag } from "domhandler";
import { textContent } from "domutils";
import { type ReaderPage, type TreeWeight } from "./article-extractor.ts";
import { type PageMetadata } from "./metadata.ts";
import { surveyBody } from "./survey.ts";
import { titleOf } from "./title.ts";
import { copyTree } from "./tree-copy.ts";
import { countWords, walkNodes } from "./words.ts";

/** What shows nothing, or nothing of the page's own. */
const NOT_CONTENT = new Set(
  "script style template noscript svg iframe object embed canvas audio video link input select textarea button dialog".split(
    " ",
  ),
);

/** A page for extractors: without what is never content, and measured. */
export function readerPage(tree: Document, url: string, metadata: PageMetadata): ReaderPage {
  const shown = copyTree(tree, isShown);
  const title = titleOf(metadata, shown, url);
  const words = countWords(textContent(bodyOf(shown)));
  const pruned = withoutChrome(shown);
  return { tree: pruned, url, title, words, weight: weigh(pruned), survey: surveyBody(bodyOf(pruned), title) };
}

/** Without what is marked up as standing around the content, outside of it; all of it where hardly anything would be left. */
function withoutChrome(shown: Document): Document {
  const pruned = copyTree(shown, (element) => !isChrome(element));
  const left = countWords(textContent(bodyOf(pruned)));
  return left >= countWords(textContent(bodyOf(shown))) * MIN_SHARE_LEFT ? pruned : shown;
}

/** Pages are known whose whole content is marked up as complementary. */
const MIN_SHARE_LEFT = 0.1;

const CHROME_ROLES = new Set(
  "navigation banner contentinfo search complementary dialog alertdialog menu menubar".split(" "),
);
const CHROME = new Set(["nav", "footer", "aside", "header"]);
const CONTENT = new Set(["main", "article", "section", "blockquote", "li", "td", "figure"]);

function isChrome(element: Element): boolean {
  const { name, attribs } = element;
  const role = attribs["role"];
  if (name === "nav" || (role !== undefined && CHROME_ROLES.has(role))) return true;
  if (isConsent(attribs)) return true;
  return CHROME.has(name) && !hasAbove(element, CONTENT) && !holdsMain(element);
}

/** Boxes that ask for consent, by the names that the common programs for it and their imitators use. */
function isConsent(attribs: Element["attribs"]): boolean {
  const names = `${attribs["id"] ?? ""} ${attribs["class"] ?? ""}`;
  return /(?:^|[\s_-])(?:onetrust|cookie-?(?:bar|banner|consent|notice|law|popup|modal)|cookies?-?bar|cookiebot|cc-(?:window|banner)|gdpr|didomi|cmp-?container|consent-?(?:banner|modal|manager))/i.test(
    names,
  );
}

function hasAbove(element: Element, names: ReadonlySet<string>): boolean {
  for (let above = element.parent; above !== null; above = above.parent) {
    if (isTag(above) && names.has(above.name)) return true;
  }
  return false;
}

/** A page's header may hold its heading, and sloppy pages put all they have in one. */
function holdsMain(element: Element): boolean {
  let holds = false;
  walkNodes(element, {
    enter(node) {
      if (isTag(node) && (node.name === "main" || node.name === "article" || node.name === "h1")) holds = true;
      return !holds;
    },
  });
  return holds;
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
