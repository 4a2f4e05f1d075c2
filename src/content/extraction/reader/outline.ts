import { type Document, Element, Text, isTag } from "domhandler";
import { plainName } from "../tree/amp.ts";
import { headingLevel, isBlock } from "../tree/display.ts";
import { isFolded } from "../tree/hidden.ts";
import { shadowContent } from "../tree/shadow.ts";
import { isNeverShown, MAX_PRUNED_DEPTH } from "../tree/prune.ts";
import { replaceChildren } from "../tree/relink.ts";
import { TextCount } from "./text-count.ts";

/** Bits of Box.flags: the kinds of an element and of its ancestors. Inner boxes inherit them. */
export const FLAGS = {
  nav: 1,
  header: 2,
  footer: 4,
  aside: 8,
  main: 16,
  article: 32,
  section: 64,
  form: 128,
  table: 256,
  item: 512,
  figure: 1024,
  button: 2048,
  details: 4096,
  dialog: 8192,
  hidden: 16_384,
  quote: 32_768,
  code: 65_536,
  definition: 131_072,
} as const;
/** The number of `FLAGS`. */
export const FLAG_COUNT = 18;

const FLAG_OF = new Map<string, number>([
  ["nav", FLAGS.nav],
  ["menu", FLAGS.nav],
  ["header", FLAGS.header],
  ["footer", FLAGS.footer],
  ["aside", FLAGS.aside],
  ["main", FLAGS.main],
  ["article", FLAGS.article],
  ["section", FLAGS.section],
  ["form", FLAGS.form],
  ["fieldset", FLAGS.form],
  ["table", FLAGS.table],
  ["li", FLAGS.item],
  ["figure", FLAGS.figure],
  ["figcaption", FLAGS.figure],
  ["button", FLAGS.button],
  ["select", FLAGS.button],
  ["label", FLAGS.button],
  ["details", FLAGS.details],
  ["dialog", FLAGS.dialog],
  ["blockquote", FLAGS.quote],
  ["pre", FLAGS.code],
  ["dl", FLAGS.definition],
]);

const FLAG_OF_ROLE = new Map<string, number>([
  ["navigation", FLAGS.nav],
  ["menu", FLAGS.nav],
  ["menubar", FLAGS.nav],
  ["tablist", FLAGS.nav],
  ["toolbar", FLAGS.nav],
  ["banner", FLAGS.header],
  ["contentinfo", FLAGS.footer],
  ["complementary", FLAGS.aside],
  ["search", FLAGS.form],
  ["main", FLAGS.main],
  ["article", FLAGS.article],
  ["button", FLAGS.button],
  ["dialog", FLAGS.dialog],
  ["alertdialog", FLAGS.dialog],
  ["listitem", FLAGS.item],
]);

const MEDIA = new Set(["img", "picture", "video", "audio", "iframe"]);

/** Inline elements whose text is a separate block. */
const APART = new Set(["button", "select", "option", "label", "legend"]);

/** An element of the page, with sums over all its descendants. The reader calls it a box. */
export class Box {
  /** The index of the box among the page's boxes, in the document's order. */
  readonly index: number;
  readonly element: Element | undefined;
  readonly parent: Box | undefined;
  readonly depth: number;
  readonly flags: number;
  readonly children: Box[] = [];
  /** Numbers of words: all, those in links, those in paragraphs, and those in hidden elements. */
  words = 0;
  linkWords = 0;
  proseWords = 0;
  hiddenWords = 0;
  links = 0;
  blocks = 0;
  sentences = 0;
  headings = 0;
  images = 0;
  /** Pictures and videos, and the audio elements and frames that the reader model does not count. */
  media = 0;
  times = 0;
  /** Siblings with the same name and first class, including this box. Empty if this box has no such siblings. */
  group: readonly Box[] = [];
  /** The group's size, its words, and the index of this box in it. */
  alike = 1;
  alikeWords = 0;
  alikeIndex = 0;
  /**
   * The log-odds of this box's names, and the sum of the log-odds of this box and its ancestors. Then the lowest and
   * the highest log-odds among these boxes, each with the depth of its box (-1 if there is no such box).
   */
  says = 0;
  saysSum = 0;
  saysLow = 0;
  saysLowDepth = -1;
  saysHigh = 0;
  saysHighDepth = -1;

  constructor(index: number, element: Element | undefined, parent: Box | undefined, flags = 0) {
    this.index = index;
    this.element = element;
    this.parent = parent;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    this.flags = flags;
  }
}

/**
 * Blocks from one template, such as the prices of a list. The elements around them have the same names and first
 * classes.
 */
export interface Template {
  count: number;
  words: number;
  linkWords: number;
  sentences: number;
  currencies: number;
  /** Indexes of the first and of the last block. */
  first: number;
  last: number;
  /** Hashes of the texts. If a template has only one text, the text is a label. */
  readonly texts: Set<number>;
}

/** The text of the nearest element that begins on a new line. */
export class Block {
  readonly box: Box;
  readonly texts: Text[] = [];
  readonly count = new TextCount();
  links = 0;
  /**
   * Number of links that lead to a position in the page or have no address, and number of links with a complete
   * address.
   */
  placeLinks = 0;
  otherLinks = 0;
  /** 1 to 6; 0 if it is not a heading. */
  readonly heading: number;
  images = 0;
  /** The properties that the block shares with other blocks. groupByTemplate sets it. */
  template: Template | undefined = undefined;

  constructor(box: Box, heading: number) {
    this.box = box;
    this.heading = heading;
  }

