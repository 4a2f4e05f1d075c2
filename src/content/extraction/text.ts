import { type Element, type ParentNode, isTag, isText } from "domhandler";
import { prevElementSibling, textContent } from "domutils";
import { isBlock } from "./tree/display.ts";
import { optionsText } from "./markdown/media.ts";
import { texOfMath, texOfScript } from "./markdown/math.ts";
import { foldWhiteSpace } from "./tree/white-space.ts";

export interface TextLimits {
  /** In characters. The text may exceed it by one text node. */
  readonly length: number;
  readonly nodes: number;
}

const NO_LIMITS: TextLimits = { length: Number.POSITIVE_INFINITY, nodes: Number.POSITIVE_INFINITY };

const VERBATIM = new Set(["pre", "listing", "xmp", "plaintext", "textarea"]);

/** The text of an element that does not show the text of its children. */
type OwnText = (element: Element, startsLine: boolean) => string | undefined;

/**
 * The text of a tree that prune.ts prepared, as a reader sees it. Blocks are on separate lines, tabs separate the cells
 * of a row, code is unchanged, and other white space is folded.
 */
export function toText(root: ParentNode, limits: TextLimits = NO_LIMITS): string {
  return new TextWriter(limits, shownText).write(root);
}

/** Code and embedded content. It is not part of the text around it, but is text if it is selected itself. */
const APART = new Set(["script", "style", "template", "noscript", "iframe", "noembed", "noframes"]);

/** The text of an element that a selector matches, in the same form. Its tree may have hidden parts. */
export function elementText(element: Element): string {
  if (APART.has(element.name)) return textContent(element).trim();
  return new TextWriter(NO_LIMITS, ({ name }) => (APART.has(name) ? "" : undefined)).write(element).trim();
}

class TextWriter {
  readonly #limits: TextLimits;
  readonly #ownText: OwnText;
  readonly #lines: string[] = [];
  #line = "";
  #spaced = false;
  #length = 0;
  #nodes = 0;

  constructor(limits: TextLimits, ownText: OwnText) {
    this.#limits = limits;
    this.#ownText = ownText;
  }

  write(root: ParentNode): string {
    this.#children(root, isTag(root) && VERBATIM.has(root.name));
    this.#endLine();
    return this.#lines.join("\n");
  }

  /** Recursive: tree.ts limits the depth of trees. */
  #children(node: ParentNode, verbatim: boolean): void {
    for (const child of node.children) {
      this.#nodes += 1;
      if (this.#length > this.#limits.length || this.#nodes > this.#limits.nodes) return;
      if (isText(child)) {
        if (verbatim) this.#verbatim(child.data);
        else this.#text(child.data);
      } else if (isTag(child)) this.#element(child, verbatim);
    }
  }

  #element(element: Element, verbatim: boolean): void {
    const { name } = element;
    if (name === "head") return;
    if (name === "br") return this.#endLine();
    if (name === "td" || name === "th") return this.#cell(element);
    const block = name === "option" || isBlock(element);
    // Browsers draw these elements as boxes, so their words are separate from the words around them.
    const isApart = name === "button" || name === "select";
    this.#spaced ||= isApart;
    if (block) this.#endLine();
    if (name === "rt" || name === "q") this.#enclosed(element, name);
    else {
      const own = this.#ownText(element, this.#line === "");
      if (own !== undefined) this.#text(own);
      else this.#children(element, verbatim || VERBATIM.has(name));
    }
    this.#spaced ||= isApart;
    if (block) this.#endLine();
  }

  #enclosed(element: Element, name: "rt" | "q"): void {
    this.#text(name === "q" ? "“" : "(");
    this.#children(element, false);
    this.#text(name === "q" ? "”" : ")");
  }

  #cell(cell: Element): void {
    if (prevElementSibling(cell) !== null) {
      this.#line += "\t";
      this.#spaced = false;
    }
    this.#children(cell, false);
  }

  #text(data: string): void {
    const folded = foldWhiteSpace(data);
    const core = folded.trim();
    if (core === "") {
      this.#spaced ||= folded !== "";
      return;
    }
    if ((this.#spaced || !folded.startsWith(core)) && this.#line !== "" && !this.#line.endsWith("\t"))
      this.#line += " ";
    this.#line += core;
    this.#length += core.length;
    this.#spaced = !folded.endsWith(core);
  }

  #verbatim(data: string): void {
    this.#length += data.length;
    const [first = "", ...others] = data.split("\n");
    this.#line += first;
    for (const line of others) {
      this.#lines.push(this.#line.trimEnd());
      this.#line = line;
    }
  }

  #endLine(): void {
    const line = this.#line.trimEnd();
    if (line !== "") this.#lines.push(line);
    this.#line = "";
    this.#spaced = false;
  }
}

function shownText(element: Element, startsLine: boolean): string | undefined {
  const { name, attribs } = element;
  if (name === "math") return texOfMath(element);
  if (name === "script") return texOfScript(element);
  if (name === "select") return optionsText(element);
  if (name !== "input" || attribs["type"]?.toLowerCase() !== "checkbox" || !startsLine) return undefined;
  return attribs["checked"] === undefined ? "[ ] " : "[x] ";
}
