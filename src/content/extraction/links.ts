import { type Document, type Element, type ParentNode, isTag } from "domhandler";
import { withoutFragment } from "./tree/addresses.ts";
import { escapeAddress } from "./markdown/escape.ts";
import { type TextLimits, toText } from "./text.ts";

/** Limits of the part of a link that is read for its text. A link may contain whole tables with links. @bound */
const TEXT_LIMITS: TextLimits = { length: 1000, nodes: 1000 };

/**
 * One link per line, in the page's order: `[text](address)`, or only the address if there is no text. Addresses that
 * differ only in their fragment count as one. Links to a position within the page are left out. The tree must be
 * prepared by prune.ts.
 */
export function toLinks(tree: Document, url: string): string {
  const page = withoutFragment(url);
  const texts = new Map<string, string>();
  // Recursive: prune.ts limits the depth of trees.
  const walk = (node: ParentNode) => {
    for (const child of node.children) {
      if (!isTag(child)) continue;
      const href = child.name === "a" || child.name === "area" ? child.attribs["href"] : undefined;
      const address = href === undefined ? undefined : addressOf(href, page);
      // The address gets the first text that is not empty.
      if (address !== undefined && (texts.get(address) ?? "") === "") texts.set(address, linkText(child));
      walk(child);
    }
  };
  walk(tree);
  return [...texts]
    .map(([address, text]) => (text === "" ? address : `[${escapeLinkText(text)}](${escapeAddress(address)})`))
    .join("\n");
}

/**
 * The address without its fragment, unless a script uses the fragment as a path. Undefined for a position within the
 * page.
 */
function addressOf(href: string, page: string): string | undefined {
  const bare = withoutFragment(href);
  if (bare === href || /^#!?\//.test(href.slice(bare.length))) return href;
  return bare === page ? undefined : bare;
}

/** The text of a link on one line, or what stands for it: a label, a title, or the alternative text of its picture. */
export function linkText(link: Element): string {
  const { attribs } = link;
  const text = toText(link, TEXT_LIMITS) || attribs["aria-label"] || attribs["title"] || attribs["alt"] || altOf(link);
  return text.replace(/\s+/g, " ").trim().slice(0, TEXT_LIMITS.length).toWellFormed();
}

/** Escapes backslashes and square brackets, so that a text can be the label of a Markdown link. */
export function escapeLinkText(text: string): string {
  return text.replace(/[\\[\]]/g, "\\$&");
}

/** The alternative text of the first picture in a link that has one, up to two elements deep. */
function altOf(node: ParentNode, depth = 0): string {
  for (const child of node.children) {
    if (!isTag(child)) continue;
    const alt = child.name === "img" ? (child.attribs["alt"] ?? "") : depth < 2 ? altOf(child, depth + 1) : "";
    if (alt.trim() !== "") return alt;
  }
  return "";
}
