import { type AnyNode, type Document, Text, isTag } from "domhandler";
import { parseHTML } from "linkedom";

/** The part of a linkedom node that conversion works with; the project is compiled without the browser's global types. */
interface LinkedomNode {
  readonly parentNode: LinkedomNode | null;
  appendChild(child: LinkedomNode): void;
  setAttribute(name: string, value: string): void;
  remove(): void;
}

export interface LinkedomDocument extends LinkedomNode {
  readonly documentElement: LinkedomNode;
  createElement(name: string): LinkedomNode;
  createTextNode(text: string): LinkedomNode;
}

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
