import { type Document, type Element, type ParentNode, isTag } from "domhandler";
import { withoutFragment } from "./addresses.ts";
import { escapeAddress } from "./markdown/escape.ts";
import { type TextLimits, toText } from "./text.ts";

/** What is read of a link for its text: links may hold whole tables, and those links again. @bound */
const TEXT_LIMITS: TextLimits = { length: 1000, nodes: 1000 };

/**
 * One link a line, in the page's order: `[text](address)`, or the bare address without a text. Addresses that differ in
 * their fragment alone are one; links to places within the page itself are left out. The tree is one that prune.ts prepared.
 */
export function toLinks(tree: Document, url: string): string {
  const page = withoutFragment(url);
  const texts = new Map<string, string>();
  // Recurses: trees are no deeper than prune.ts leaves them.
  const walk = (node: ParentNode) => {
    for (const child of node.children) {
      if (!isTag(child)) continue;
      const href = child.name === "a" || child.name === "area" ? child.attribs["href"] : undefined;
      const address = href === undefined ? undefined : addressOf(href, page);
      // The first link that says something names the address.
      if (address !== undefined && (texts.get(address) ?? "") === "") texts.set(address, textOf(child));
      walk(child);
    }
  };
  walk(tree);
  return [...texts]
    .map(([address, text]) => (text === "" ? address : `[${text}](${escapeAddress(address)})`))
    .join("\n");
}

/** The address without its fragment, but for one that a script takes for a path; undefined for a place in the page. */
function addressOf(href: string, page: string): string | undefined {
  const bare = withoutFragment(href);
  if (bare === href || /^#!?\//.test(href.slice(bare.length))) return href;
  return bare === page ? undefined : bare;
}

function textOf(link: Element): string {
  const { attribs } = link;
  const text = toText(link, TEXT_LIMITS) || attribs["aria-label"] || attribs["title"] || attribs["alt"] || altOf(link);
  return text
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, TEXT_LIMITS.length)
    .toWellFormed()
    .replace(/[\\[\]]/g, "\\$&");
}

/** The words of the first picture in a link that has any, right in it or one or two elements below. */
function altOf(node: ParentNode, depth = 0): string {
  for (const child of node.children) {
    if (!isTag(child)) continue;
    const alt = child.name === "img" ? (child.attribs["alt"] ?? "") : depth < 2 ? altOf(child, depth + 1) : "";
    if (alt.trim() !== "") return alt;
  }
  return "";
}
