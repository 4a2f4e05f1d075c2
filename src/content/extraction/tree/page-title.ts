import { type Document, type Element, isTag, isText } from "domhandler";
import { isSvg } from "./prune.ts";
import { walkNodes } from "./walk.ts";

/** Maximum number of elements that are examined for a title. */
const MAX_ELEMENTS = 50_000;
const MAX_LENGTH = 2000;

/** A page's title: the document's title, its title for social media, or its first heading. Empty if all are missing. */
export function pageTitle(tree: Document): string {
  let [own, shared, heading, looked] = ["", "", "", 0];
  walkNodes(tree, {
    enter(node) {
      if (!isTag(node)) return true;
      const { name, attribs } = node;
      if (name === "template") return false;
      if (name === "title" && !isSvg(node)) own = titleText(node);
      else if (name === "h1") heading ||= titleText(node);
      else if (name === "meta" && /^og:title$/i.test(attribs["property"] ?? attribs["name"] ?? "")) {
        shared ||= fold(attribs["content"] ?? "");
      }
      looked += 1;
      return own === "" && looked < MAX_ELEMENTS ? true : "stop";
    },
  });
  return own || shared || heading;
}

function titleText(element: Element): string {
  let text = "";
  walkNodes(element, {
    enter(node) {
      if (isText(node)) text += node.data.slice(0, MAX_LENGTH);
      if (text.length >= MAX_LENGTH) return "stop";
      return !isTag(node) || (node.name !== "script" && node.name !== "style");
    },
  });
  return fold(text);
}

function fold(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, MAX_LENGTH).toWellFormed();
}
