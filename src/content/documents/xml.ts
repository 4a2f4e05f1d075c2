import { codeContent, type DocumentContent } from "./kinds/content.ts";
import { xmlFeed } from "./xml-feed.ts";

/**
 * The name of the first element, with its namespace prefix. Undefined if there is no element. Comments before it are
 * skipped.
 */
function rootOf(xml: string): string | undefined {
  let at = 0;
  for (;;) {
    at = xml.indexOf("<", at);
    if (at === -1) return undefined;
    const ends = xml.startsWith("<!--", at) ? "-->" : xml.startsWith("<?", at) ? "?>" : undefined;
    if (ends !== undefined) {
      const end = xml.indexOf(ends, at + 2);
      if (end === -1) return undefined;
      at = end + ends.length;
    } else if (xml.startsWith("<!", at)) at = endOfDoctype(xml, at);
    else return /^[^\s/>]{1,100}/.exec(xml.slice(at + 1, at + 101))?.[0];
  }
}

/**
 * The end of a document type declaration, whose internal subset may contain `>`. Entities that it declares are never
 * expanded.
 */
function endOfDoctype(xml: string, start: number): number {
  const inner = xml.indexOf("[", start);
  const end = xml.indexOf(">", start);
  if (end === -1) return xml.length;
  if (inner === -1 || inner > end) return end + 1;
  const close = /\]\s*>/g;
  close.lastIndex = inner;
  const found = close.exec(xml);
  return found === null ? xml.length : found.index + found[0].length;
}

/** Whether the document is XHTML, according to its first element. */
export function isXhtml(xml: string): boolean {
  return /^(?:\w+:)?html$/.test(rootOf(xml) ?? "");
}

/** XML: a feed if it is one, unchanged otherwise. */
export function xmlContent(xml: string, url: string): DocumentContent {
  const root = (rootOf(xml) ?? "").toLowerCase();
  if (root === "rss" || root === "rdf:rdf" || /^(?:\w+:)?feed$/.test(root)) return xmlFeed(xml, url);
  return codeContent(xml, "xml");
}