  get text(): string {
    return this.texts.length === 1 ? (this.texts[0]?.data ?? "") : this.texts.map(({ data }) => data).join("");
  }
}

/** The blocks of a page in the document's order, and the boxes that contain them. */
export interface Outline {
  readonly root: Box;
  /** The number of boxes, for arrays by their indexes. */
  readonly boxes: number;
  readonly blocks: readonly Block[];
}

/** The highest number of blocks of a page. Later text is added to the last block. */
const MAX_BLOCKS = 15_000;

/** Outlines a body in one walk. Changes the tree in only one way: shadow trees replace the children of their hosts. */
export function outlineOf(body: Element | Document): Outline {
  return new Outliner().run(body);
}

class Outliner {
  readonly #blocks: Block[] = [];
  #block: Block | undefined;
  #boxes = 1;
  #afterBreak = false;
  #insideLinks = 0;
  #link: Element | undefined;

  run(body: Element | Document): Outline {
    const root = new Box(0, body instanceof Element ? body : undefined, undefined);
    this.#children(body, root, 0);
    for (const { count } of this.#blocks) count.end();
    return { root, boxes: this.#boxes, blocks: this.#blocks };
  }

  /** Recursive. The depth is at most MAX_PRUNED_DEPTH. */
  #children(node: Element | Document, box: Box, heading: number): void {
    for (const child of node.children) {
      if (child instanceof Text) this.#text(child, box, heading);
      else if (isTag(child) && box.depth < MAX_PRUNED_DEPTH) this.#element(child, box, heading);
    }
  }

  #element(element: Element, outer: Box, outerHeading: number): void {
    const name = plainName(element);
    if (isNeverShown(element)) return;
    if (name === "br") {
      if (this.#afterBreak) this.#block = undefined;
      this.#afterBreak = true;
      return;
    }
    if (MEDIA.has(name)) {
      outer.media += 1;
      // Browsers show the text inside of the others only if they do not know the element.
      if (name === "audio" || name === "iframe") return;
      outer.images += 1;
      if (this.#block !== undefined) this.#block.images += 1;
      if (name !== "picture") return;
    }
    const shadow = shadowContent(element);
    if (shadow !== undefined) replaceChildren(element, shadow);
    const role = element.attribs["role"];
    const own = (FLAG_OF.get(name) ?? 0) | (role === undefined ? 0 : (FLAG_OF_ROLE.get(role) ?? 0));
    const flags = outer.flags | own | (isFolded(element) ? FLAGS.hidden : 0);
    const box = new Box(this.#boxes, element, outer, flags);
    this.#boxes += 1;
    outer.children.push(box);
    const apart = isBlock(element) || APART.has(name);
    const heading = headingLevel(element) ?? outerHeading;
    if (apart) this.#block = undefined;
    if (name === "a") {
      this.#insideLinks += 1;
      this.#link = element;
      if (this.#block !== undefined) countLink(this.#block, element);
      box.links += 1;
    } else if (name === "time") box.times += 1;
    if (heading !== outerHeading) box.headings += 1;
    this.#children(element, box, heading);
    if (name === "a") this.#insideLinks -= 1;
    if (apart) this.#block = undefined;
    add(outer, box);
  }

  #text(text: Text, box: Box, heading: number): void {
    if (isBlank(text.data)) {
      if (this.#block !== undefined) this.#block.texts.push(text);
      return;
    }
    let block = this.#block;
    if (block === undefined && this.#blocks.length < MAX_BLOCKS) {
      block = new Block(blockBox(box), heading);
      // A link around the whole block counts as a link in it.
      if (this.#insideLinks > 0 && this.#link !== undefined) countLink(block, this.#link);
      this.#blocks.push(block);
      box.blocks += 1;
      this.#block = block;
    }
    block ??= this.#blocks.at(-1);
    if (block === undefined) return;
    this.#afterBreak = false;
    const words = block.count.words;
    const sentences = block.count.sentences;
    block.texts.push(text);
    block.count.add(text.data, this.#insideLinks > 0);
    const more = block.count.words - words;
    box.words += more;
    box.sentences += block.count.sentences - sentences;
    if (this.#insideLinks > 0) box.linkWords += more;
    else if (block.box.element?.name === "p") box.proseWords += more;
    if ((box.flags & FLAGS.hidden) !== 0) box.hiddenWords += more;
  }
}

function countLink(block: Block, { attribs: { href = "" } }: Element): void {
  block.links += 1;
  if (href === "" || href.startsWith("#") || href.startsWith("javascript:")) block.placeLinks += 1;
  else if (/^(?:https?:)?\/\//i.test(href)) block.otherLinks += 1;
}

function add(outer: Box, box: Box): void {
  outer.words += box.words;
  outer.linkWords += box.linkWords;
  outer.proseWords += box.proseWords;
  outer.hiddenWords += box.hiddenWords;
  outer.links += box.links;
  outer.blocks += box.blocks;
  outer.sentences += box.sentences;
  outer.headings += box.headings;
  outer.images += box.images;
  outer.media += box.media;
  outer.times += box.times;
}

/** The innermost box around `box`, or `box` itself, whose element begins on a new line. */
function blockBox(box: Box): Box {
  let at = box;
  while (at.parent !== undefined && at.element !== undefined && !isBlock(at.element) && !APART.has(at.element.name))
    at = at.parent;
  return at;
}

function isBlank(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 0x20 && code !== 0xa0 && code !== 0x200b && code !== 0xfeff) return false;
  }
  return true;
}
