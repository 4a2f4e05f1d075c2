import { Parser } from "htmlparser2";
import { codeContent, type DocumentContent } from "./kinds/content.ts";
import { xmlFeed } from "./xml-feed.ts";

/** The name of the first element, with its namespace prefix. Empty if there is no element. */
function rootOf(xml: string): string {
  let root = "";
  const parser = new Parser(
    {
      onopentagname(name) {
        root = name;
        parser.pause();
      },
    },
    { xmlMode: true },
  );
  parser.write(xml);
  return root;
}

/** Whether the document is XHTML, according to its first element. */
export function isXhtml(xml: string): boolean {
  return /^(?:\w+:)?html$/.test(rootOf(xml));
}

/** XML: a feed if it is one, unchanged otherwise. */
export function xmlContent(xml: string, url: string): DocumentContent {
  const root = rootOf(xml).toLowerCase();
  if (root === "rss" || root === "rdf:rdf" || /^(?:\w+:)?feed$/.test(root)) return xmlFeed(xml, url);
  return codeContent(xml, "xml");
}
