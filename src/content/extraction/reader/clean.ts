import { type Document, type Element, Text, isTag } from "domhandler";
import { isPhraseAround, isTrailerHeading } from "./boilerplate.ts";
import { removeWithEmptyParents } from "./title.ts";
import { blockText, inlineText, walkNodes } from "./words.ts";

/** Elements whose whole text may be a label of a button that is not there any more. */
const LABELS = new Set("a button div li p span strong b em small h2 h3 h4 h5 h6 section aside".split(" "));
/** A longer text is no label; in characters. */
const MAX_LABEL_LENGTH = 60;

/** Takes out of an article what is left of buttons, and lists of other pages at its end. */
export function cleanArticle(tree: Document): void {
  const labels: Element[] = [];
  const trailers: Element[] = [];
  walkNodes(tree, {
    enter(node) {
      if (!isTag(node)) return true;
      if (node.name === "pre" || node.name === "code" || node.name === "math" || isDataTable(node)) return false;
      if (/^h[2-6]$/.test(node.name) && isTrailerHeading(inlineText(node))) trailers.push(node);
      else if (node.name === "a" && isMark(node)) labels.push(node);
      else if (LABELS.has(node.name) && isLabel(node)) {
        labels.push(node);
        return false;
      }
      return true;
    },
  });
  for (const label of labels) removeWithEmptyParents(label);
  for (const heading of trailers) dropLinksAfter(heading);
}

/** The link of a heading to itself. */
function isMark(link: Element): boolean {
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
  let length = 0;
  let text = "";
  let hasMore = false;
  walkNodes(element, {
    enter(node) {
      if (length > MAX_LABEL_LENGTH || hasMore) return false;
      if (node instanceof Text) {
        const data = node.data.trim();
        length += data.length;
        if (data !== "") text += ` ${data}`;
      } else if (isTag(node) && (node.name === "img" || node.name === "table" || node.name === "pre")) hasMore = true;
      return true;
    },
  });
  return !hasMore && length > 0 && length <= MAX_LABEL_LENGTH && isPhraseAround(text);
}

/** Takes away a heading such as "Related articles" and what is made of links after it, up to the next heading of its rank. */
function dropLinksAfter(heading: Element): void {
  const gone: Element[] = [heading];
  for (let next = heading.next; next !== null; next = next.next) {
    if (!isTag(next)) continue;
    if (/^h[1-6]$/.test(next.name) && next.name <= heading.name) break;
    if (!isMadeOfLinks(next)) break;
    gone.push(next);
  }
  // A heading with text of its own beneath it is a section.
  const last = gone.at(-1);
  if (gone.length === 1 && last !== undefined && hasTextAfter(last)) return;
  for (const element of gone) removeWithEmptyParents(element);
}

function hasTextAfter(element: Element): boolean {
  for (let next = element.next; next !== null; next = next.next) {
    if (isTag(next)) return !/^h[1-6]$/.test(next.name) && inlineText(next) !== "";
    if (next instanceof Text && next.data.trim() !== "") return true;
  }
  return false;
}

function isMadeOfLinks(element: Element): boolean {
  let inLinks = 0;
  let depth = 0;
  walkNodes(element, {
    enter(node) {
      if (isTag(node) && node.name === "a") depth += 1;
      else if (node instanceof Text && depth > 0) inLinks += node.data.trim().length;
      return true;
    },
    leave(left) {
      if (left.name === "a") depth -= 1;
    },
  });
  return inLinks > 0 && inLinks >= blockText(element).length * 0.5;
}
