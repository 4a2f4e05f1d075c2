import { type AnyNode, Document as Tree, Element, isTag, isText, Text } from "domhandler";
import { append } from "./tree-copy.ts";

const ELEMENT_NODE = 1;
const TEXT_NODE = 3;
const DOCUMENT_NODE = 9;

type Attributes = Record<string, string>;

/** A node that its parent links to its neighbours, as in the DOM. */
class LightNode {
  parentNode: LightElement | null = null;
  previousSibling: LightChild | null = null;
  nextSibling: LightChild | null = null;

  remove(): void {
    // Only elements and text are ever put below a parent.
    this.parentNode?.removeChild(this as unknown as LightChild);
  }
}

export type LightChild = LightElement | LightText;

/** Readability asks texts for them as well. */
const NO_NODES: readonly LightChild[] = [];

export class LightText extends LightNode {
  readonly nodeType = TEXT_NODE;
  readonly nodeName = "#text";
  readonly localName = "";
  readonly firstChild = null;
  readonly childNodes: readonly LightChild[] = NO_NODES;
  data: string;

  constructor(data: string) {
    super();
    this.data = data;
  }

  get textContent(): string {
    return this.data;
  }

  clone(): LightText {
    return new LightText(this.data);
  }
}

/** What Readability asks of an element, and no more; texts are kept until the document is changed. */
export class LightElement extends LightNode {
  readonly nodeType: number = ELEMENT_NODE;
  /** Readability renames elements in place where it finds this; elsewhere it makes another and moves all children. */
  // oxlint-disable-next-line no-underscore-dangle -- the library names it so
  readonly __JSDOMParser__ = true;
  readonly ownerDocument: LightDocument;
  localName: string;
  /** Undefined for a document alone, by which Readability tells that the root element is no candidate. */
  tagName: string | undefined;
  firstChild: LightChild | null = null;
  lastChild: LightChild | null = null;
  #attributes: Attributes;
  #children: LightElement[] | undefined;
  #childNodes: LightChild[] | undefined;
  #text = "";
  #textOf = -1;
  #folded = "";
  #foldedOf: string | undefined;

  constructor(ownerDocument: LightDocument | undefined, name: string, attributes: Attributes) {
    super();
    // A document is its own.
    this.ownerDocument = ownerDocument ?? (this as unknown as LightDocument);
    this.localName = name;
    this.tagName = name.toUpperCase();
    this.#attributes = attributes;
  }

  get nodeName(): string {
    return this.tagName ?? this.localName;
  }

