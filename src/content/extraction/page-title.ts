import { type Document, type Element, type ParentNode, isTag, isText } from "domhandler";

/** Maximum number of elements that are examined for a title. */
const MAX_ELEMENTS = 50_000;
const MAX_LENGTH = 2000;

const SVG = "http://www.w3.org/2000/svg";

/** A page's title: the document's title, its title for social media, or its first heading. Empty if all are missing. */
export function pageTitle(tree: Document): string {
  let shared = "";
  let heading = "";
  let looked = 0;
  const open: ParentNode[] = [tree];
  for (let node = open.pop(); node !== undefined && looked < MAX_ELEMENTS; node = open.pop()) {
    if (isTag(node)) {
      looked += 1;
      const { name, attribs } = node;
      if (name === "title" && node.namespace !== SVG) {
        const title = titleText(node);
        if (title !== "") return title;
      }
      if (name === "meta" && /^og:title$/i.test(attribs["property"] ?? attribs["name"] ?? "")) {
        shared ||= fold(attribs["content"] ?? "");
      }
      if (name === "h1") heading ||= titleText(node);
    }
    for (let at = node.children.length - 1; at >= 0; at -= 1) {
      const child = node.children[at];
      if (child !== undefined && isTag(child) && child.name !== "template") open.push(child);
    }
  }
  return shared || heading;
}

function titleText(element: Element): string {
  const parts: string[] = [];
  let length = 0;
  const open = [...element.children].toReversed();
  for (let node = open.pop(); node !== undefined && length < MAX_LENGTH; node = open.pop()) {
    if (isText(node)) {
      parts.push(node.data.slice(0, MAX_LENGTH));
      length += node.data.length;
    } else if (isTag(node) && node.name !== "script" && node.name !== "style") {
      for (let at = node.children.length - 1; at >= 0; at -= 1) {
        const child = node.children[at];
        if (child !== undefined) open.push(child);
      }
    }
  }
  return fold(parts.join(""));
}

function fold(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, MAX_LENGTH).toWellFormed();
}
