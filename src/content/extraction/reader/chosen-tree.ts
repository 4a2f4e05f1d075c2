import { Document, Element, Text, isTag } from "domhandler";
import { appendChild } from "domutils";
import { plainName } from "../tree/amp.ts";
import { isBlock } from "../tree/display.ts";
import { imageSource, isTiny } from "../tree/images.ts";
import { isFolded, isScreenReaderOnly, isWholeHeading } from "../tree/hidden.ts";
import { isNeverShown, isSvg } from "../tree/prune.ts";
import { type Block, type Box, FLAGS, type Outline } from "./outline.ts";
import { countWords } from "./words.ts";

/** Elements that show a picture or a video and have no text of their own. */
const PICTURES = new Set(["img", "picture", "video", "audio", "iframe", "source", "math", "math-renderer"]);
/** Elements without content that are kept together with the box around them. */
const VOID = new Set(["br", "hr", "wbr"]);
/** Elements that hold a line of text. */
const LINES = new Set(["p", "li", "dd"]);
const CELLS = new Set(["td", "th", "tr", "colgroup", "col"]);
/** Parts of a page whose pictures are kept only if words of the same part are kept. */
const AROUND = FLAGS.nav | FLAGS.footer | FLAGS.aside | FLAGS.form | FLAGS.button;
/** The minimum share of chosen words around a picture that is kept. */
const MIN_SHARE_AROUND_A_PICTURE = 0.5;
/** The words around a picture are those of the nearest box with at least this number of words. */
const MIN_WORDS_AROUND_A_PICTURE = 5;

/** Maximum number of nodes after a heading among which its text is searched. */
const MAX_BELOW = 10;

