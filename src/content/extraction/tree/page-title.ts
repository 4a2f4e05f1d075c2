import { type Document } from "domhandler";
import { innerText } from "domutils";
import { elementsOf } from "../selectors/select-all.ts";
import { isSvg } from "./prune.ts";

/** Maximum number of elements that are examined for a title. */
const MAX_ELEMENTS = 50_000;
const MAX_LENGTH = 2000;

/** A page's title: the document's title, its title for social media, or its first heading. Empty if all are missing. */
export function pageTitle(tree: Document): string {
  let [own, shared, heading, looked] = ["", "", "", 0];
  for (const element of elementsOf(tree)) {
    const { name, attribs } = element;
    if (name === "title" && !isSvg(element)) own = fold(innerText(element));
    else if (name === "h1") heading ||= fold(innerText(element));
    else if (name === "meta" && /^og:title$/i.test(attribs["property"] ?? attribs["name"] ?? ""))
      shared ||= fold(attribs["content"] ?? "");
    looked += 1;
    if (own !== "" || looked === MAX_ELEMENTS) break;
  }
  return own || shared || heading;
}

function fold(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, MAX_LENGTH).toWellFormed();
}
