import { type Document, isTag } from "domhandler";
import { innerText } from "domutils";
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
      if (name === "title" && !isSvg(node)) own = fold(innerText(node));
      else if (name === "h1") heading ||= fold(innerText(node));
      else if (name === "meta" && /^og:title$/i.test(attribs["property"] ?? attribs["name"] ?? "")) {
        shared ||= fold(attribs["content"] ?? "");
      }
      looked += 1;
      return own === "" && looked < MAX_ELEMENTS ? true : "stop";
    },
  });
  return own || shared || heading;
}

function fold(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, MAX_LENGTH).toWellFormed();
}
