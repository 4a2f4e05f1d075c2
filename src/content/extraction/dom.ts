import { parseHTML } from "linkedom";

/** The part of the DOM that extraction works with; the project is compiled without the browser's global types. */
export interface DomNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly childNodes: readonly DomNode[];
  textContent: string | null;
}

export interface DomElement extends DomNode {
  readonly outerHTML: string;
  readonly firstElementChild: DomElement | null;
  readonly nextElementSibling: DomElement | null;
  readonly parentElement: DomElement | null;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  hasAttribute(name: string): boolean;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
  closest(selector: string): DomElement | null;
  append(...nodes: readonly DomNode[]): void;
  replaceWith(...nodes: readonly DomNode[]): void;
  replaceChildren(...nodes: readonly DomNode[]): void;
  remove(): void;
}

export interface DomDocument extends DomElement {
  readonly title: string;
  readonly body: DomElement;
  readonly documentElement: DomElement;
  createElement(name: string): DomElement;
  createTextNode(text: string): DomNode;
}

export function parseDocument(html: string): DomDocument {
  // linkedom's own types name the browser's global ones, which are not known here.
  return parseHTML(html).document;
}
