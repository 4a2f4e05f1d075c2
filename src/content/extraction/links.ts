import { type DomDocument } from "./dom.ts";
import { toText } from "./text.ts";

/** One link a line, in the page's order, each address once: `[text](address)`, or the bare address without a text. */
export function toLinks(document: DomDocument): string {
  const texts = new Map<string, string>();
  for (const link of document.querySelectorAll("a[href]")) {
    const href = link.getAttribute("href") ?? "";
    const text = (toText(link) || link.getAttribute("title") || link.querySelector("img")?.getAttribute("alt") || "")
      .replace(/\s+/g, " ")
      .trim();
    // The first link that says something names the address.
    if ((texts.get(href) ?? "") === "") texts.set(href, text);
  }
  return [...texts].map(([href, text]) => (text === "" ? href : `[${escapeText(text)}](${href})`)).join("\n");
}

function escapeText(text: string): string {
  return text.replace(/[\\[\]]/g, "\\$&");
}
