import { type ChildNode, Document, Element, type ParentNode, isTag, Text } from "domhandler";
import { html as names, serialize } from "parse5";
import { adapter } from "parse5-htmlparser2-tree-adapter";
import { linkText } from "../../extraction/links.ts";
import { markdownOf } from "../../extraction/markdown/writer.ts";
import { toText } from "../../extraction/text.ts";
import { walkNodes } from "../../extraction/tree/walk.ts";
import { replaceChildren } from "../../extraction/tree/relink.ts";
import { absoluteLink } from "../../extraction/tree/addresses.ts";
import { type About, type DocumentContent, escapeHtml, type Link, MAX_LINKS } from "./content.ts";
import { bodyOf } from "../../extraction/reader/words.ts";
import { prepare } from "../../extraction/tree/prune.ts";
import { parseTree } from "../../extraction/tree/tree.ts";

/** An element with these children, which may be texts. */
export function element(
  name: string,
  children: readonly (ChildNode | string)[],
  attribs: Readonly<Record<string, string>> = {},
): Element {
  const made = new Element(name, { ...attribs });
  // Only elements of HTML are written without an end tag if they have no content.
  made.namespace = names.NS.HTML;
  replaceChildren(
    made,
    children.map((child) => (typeof child === "string" ? new Text(child) : child)),
  );
  return made;
}

/** A row of a table with these texts. */
export function textRow(name: "th" | "td", texts: readonly string[]): Element {
  return element(
    "tr",
    texts.map((text) => element(name, [text])),
  );
}

export interface TreeDocument {
  readonly title: string;
  readonly about?: About;
  readonly isPartial?: boolean;
  readonly blocks: readonly ChildNode[];
}

/** Ends with the first text. */
const FIRST_TEXT = { length: 0, nodes: Number.POSITIVE_INFINITY };

/** A document whose text is a tree of HTML elements, which no script or style sheet changes. */
export function treeContent({ title, about, isPartial = false, blocks }: TreeDocument): DocumentContent {
  const tree = new Document([]);
  replaceChildren(tree, [...blocks]);
  return {
    title,
    isPartial,
    ...(about === undefined ? {} : { about }),
    tree,
    isEmpty: () => toText(tree, FIRST_TEXT).trim() === "" && toText(tree).trim() === "",
    markdown: () => markdownOf(tree),
    text: () => toText(tree),
    html: () => {
      const html = serialize(tree, { treeAdapter: adapter });
      return title === "" ? html : `<title>${escapeHtml(title)}</title>\n${html}`;
    },
    links: () => linksOf(tree),
  };
}

function linksOf(tree: Document): Link[] {
  const found = new Map<string, string>();
  const walk = (node: ParentNode): void => {
    for (const child of node.children) {
      if (!isTag(child)) continue;
      const href = child.name === "a" ? (child.attribs["href"] ?? "") : "";
      if (/^(?!#)./.test(href) && (found.get(href) ?? "") === "" && found.size < MAX_LINKS)
        found.set(href, linkText(child));
      walk(child);
    }
  };
  walk(tree);
  return [...found].map(([url, text]) => ({ url, text }));
}

/** Links within a file, whose addresses begin with `base`, lead to a place in its text, or nowhere. */
function withoutOwnLinks(nodes: readonly ChildNode[], base: string): ChildNode[] {
  for (const node of nodes) {
    walkNodes(node, {
      enter(child) {
        const href = isTag(child) ? child.attribs["href"] : undefined;
        if (!isTag(child) || href?.startsWith(base) !== true) return true;
        if (href.startsWith("#", base.length)) child.attribs["href"] = href.slice(base.length);
        else delete child.attribs["href"];
        return true;
      },
    });
  }
  return [...nodes];
}

/** Maximum number of characters of an address in a document. A longer one is left out. @bound */
const MAX_ADDRESS_LENGTH = 8_192;

/** The address of a link in a file. Undefined if it leads to no page, like a place in the file or a file beside it. */
export function linkAddress(address: string): string | undefined {
  if (address.length > MAX_ADDRESS_LENGTH) return undefined;
  return absoluteLink(address.trim());
}

/** The address in the instruction of a field, such as `HYPERLINK "https://a.test/" \o "tip"`. */
export function fieldLink(instruction: string): string | undefined {
  const address = /^\s*HYPERLINK\s+"([^"]{1,8192})"/i.exec(instruction)?.[1];
  return address === undefined ? undefined : linkAddress(address);
}

/** The visible content of HTML in a file, without links to parts of the file, whose addresses begin with `base`. */
export function htmlBody(html: string, base: string): ChildNode[] {
  const tree = parseTree(html);
  prepare(tree, base);
  return withoutOwnLinks(bodyOf(tree).children, base);
}
