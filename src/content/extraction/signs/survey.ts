import { type ChildNode, type Document, type Element, isDocument, isTag, isText } from "domhandler";
import { type PageSource } from "../../page/page.ts";
import { isHidden } from "../hidden.ts";
import { PageCode } from "./page-code.ts";

/** An element of a page, as the signs use it. */
export interface Surveyed {
  readonly element: Element;
  readonly name: string;
  readonly attribs: Readonly<Record<string, string>>;
  /** Characters of visible text inside the element. */
  text: number;
  /** Pictures, input fields and frames inside the element. */
  media: number;
  /** Elements inside the element. */
  elements: number;
  /** Whether it is navigation, a header, a footer or an aside, or inside one. */
  readonly chrome: boolean;
  /** Whether it is hidden, or inside a hidden element. */
  readonly hidden: boolean;
  /** The index of its parent among the elements. -1 if the parent is the document. */
  readonly parent: number;
}

/** A short text that may be a notice or a template. */
export interface Phrase {
  readonly text: string;
  readonly hidden: boolean;
  /** Whether the text is in a code element. */
  readonly code: boolean;
}

/** Characters of a phrase. Longer texts are content, not notices. */
const MAX_PHRASE_LENGTH = 300;
/** Characters and words that occur in notices and templates. */
const PHRASE = /\{\{|<%|…|\.\.|。|script/i;

const CHROME = new Set(["nav", "header", "footer", "aside"]);
const MEDIA = new Set(["img", "picture", "video", "audio", "iframe", "object", "embed", "input", "textarea", "select"]);
const NO_TEXT = new Set(["script", "style", "noscript", "title", "textarea", "iframe", "noembed", "noframes"]);
const CODE = new Set(["pre", "code", "samp", "kbd", "xmp", "textarea"]);
/** Attributes that, together with the class, decide whether an element is hidden. */
const HIDING = ["hidden", "style", "aria-hidden", "id"];

/** Whether an element is a template with its parent's shadow tree. */
export function isShadowRoot({ name, attribs }: Element): boolean {
  return name === "template" && attribs["shadowrootmode"] !== undefined;
}

const NONE: readonly Surveyed[] = [];

/** The results of one walk over a page, which all signs use. */
export class Survey {
  readonly source: PageSource;
  readonly code = new PageCode();
  /** Elements in the order of the document: parents come before their children. */
  readonly elements: Surveyed[] = [];
  readonly phrases: Phrase[] = [];
  /** The content of the page's noscript elements, unparsed. */
  readonly noscripts: string[] = [];
  /** Characters of visible text, and of visible text outside of navigation, headers, footers and asides. */
  text = 0;
  contentText = 0;
  /** Characters of hidden text. */
  hiddenText = 0;
  readonly #byName = new Map<string, Surveyed[]>();
  readonly #byAttribute = new Map<string, Surveyed[]>();
  readonly #byClass = new Map<string, Surveyed[]>();
  readonly #hiddenByClass = new Map<string, boolean>();

  constructor(source: PageSource) {
    this.source = source;
  }

  /** The elements that have an attribute. */
  having(attribute: string): readonly Surveyed[] {
    return this.#byAttribute.get(attribute) ?? NONE;
  }

  /** The elements with a name. */
  named(name: string): readonly Surveyed[] {
    return this.#byName.get(name) ?? NONE;
  }

  /** Whether a custom element meets the condition. */
  someCustom(fits: (element: Surveyed) => boolean): boolean {
    for (const [name, elements] of this.#byName) {
      if (name.includes("-") && elements.some((element) => fits(element))) return true;
    }
    return false;
  }

  hasAny(attributes: readonly string[]): boolean {
    return attributes.some((attribute) => this.#byAttribute.has(attribute));
  }

  /** Whether an element with matching classes meets the condition. Each list of classes is tested once. */
  someOfClass(classes: RegExp, fits: (element: Surveyed) => boolean): boolean {
    for (const [names, elements] of this.#byClass) {
      if (classes.test(names) && elements.some((element) => fits(element))) return true;
    }
    return false;
  }

  /** Adds an element. True if its content is part of the page. */
  element(element: Element, parent: number): boolean {
    const { name, attribs } = element;
    const above = this.elements[parent];
    const chrome = above?.chrome === true || CHROME.has(name) || attribs["role"] === "navigation";
    const hidden = above?.hidden === true || this.#isHidden(element);
    const media = MEDIA.has(name) ? 1 : 0;
    const surveyed = { element, name, attribs, text: 0, media, elements: 0, chrome, hidden, parent };
    this.elements.push(surveyed);
    add(this.#byName, name, surveyed);
    for (const attribute in attribs) add(this.#byAttribute, attribute, surveyed);
    const names = attribs["class"];
    if (names !== undefined) add(this.#byClass, names, surveyed);
    if (name === "script") this.code.script(attribs, contentOf(element));
    else if (name === "noscript") this.noscripts.push(contentOf(element));
    else if (name === "body") this.code.handler(attribs["onload"] ?? attribs["onpageshow"] ?? "");
    // The content of templates, and of elements that contain only text, is not shown.
    return (name !== "template" || isShadowRoot(element)) && !NO_TEXT.has(name);
  }

  addText(data: string, parent: number, code: boolean): void {
    const above = this.elements[parent];
    const text = data.trim();
    if (text === "" || above === undefined) return;
    const { hidden, chrome } = above;
    if (hidden) this.hiddenText += text.length;
    else {
      above.text += text.length;
      this.text += text.length;
      if (!chrome) this.contentText += text.length;
    }
    if (text.length <= MAX_PHRASE_LENGTH) {
      if (PHRASE.test(text)) this.phrases.push({ text, hidden, code });
    } else {
      const at = text.indexOf("{{");
      if (at !== -1) this.phrases.push({ text: text.slice(at), hidden, code });
    }
  }

  /** Sums up the content of each element. */
  finish(): void {
    for (let at = this.elements.length - 1; at >= 0; at -= 1) {
      const element = this.elements[at];
      const parent = element === undefined ? undefined : this.elements[element.parent];
      if (element === undefined || parent === undefined) continue;
      parent.text += element.text;
      parent.media += element.media;
      parent.elements += element.elements + 1;
    }
  }

  #isHidden(element: Element): boolean {
    const { name, attribs } = element;
    const names = attribs["class"];
    for (const attribute of HIDING) if (attribs[attribute] !== undefined) return isHidden(element);
    if (names === undefined) return name === "dialog" && isHidden(element);
    const key = `${name} ${names}`;
    const known = this.#hiddenByClass.get(key);
    if (known !== undefined) return known;
    const hidden = isHidden(element);
    this.#hiddenByClass.set(key, hidden);
    return hidden;
  }
}

/** Walks over the page once, without recursion. */
export function survey(tree: Document, source: PageSource): Survey {
  const found = new Survey(source);
  // Three stacks of the same height. Creating an object for each node would take most of the time.
  const nodes: ChildNode[] = [];
  const parents: number[] = [];
  const inCode: boolean[] = [];
  const push = (children: readonly ChildNode[], parent: number, code: boolean) => {
    for (let at = children.length - 1; at >= 0; at -= 1) {
      const node = children[at];
      if (node === undefined) continue;
      nodes.push(node);
      parents.push(parent);
      inCode.push(code);
    }
  };
  push(tree.children, -1, false);
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    const parent = parents.pop() ?? -1;
    const code = inCode.pop() ?? false;
    if (isText(node)) found.addText(node.data, parent, code);
    else if (isTag(node)) {
      if (found.element(node, parent)) push(node.children, found.elements.length - 1, code || CODE.has(node.name));
    } else if (isDocument(node)) push(node.children, parent, code);
  }
  found.finish();
  return found;
}

function contentOf(element: Element): string {
  let content = "";
  for (const child of element.children) if (isText(child)) content += child.data;
  return content;
}

function add(index: Map<string, Surveyed[]>, key: string, element: Surveyed): void {
  const known = index.get(key);
  if (known === undefined) index.set(key, [element]);
  else known.push(element);
}
