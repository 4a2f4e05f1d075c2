import { type AnyNode, Document, Element, Text, isTag } from "domhandler";
import { parseHTML } from "linkedom";
import { append } from "./tree-copy.ts";

/** The part of a linkedom node that conversion works with; the project is compiled without the browser's global types. */
interface LinkedomNode {
  readonly nodeType: number;
  readonly localName: string;
  readonly firstChild: LinkedomNode | null;
  readonly nextSibling: LinkedomNode | null;
  readonly parentNode: LinkedomNode | null;
  readonly textContent: string | null;
  appendChild(child: LinkedomNode): void;
  getAttributeNames(): Iterable<string>;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  remove(): void;
}

export interface LinkedomDocument extends LinkedomNode {
  readonly documentElement: LinkedomNode;
  createElement(name: string): LinkedomNode;
  createTextNode(text: string): LinkedomNode;
}

const ELEMENT_NODE = 1;
const TEXT_NODE = 3;

/** Attributes that neither an extractor nor Markdown asks for cost half of the conversion. */
const ATTRIBUTES = new Set(
  (
    "align alt aria-hidden aria-label aria-modal aria-level checked cite class colspan content data-lang data-language " +
    "data-latex data-src data-srcset datetime dir headers height href id itemprop itemscope itemtype lang name open " +
    "property rel role rowspan scope span src srcset start title type value width"
  ).split(" "),
);

/**
 * A linkedom document that is the same tree, node by node. linkedom's own parser knows neither implied elements nor misnested
 * ones; and the tree's text parsed again by it costs half as much again (bench reader).
 */
export function linkedomDocument(tree: Document, url: string): LinkedomDocument {
  // linkedom's own types name the browser's global ones, which are not known here.
  const document = parseHTML("<html></html>").document as unknown as LinkedomDocument;
  document.documentElement.remove();
  // Otherwise the library looks for the address of the program.
  Object.defineProperties(document, { baseURI: { value: url }, documentURI: { value: url }, URL: { value: url } });
  copy(tree, document, (node) => {
    if (node instanceof Text) return document.createTextNode(node.data);
    if (!isTag(node)) return undefined;
    const element = document.createElement(node.name);
    for (const name of Object.keys(node.attribs)) {
      if (ATTRIBUTES.has(name)) element.setAttribute(name, node.attribs[name] ?? "");
    }
    return element;
  });
  return document;
}

/** Walks both trees at once, without recursion. */
function copy(from: Document, to: LinkedomNode, make: (node: AnyNode) => LinkedomNode | undefined): void {
  let node: AnyNode | null = from.firstChild;
  let parent: LinkedomNode | null = to;
  while (node !== null && parent !== null) {
    const made = make(node);
    if (made !== undefined) parent.appendChild(made);
    const first: AnyNode | null = made !== undefined && isTag(node) ? node.firstChild : null;
    if (first !== null && made !== undefined) {
      parent = made;
      node = first;
      continue;
    }
    while (node !== null && node.nextSibling === null) {
      node = node.parent;
      if (node === from) return;
      parent = parent?.parentNode ?? null;
    }
    node = node?.nextSibling ?? null;
  }
}

/** The tree that a linkedom element and what it holds is. */
export function treeOf(root: LinkedomNode): Document {
  const tree = new Document([]);
  let node: LinkedomNode | null = root;
  let parent: Document | Element = tree;
  while (node !== null) {
    const made = nodeOf(node);
    if (made !== undefined) append(parent, made);
    if (made instanceof Element && node.firstChild !== null) {
      parent = made;
      node = node.firstChild;
      continue;
    }
    while (node !== null && node !== root && node.nextSibling === null) {
      node = node.parentNode;
      parent = parent.parent instanceof Element || parent.parent instanceof Document ? parent.parent : tree;
    }
    node = node === null || node === root ? null : node.nextSibling;
  }
  return tree;
}

function nodeOf(node: LinkedomNode): Element | Text | undefined {
  if (node.nodeType === TEXT_NODE) return new Text(node.textContent ?? "");
  if (node.nodeType !== ELEMENT_NODE) return undefined;
  const attributes: Record<string, string> = Object.create(null);
  for (const name of node.getAttributeNames()) attributes[name] = node.getAttribute(name) ?? "";
  return new Element(node.localName.toLowerCase(), attributes);
}