  get childNodes(): readonly LightChild[] {
    if (this.#childNodes !== undefined) return this.#childNodes;
    const nodes: LightChild[] = [];
    for (let node = this.firstChild; node !== null; node = node.nextSibling) nodes.push(node);
    this.#childNodes = nodes;
    return nodes;
  }

  get children(): readonly LightElement[] {
    this.#children ??= this.childNodes.filter((node) => node instanceof LightElement);
    return this.#children;
  }

  get firstElementChild(): LightElement | null {
    return elementFrom(this.firstChild, "nextSibling");
  }

  get nextElementSibling(): LightElement | null {
    return elementFrom(this.nextSibling, "nextSibling");
  }

  get previousElementSibling(): LightElement | null {
    return elementFrom(this.previousSibling, "previousSibling");
  }

  get textContent(): string {
    const { edits } = this.ownerDocument;
    if (this.#textOf === edits) return this.#text;
    let text = "";
    // The depth is that of the tree, which is bounded by MAX_DEPTH of tree.ts.
    for (let node = this.firstChild; node !== null; node = node.nextSibling) text += node.textContent;
    this.#text = text;
    this.#textOf = edits;
    return text;
  }

  /** The text without white space at its ends and with single spaces in it. */
  get foldedText(): string {
    const text = this.textContent;
    if (this.#foldedOf === text) return this.#folded;
    this.#foldedOf = text;
    this.#folded = text.trim().replace(/\s{2,}/g, " ");
    return this.#folded;
  }

  set textContent(text: string) {
    this.#empty();
    if (text !== "") this.appendChild(new LightText(text));
  }

  /** Not HTML but a mark for a copy of what is in the element, which setting it brings back. */
  get innerHTML(): string {
    return this.ownerDocument.keep(this.childNodes.map((node) => node.clone()));
  }

  set innerHTML(mark: string) {
    this.#empty();
    for (const node of this.ownerDocument.kept(mark)) this.appendChild(node.clone());
  }

  get className(): string {
    return this.#attributes["class"] ?? "";
  }

  set className(value: string) {
    this.setAttribute("class", value);
  }

  get id(): string {
    return this.#attributes["id"] ?? "";
  }

  set id(value: string) {
    this.setAttribute("id", value);
  }

  get attributes(): readonly LightAttribute[] {
    return Object.keys(this.#attributes).map((name) => new LightAttribute(name, this.#attributes[name] ?? ""));
  }

  getAttribute(name: string): string | null {
    return this.#attributes[name] ?? null;
  }

  hasAttribute(name: string): boolean {
    return this.#attributes[name] !== undefined;
  }

  setAttribute(name: string, value: string): void {
    this.#attributes[name] = value;
  }

  setAttributeNode({ name, value }: LightAttribute): void {
    this.#attributes[name] = value;
  }

  removeAttribute(name: string): void {
    delete this.#attributes[name];
  }

  /** All below the element, of this name or, for "*", of any. */
  getElementsByTagName(name: string): LightElement[] {
    const wanted = name === "*" ? undefined : new Set([name.toLowerCase()]);
    return this.#below(wanted);
  }

  /** Knows lists of names alone, which is all that Readability asks for. */
  querySelectorAll(names: string): LightElement[] {
    return this.#below(new Set(names.split(",").map((name) => name.trim().toLowerCase())));
  }

  appendChild<T extends LightChild>(child: T): T {
    child.remove();
    child.parentNode = this;
    child.previousSibling = this.lastChild;
    if (this.lastChild === null) this.firstChild = child;
    else this.lastChild.nextSibling = child;
    this.lastChild = child;
    this.#changed();
    return child;
  }

  removeChild<T extends LightChild>(child: T): T {
    const { previousSibling, nextSibling } = child;
    if (previousSibling === null) this.firstChild = nextSibling;
    else previousSibling.nextSibling = nextSibling;
    if (nextSibling === null) this.lastChild = previousSibling;
    else nextSibling.previousSibling = previousSibling;
    child.parentNode = null;
    child.previousSibling = null;
    child.nextSibling = null;
    this.#changed();
    return child;
  }

  replaceChild<T extends LightChild>(child: LightChild, old: T): T {
    if (child === old) return old;
    child.remove();
    const { previousSibling, nextSibling } = old;
    child.parentNode = this;
    child.previousSibling = previousSibling;
    child.nextSibling = nextSibling;
    if (previousSibling === null) this.firstChild = child;
    else previousSibling.nextSibling = child;
    if (nextSibling === null) this.lastChild = child;
    else nextSibling.previousSibling = child;
    old.parentNode = null;
    old.previousSibling = null;
    old.nextSibling = null;
    this.#changed();
    return old;
  }

  clone(): LightElement {
    const copy = new LightElement(this.ownerDocument, this.localName, Object.assign(bare(), this.#attributes));
    for (let node = this.firstChild; node !== null; node = node.nextSibling) copy.appendChild(node.clone());
    return copy;
  }

  /** The element without what it holds, for a tree. */
  toElement(): Element {
    return new Element(this.localName, Object.assign(bare(), this.#attributes), []);
  }

  #below(wanted: ReadonlySet<string> | undefined): LightElement[] {
    const found: LightElement[] = [];
    let node = this.firstElementChild;
    while (node !== null) {
      if (wanted === undefined || wanted.has(node.localName)) found.push(node);
      let next = node.firstElementChild;
      for (
        let above: LightElement | null = node;
        next === null && above !== null && above !== this;
        above = above.parentNode
      ) {
        next = above.nextElementSibling;
      }
      node = next;
    }
    return found;
  }

  #empty(): void {
    while (this.firstChild !== null) this.removeChild(this.firstChild);
  }

  #changed(): void {
    this.#children = undefined;
    this.#childNodes = undefined;
    this.ownerDocument.edits += 1;
  }
}

class LightAttribute {
  readonly name: string;
  readonly value: string;

  constructor(name: string, value: string) {
    this.name = name;
    this.value = value;
  }

  cloneNode(): LightAttribute {
    return this;
  }
}

export class LightDocument extends LightElement {
  override readonly nodeType = DOCUMENT_NODE;
  /** Counts all changes: what was found out before one is no longer true. */
  edits = 0;
  readonly baseURI: string;
  readonly documentURI: string;
  readonly #kept: LightChild[][] = [];

  constructor(url: string) {
    super(undefined, "#document", bare());
    this.tagName = undefined;
    this.baseURI = url;
    this.documentURI = url;
  }

  get documentElement(): LightElement | null {
    return this.firstElementChild;
  }

  get body(): LightElement | null {
    return this.documentElement?.children.find((element) => element.localName === "body") ?? null;
  }

  get title(): string {
    return this.getElementsByTagName("title")[0]?.textContent ?? "";
  }

  createElement(name: string): LightElement {
    return new LightElement(this, name.toLowerCase(), bare());
  }

  createTextNode(text: string): LightText {
    return new LightText(text);
  }

  keep(nodes: LightChild[]): string {
    return String(this.#kept.push(nodes) - 1);
  }

  kept(mark: string): readonly LightChild[] {
    return this.#kept[Number(mark)] ?? [];
  }
}

function bare(): Attributes {
  // Names come from strangers' pages: "__proto__" must be one like any other.
  return Object.create(null);
}

function elementFrom(from: LightChild | null, way: "nextSibling" | "previousSibling"): LightElement | null {
  let node = from;
  while (node !== null && !(node instanceof LightElement)) node = node[way];
  return node;
}

/**
 * A document of the least that Readability can work on, made of a page's tree: a third of the time that it takes on
 * linkedom (`npm run bench -- reader`).
 */
export function lightDocument(tree: Tree, url: string): LightDocument {
  const document = new LightDocument(url);
  let parent: LightElement = document;
  let node: AnyNode | null = tree.firstChild;
  while (node !== null) {
    let made: LightElement | undefined;
    if (isText(node)) parent.appendChild(new LightText(node.data));
    else if (isTag(node)) {
      made = new LightElement(document, node.name, Object.assign(bare(), node.attribs));
      parent.appendChild(made);
    }
    if (made !== undefined && "firstChild" in node && node.firstChild !== null) {
      parent = made;
      node = node.firstChild;
      continue;
    }
    while (node !== null && node.nextSibling === null) {
      node = node.parent;
      if (node === tree || node === null) return document;
      parent = parent.parentNode ?? document;
    }
    node = node?.nextSibling ?? null;
  }
  return document;
}

/** The tree that an element and what it holds is. */
export function treeOf(root: LightElement): Tree {
  const tree = new Tree([]);
  let node: LightChild | null = root;
  let parent: Tree | Element = tree;
  while (node !== null) {
    const made = node instanceof LightElement ? node.toElement() : new Text(node.data);
    append(parent, made);
    if (made instanceof Element && node.firstChild !== null) {
      parent = made;
      node = node.firstChild;
      continue;
    }
    while (node !== null && node !== root && node.nextSibling === null) {
      node = node.parentNode;
      parent = parent.parent instanceof Element || parent.parent instanceof Tree ? parent.parent : tree;
    }
    node = node === null || node === root ? null : node.nextSibling;
  }
  return tree;
}
