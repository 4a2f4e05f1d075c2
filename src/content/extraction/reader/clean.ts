import { type Document, Element, Text, isTag } from "domhandler";
import { isTrailerHeading } from "./boilerplate.ts";
import { hasTextAfter, isLabel, isMadeOfLinks } from "./label.ts";
import { removeAll } from "./tree-copy.ts";
import { shortText, walkNodes } from "./words.ts";

/** Maximum number of characters of a heading above links to other pages. A longer heading belongs to the content. */
const MAX_HEADING_LENGTH = 60;

/** Removes the rests of buttons from an article, and lists of other pages at its end. Returns the removed elements. */
export function cleanArticle(tree: Document): ReadonlySet<Element> {
  const gone = new Set<Element>();
  walkNodes(tree, {
    enter(node) {
      if (!isTag(node)) return true;
      const { name } = node;
      if (gone.has(node) || name === "pre" || name === "code" || name === "math" || isDataTable(node)) return false;
      const isTrailer = /^h[2-6]$/.test(name) && isTrailerHeading(shortText(node, MAX_HEADING_LENGTH) ?? "");
      if (isTrailer) addLinksAfter(node, gone);
      else if (isMark(node) || isLabel(node)) gone.add(node);
      return !gone.has(node);
    },
  });
  addLastHeadings(tree, gone);
  const found = new Set(gone);
  removeAll(tree, gone);
  return found;
}

/** Adds headings at the end of an article that have no content below them. */
function addLastHeadings(tree: Document, gone: Set<Element>): void {
  let last: Element[] = [];
  let hasText = false;
  walkNodes(tree, {
    enter(node) {
      if (node instanceof Element && gone.has(node)) return false;
      // A heading that is a link is an entry in a list of pages.
      if (node instanceof Element && /^h[2-6]$/.test(node.name) && !isMadeOfLinks(node)) {
        last.push(node);
        return false;
      }
      const isContent = node instanceof Text ? node.data.trim() !== "" : isTag(node) && SHOWS.has(node.name);
      if (isContent) {
        last = [];
        hasText = true;
      }
      return true;
    },
  });
  if (hasText) for (const heading of last) gone.add(heading);
}

/** Elements that show something without text. */
const SHOWS = new Set(["img", "picture", "video", "audio", "iframe", "math", "hr"]);

/** A heading's link to itself. */
function isMark(link: Element): boolean {
  if (link.name !== "a") return false;
  const [only, more] = link.children;
  if (!(only instanceof Text) || more !== undefined || only.data.length > 4) return false;
  return (link.attribs["href"]?.includes("#") ?? false) && /^\s*[#¶§🔗]\s*$/u.test(only.data);
}

/** A table with header cells contains data in short words. A table without them may be the page's layout. */
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

/** Adds a heading such as "Related articles" and the links after it, up to the next heading of its level. */
function addLinksAfter(heading: Element, gone: Set<Element>): void {
  const links: Element[] = [];
  let next = heading.next;
  for (; next !== null; next = next.next) {
    if (!isTag(next)) continue;
    if (/^h[1-6]$/.test(next.name) && next.name <= heading.name) break;
    if (!isMadeOfLinks(next)) break;
    links.push(next);
  }
  // A heading followed by text begins a section.
  if (links.length === 0 && hasTextAfter(heading)) return;
  gone.add(heading);
  for (const element of links) gone.add(element);
}