/** Maximum number of characters of an address that are compared with these names. */
const MAX_SOURCE_LENGTH = 1000;
const STANDS_FOR_OTHERS =
  /(?:^|[/_-])(?:blank|spacer|placeholder|loading(?:[-_](?:trans|spinner|bar|icon|animation))?|loader|spinner)\d*(?:[_-]\d+x\d+)?(?:[._-][\da-f]{8,64})?\.(?:gif|png|svg)(?:$|[?#])/i;
const CONTROL =
  /(?:^|[/_-])(?:icons?|ico|arrow|chevron|caret|close(?!-?up)|btn|button)(?:[._-][^/?#]*)?\.(?:gif|png|svg)(?:$|[?#])/i;

/** Copies the chosen part of a page. It stores the chosen texts, and the number of chosen words in each box. */
export class ChosenTree {
  readonly #texts = new Set<Text>();
  readonly #boxes = new Map<Element, Box>();
  /** By the index of the box. */
  readonly #kept: Float64Array;

  constructor({ root, boxes, blocks }: Outline, chosen: Uint8Array) {
    this.#kept = new Float64Array(boxes);
    this.#know(root);
    for (const [at, block] of blocks.entries()) if (chosen[at] === 1) this.#keep(block, root);
    this.#sum(root);
  }

  #know(box: Box): void {
    if (box.element !== undefined) this.#boxes.set(box.element, box);
    for (const child of box.children) this.#know(child);
  }

  /** Counts words in the box of the text's own element, which may be a link or a mark inside the block's box. */
  #keep({ texts }: Block, root: Box): void {
    for (const text of texts) {
      this.#texts.add(text);
      const { parent } = text;
      const box = (parent instanceof Element ? this.#boxes.get(parent) : undefined) ?? root;
      this.#kept[box.index] = this.#keptIn(box) + countWords(text.data);
    }
  }

  #sum(box: Box): number {
    let words = this.#keptIn(box);
    for (const child of box.children) words += this.#sum(child);
    this.#kept[box.index] = words;
    return words;
  }

  #keptIn(box: Box): number {
    return this.#kept[box.index] ?? 0;
  }

  /** Copies the chosen texts and the pictures among them. Hidden and folded elements are visible in the copy. */
  copy(body: Element | Document, root: Box): Document {
    const tree = new Document([]);
    this.#children(body, tree, root);
    return tree;
  }

  #children(from: Element | Document, to: Element | Document, box: Box): void {
    for (const child of from.children) {
      if (child instanceof Text) {
        if (this.#texts.has(child)) appendChild(to, new Text(child.data));
        else if (child.data.trim() !== "") continue;
        // The indentation of a line of code is the first text of its element.
        else if ((box.flags & FLAGS.code) !== 0) appendChild(to, new Text(child.data));
        else if (to.children.length > 0) appendChild(to, new Text(" "));
      } else if (isTag(child)) this.#element(child, to, box);
    }
  }

  #element(element: Element, to: Element | Document, outer: Box): void {
    const name = plainName(element);
    if (PICTURES.has(name) || VOID.has(name) || (name === "script" && !isNeverShown(element))) {
      if (!isAnimation(element) && !isDecoration(element) && this.#isAmongChosen(outer))
        appendChild(to, copyAll(element));
      return;
    }
    if (isNeverShown(element)) {
      if (this.#isOnlyInCell(element, outer)) appendChild(to, copyAll(element));
      return;
    }
    const box = this.#boxes.get(element);
    if (box === undefined) return;
    if (isFoldedInLine(element, box)) return;
    if (isCheckbox(element)) {
      if ((box.flags & FLAGS.item) !== 0 && this.#keptIn(outer) > 0) appendChild(to, copyAll(element));
      return;
    }
    const kept = this.#keptIn(box);
    const space = box.words === 0 ? spaceIn(element) : undefined;
    if (space !== undefined && this.#texts.has(space)) {
      appendChild(to, new Text(space.data));
      return;
    }
    const isEmptyLine = (box.flags & FLAGS.code) !== 0 ? "div" : undefined;
    if (box.words === 0 && this.#keptIn(outer) > 0 && isLineBreak(element, isEmptyLine)) {
      appendChild(to, like(element, "br", {}));
      return;
    }
    if (kept === 0 && (this.#isLinkedHeading(element) || this.#isNamedIcon(element, box, outer))) {
      appendChild(to, copyAll(element));
      return;
    }
    if (kept === 0 && !(CELLS.has(name) && this.#keptIn(outer) > 0) && !this.#holdsPicture(box, outer)) return;
    const copy = like(element, name, opened(element));
    this.#children(element, copy, box);
    appendChild(to, copy);
  }

  /** A heading above chosen text whose words the outline does not have, since their link looks like a mark. */
  #isLinkedHeading({ name, children, next }: Element): boolean {
    if (!/^h[1-6]$/.test(name) || !children.some((child) => isTag(child) && isWholeHeading(child))) return false;
    let below = next;
    for (let looked = 0; looked < MAX_BELOW && below !== null; looked += 1, below = below.next) {
      const box = below instanceof Element ? this.#boxes.get(below) : undefined;
      if (box !== undefined && box.words > 0) return this.#keptIn(box) > 0;
    }
    return false;
  }

  /** Whether an icon, or a text for screen readers, is all that a cell of a chosen row has. */
  #isOnlyInCell(element: Element, { element: cell, words, parent }: Box): boolean {
    if (words > 0 || cell === undefined || !CELLS.has(cell.name) || parent === undefined) return false;
    return this.#keptIn(parent) > 0 && (isSvg(element) || isScreenReaderOnly(element));
  }

  /** A link of a line of chosen text, or of a chosen row, that shows only an icon. Its name is written. */
  #isNamedIcon(element: Element, { words, media }: Box, outer: Box): boolean {
    if (words > 0 || media > 0) return false;
    if (!/^(?!#)./.test(element.attribs["href"] ?? "")) return false;
    const name = outer.element?.name ?? "";
    if (CELLS.has(name)) return this.#keptIn(outer.parent ?? outer) > 0;
    return LINES.has(name) && this.#keptIn(outer) > 0 && element.children.some((child) => isTag(child) && isSvg(child));
  }

  /** A box of pictures or films without words, such as a figure. */
  #holdsPicture(box: Box, outer: Box): boolean {
    return box.words === 0 && box.media > 0 && this.#isAmongChosen(outer);
  }

  /** Whether the outermost navigation, footer or sidebar around a box contains chosen words. */
  #hasChosenIn(box: Box): boolean {
    let at = box;
    while (at.parent !== undefined && (at.parent.flags & AROUND) !== 0) at = at.parent;
    return this.#keptIn(at) > 0;
  }

  #isAmongChosen(box: Box): boolean {
    let at = box;
    // A logo beside the content does not belong to it.
    if ((box.flags & AROUND) !== 0 && !this.#hasChosenIn(box)) return false;
    while (at.words < MIN_WORDS_AROUND_A_PICTURE && at.parent !== undefined) at = at.parent;
    return this.#keptIn(at) >= at.words * MIN_SHARE_AROUND_A_PICTURE && at.words > 0;
  }
}

/** Whether a hidden element is in a line of visible text. Hidden blocks are mostly parts that readers open. */
function isFoldedInLine(element: Element, { flags }: Box): boolean {
  if ((flags & FLAGS.hidden) === 0 || isBlock(element) || element.attribs["aria-hidden"] !== undefined) return false;
  return isFolded(element);
}

/** Whether an element is a checkbox with its text beside it, and not one that opens the block below. */
function isCheckbox({ name, attribs, next }: Element): boolean {
  if (name !== "input" || attribs["type"]?.toLowerCase() !== "checkbox") return false;
  const below = next instanceof Text && next.data.trim() === "" ? next.next : next;
  return below !== null && !(isTag(below) && isBlock(below));
}

/** The text of an element that contains only white space, as between the words of highlighted code. */
function spaceIn(element: Element): Text | undefined {
  const [only, more] = element.children;
  if (only === undefined || more !== undefined) return undefined;
  if (only instanceof Text) return only.data.trim() === "" ? only : undefined;
  return isTag(only) ? spaceIn(only) : undefined;
}

/** Whether an element contains only a line break. It is a `span`, or an element with the other name. */
function isLineBreak({ name, children }: Element, other?: string): boolean {
  if (name !== "span" && name !== other) return false;
  const [only, more] = children.filter((child) => !(child instanceof Text && child.data.trim() === ""));
  return only !== undefined && more === undefined && isTag(only) && only.name === "br";
}

/** True for a silent video in a loop without a name, which is only a moving picture behind the text. */
function isAnimation({ name, attribs }: Element): boolean {
  if (name !== "video") return false;
  const { loop, muted, title, "aria-label": label, id = "", class: names = "" } = attribs;
  if (BACKGROUND.test(`${id} ${names}`.slice(0, MAX_SOURCE_LENGTH))) return true;
  return loop !== undefined && muted !== undefined && title === undefined && label === undefined;
}

/** Names of videos behind a text. */
const BACKGROUND = /(?:^|[\s_-])(?:background|bg-video|video-bg|bgvideo)(?:[\s_-]|$)/i;

/** Whether a picture stands for one that was not loaded, or is an icon or a control without a text. */
function isDecoration(element: Element): boolean {
  if (element.name !== "img") return false;
  if (isTiny(element.attribs["width"]) || isTiny(element.attribs["height"])) return true;
  const source = (imageSource(element) ?? "").slice(0, MAX_SOURCE_LENGTH);
  return STANDS_FOR_OTHERS.test(source) || ((element.attribs["alt"] ?? "").trim() === "" && CONTROL.test(source));
}

/** An element of the same namespace, by which it is written as HTML. */
function like({ namespace }: Element, name: string, attributes: Record<string, string>): Element {
  const made = new Element(name, attributes, []);
  if (namespace !== undefined) made.namespace = namespace;
  return made;
}

function copyAll(element: Element): Element {
  const copy = like(element, element.name, opened(element));
  for (const child of element.children) {
    if (child instanceof Text) appendChild(copy, new Text(child.data));
    else if (isTag(child)) appendChild(copy, copyAll(child));
  }
  return copy;
}

/** An element's attributes without those that hide it. */
function opened({ name, attribs }: Element): Record<string, string> {
  const { hidden: _hidden, style, "aria-hidden": _label, ...rest } = attribs;
  if (name === "dialog") return { ...rest, open: "" };
  const shown = style?.replace(/(?:display|visibility)\s*:[^;]*;?/gi, "") ?? "";
  return shown === "" ? rest : { ...rest, style: shown };
}
