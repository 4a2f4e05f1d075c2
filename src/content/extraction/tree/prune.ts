import { type ChildNode, type Document, type Element, type ParentNode, Text, isTag, isText } from "domhandler";
import { innerText } from "domutils";
import { Addresses } from "./addresses.ts";
import { makePlain } from "./amp.ts";
import { headingLevel } from "./display.ts";
import { isHidden, isWholeHeading, isMachinery, isScreenReaderOnly } from "./hidden.ts";
import { imageSource, isTrackingPixel } from "./images.ts";
import { mediaLabel, playerAddress } from "./players.ts";
import { replaceChildren } from "./relink.ts";
import { shadowContent } from "./shadow.ts";

/**
 * Maximum number of levels of a tree. Deeper nodes are dropped. The parser's own limit is lower, but functions that
 * walk the tree later are recursive.
 */
export const MAX_PRUNED_DEPTH = 640;

/** Maximum number of nodes of a link that are searched for words. A link with more nodes counts as having words. */
const MAX_LOOKED = 50;

/** Elements that show nothing, or are replaced by scripts. */
const NEVER = new Set(
  (
    "base basefont bgsound canvas datalist embed link meta meter noembed noframes noscript param progress " +
    "rp style textarea title track"
  ).split(" "),
);

/** Elements whose text is only for programs that cannot show them. */
const EMPTY = new Set(["iframe", "audio", "video", "frame"]);

/**
 * Removes the parts of a page that readers do not see (scripts, styles, hidden elements, consent banners, tracking
 * pixels). It expands shadow trees, and makes addresses absolute by the base of `page`, which may contain the tree.
 * Changes the tree.
 */
export function prepare(tree: Document, url: string, page: Document = tree): void {
  prune(tree, { addresses: new Addresses(page, url) }, 0);
}

/** Whether an element never shows text of the page, whatever the reader opens. */
export function isNeverShown(element: Element): boolean {
  const { name, attribs } = element;
  if (name === "script") return attribs["type"]?.startsWith("math/tex") !== true;
  return (
    NEVER.has(name) || name === "template" || isSvg(element) || isScreenReaderOnly(element) || isMachinery(element)
  );
}

interface Around {
  readonly addresses: Addresses;
  readonly link?: Element;
  /** The innermost link or cell of a table, which takes the name of an icon. */
  readonly named?: Element;
  readonly isHeading?: true;
}

function prune(parent: ParentNode, around: Around, depth: number): void {
  const before = parent.children;
  const after: ChildNode[] = [];
  for (const child of before) {
    if (isText(child)) after.push(child);
    else if (isTag(child) && depth < MAX_PRUNED_DEPTH && keeps(child, around)) {
      after.push(child);
      prune(child, inside(child, around), depth + 1);
    }
  }
  if (after.length !== before.length) replaceChildren(parent, after);
}

/** Whether a reader sees the element. Prepares it, and its children if they are replaced. */
function keeps(element: Element, around: Around): boolean {
  makePlain(element);
  const { name, attribs } = element;
  const { named } = around;
  if (NEVER.has(name)) return name === "title" && isSvg(element);
  if (name === "script") return attribs["type"]?.startsWith("math/tex") === true;
  if (isSvg(element)) {
    giveName(named, svgTitle(element));
    return false;
  }
  if (name === "template") return false;
  if (isScreenReaderOnly(element)) {
    giveName(named, lineOf(element));
    return false;
  }
  if (isHidden(element) && !isWholeHeading(element)) return false;
  const shadow = shadowContent(element);
  if (shadow !== undefined) replaceChildren(element, shadow);
  if (name === "a" && attribs["href"]?.startsWith("#") === true) {
    // A mark with a link to its own place, or a link back.
    if (!hasWords(element)) return false;
    if (around.isHeading === true) delete attribs["href"];
  }
  return setAddress(element, around);
}

/** Makes the element's address absolute. False if the element can be dropped. */
function setAddress(element: Element, { addresses, link }: Around): boolean {
  const { name, attribs } = element;
  if (name === "a" || name === "area") {
    const href = attribs["href"];
    const address = href === undefined ? undefined : addresses.link(href);
    if (address === undefined) delete attribs["href"];
    else attribs["href"] = address;
  } else if (name === "img") {
    const source = isTrackingPixel(element) ? undefined : imageSource(element);
    const address = source === undefined ? undefined : addresses.media(source);
    if (address === undefined) {
      giveName(link, attribs["alt"] ?? "");
      return false;
    }
    attribs["src"] = address;
  } else if (EMPTY.has(name)) {
    const source = name === "audio" || name === "video" ? filmSource(element) : attribs["src"];
    const address = source === undefined ? undefined : addresses.media(source);
    giveName(link, mediaLabel(element) || (link?.attribs["title"] ?? address ?? ""));
    if (address === undefined) return false;
    if (name === "iframe") return becomesLink(element, playerAddress(address));
    attribs["src"] = address;
    element.children = [];
  }
  return true;
}

/** Replaces the frame of a known player with a link to the media. False if the frame is another one. */
function becomesLink(frame: Element, address: string | undefined): boolean {
  if (address === undefined) return false;
  const label = mediaLabel(frame);
  frame.name = "a";
  frame.attribs = { href: address };
  replaceChildren(frame, [new Text(label === "" ? address : label)]);
  return true;
}

function inside(element: Element, around: Around): Around {
  if (element.name === "a") return { ...around, link: element, named: element };
  if (element.name === "td" || element.name === "th") return { ...around, named: around.link ?? element };
  return headingLevel(element) === undefined ? around : { ...around, isHeading: true };
}

/** Whether a link shows words, a picture or a film, and not only a mark such as "#" or "¶". */
function hasWords(link: Element): boolean {
  const open: ChildNode[] = [...link.children];
  for (let looked = 0; looked < MAX_LOOKED; looked += 1) {
    const node = open.pop();
    if (node === undefined) return false;
    if (isText(node) ? /[\p{L}\p{N}]/u.test(node.data) : isTag(node) && (node.name === "img" || EMPTY.has(node.name)))
      return true;
    if (isTag(node) && node.name !== "svg") open.push(...node.children.slice(0, MAX_LOOKED));
  }
  return true;
}

function filmSource(element: Element): string | undefined {
  if (element.attribs["src"] !== undefined) return element.attribs["src"];
  return element.children.filter(isTag).find((child) => child.name === "source")?.attribs["src"];
}

/** Gives a link or a cell without words the text of its picture. */
function giveName(element: Element | undefined, words: string): void {
  if (element !== undefined && words !== "") element.attribs["aria-label"] ??= words;
}

/** Whether an element is an SVG picture or a part of one. */
export function isSvg(element: Element): boolean {
  return element.namespace === "http://www.w3.org/2000/svg";
}

function svgTitle(svg: Element): string {
  const label = svg.attribs["aria-label"];
  if (label !== undefined) return label;
  const title = svg.children.filter(isTag).find((child) => child.name === "title");
  return title === undefined ? "" : lineOf(title);
}

function lineOf(element: Element): string {
  return innerText(element).replace(/\s+/g, " ").trim();
}
