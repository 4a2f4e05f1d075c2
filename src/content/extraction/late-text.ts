import { type AnyNode, type Document, isTag, Text, type ChildNode, type Element, isComment } from "domhandler";
import { type EngineName } from "../page/page.ts";
import { showNoscript } from "./noscript.ts";
import { replaceChildren } from "./tree/relink.ts";
import { walkNodes, isWithin } from "./tree/walk.ts";
import { elementsOf } from "./selectors/select-all.ts";

/** The id of a part that React streamed. */
const STREAMED = /\bid=["']?S:[0-9a-f]/;

/** Shows parts that the server streamed last in their places. True if the page has such parts. */
export function showStreamedParts(tree: Document, html: string, engine: EngineName): boolean {
  if (engine !== "static" || !STREAMED.test(html)) return false;
  placeStreamedParts(tree);
  return true;
}

/** Shows text that a page without scripts would not show: the content of `noscript`, and e-mail addresses that Cloudflare encoded. */
export function showLateText(tree: Document, html: string, engine: EngineName): void {
  if (engine !== "static") return;
  if (html.includes("<noscript") || /<noscript/i.test(html)) showNoscript(tree);
  if (html.includes("data-cfemail") || html.includes(ENCODED)) walkNodes(tree, { enter: showAddress });
}

/** The address of a link to an encoded address. */
const ENCODED = "/cdn-cgi/l/email-protection";

function showAddress(node: AnyNode): true {
  if (!isTag(node)) return true;
  const { attribs } = node;
  const address = decoded(attribs["data-cfemail"]);
  if (address !== undefined) replaceChildren(node, [new Text(address)]);
  const [path, code] = attribs["href"]?.split("#") ?? [];
  const linked = path?.endsWith(ENCODED) === true ? (decoded(code) ?? address) : undefined;
  if (linked !== undefined) attribs["href"] = `mailto:${linked}`;
  return true;
}

/** The first byte of the code changes the bits of all others. */
function decoded(code = ""): string | undefined {
  if (!/^(?:[\da-f]{2}){2,500}$/i.test(code)) return undefined;
  const [key = 0, ...bytes] = Buffer.from(code, "hex");
  return Buffer.from(bytes.map((byte) => byte ^ key)).toString();
}

/** React's marks: a part that arrived late, a boundary that waits for it, and a position within another part. */
const PART = /^S:([0-9a-f]{1,16})$/;
const PLACEHOLDER = /^[BP]:([0-9a-f]{1,16})$/;

/**
 * Moves parts that React streamed to the end of a document (`<div hidden id="S:0">`) to where they belong, as React's
 * own script would. They replace the fallbacks. A part without a matching boundary is not moved. Changes the tree.
 * Takes time linear in the page's length.
 */
function placeStreamedParts(tree: Document): void {
  const parts = new Map<string, Element>();
  const placeholders = new Map<string, Element>();
  for (const element of elementsOf(tree)) {
    const { id = "", hidden } = element.attribs;
    const part = hidden === undefined ? undefined : PART.exec(id)?.[1];
    if (part !== undefined) parts.set(part, element);
    const placeholder = element.name === "template" ? PLACEHOLDER.exec(id)?.[1] : undefined;
    if (placeholder !== undefined) placeholders.set(placeholder, element);
  }
  for (const [key, part] of parts) {
    delete part.attribs["hidden"];
    const placeholder = placeholders.get(key);
    if (placeholder !== undefined && !isWithin(placeholder, part)) fill(placeholder, part);
  }
}

function fill(placeholder: Element, part: Element): void {
  const { parent } = placeholder;
  const from = part.parent;
  if (parent === null || from === null) return;
  replaceChildren(
    from,
    from.children.filter((child) => child !== part),
  );
  const at = parent.children.indexOf(placeholder);
  const end = placeholder.attribs["id"]?.startsWith("B:") === true ? endOfFallback(parent.children, at) : at + 1;
  replaceChildren(parent, [...parent.children.slice(0, at), part, ...parent.children.slice(end)]);
}

/** The index of the closing comment of a boundary's fallback. Boundaries may be nested. */
function endOfFallback(children: readonly ChildNode[], start: number): number {
  let open = 0;
  for (let at = start + 1; at < children.length; at += 1) {
    const node = children[at];
    if (node === undefined || !isComment(node)) continue;
    if (node.data === "/$") {
      if (open === 0) return at;
      open -= 1;
    } else if (/^\$[?!~]?$/.test(node.data)) open += 1;
  }
  // Without the closing comment, the extent of the fallback is unknown.
  return start + 1;
}
