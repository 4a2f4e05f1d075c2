import { type ChildNode, type Document, type Element, isDocument, isTag, isText } from "domhandler";
import { textContent } from "domutils";
import { type PageSource } from "../../page/page.ts";
import { isHidden } from "../tree/hidden.ts";
import { PageCode } from "./page-code.ts";

/** An element of a page, with the facts that the signs use. */
export interface Surveyed {
  readonly element: Element;
  readonly name: string;
  readonly attribs: Readonly<Record<string, string>>;
  /** Characters of visible text inside the element. */
  text: number;
  /** Pictures, input fields and frames inside the element. */
  media: number;
  elements: number;
  /** Whether it is navigation, a header or a footer, or inside one. */
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
  readonly code: boolean;
}

/** Maximum number of characters of a phrase. Longer texts are content, not notices. */
const MAX_PHRASE_LENGTH = 300;
/** Characters and words that occur in notices and templates. */
const PHRASE = /\{\{|<%|…|\.\.|。/;

/** Names and roles of the parts around the content. */
const CHROME = new Set(["nav", "header", "footer", "navigation", "banner", "contentinfo"]);
const MEDIA = new Set(["img", "picture", "video", "audio", "iframe", "object", "embed", "input", "textarea", "select"]);
const NO_TEXT = new Set(["script", "style", "noscript", "title", "textarea", "iframe", "noembed", "noframes"]);
const CODE = new Set(["pre", "code", "samp", "kbd", "xmp", "textarea"]);

/** Whether an element is a template with its parent's shadow tree. */
export function isShadowRoot({ name, attribs }: Element): boolean {
  return name === "template" && attribs["shadowrootmode"] !== undefined;
}

/** Whether an element has a declarative shadow tree. */
export function hasShadowRoot({ children }: Element): boolean {
  return children.some((child) => isTag(child) && isShadowRoot(child));
}

/** Share of the visible text that is a long hidden text, and number of words of a long text in data. */
const LONG_PART = 0.5;
const MIN_WORDS = 60;

function hasLongText(data: string): boolean {
  return data.split('"').some((text) => text.split(" ").length >= MIN_WORDS);
}

const NONE: readonly Surveyed[] = [];

/** The facts about a page that the signs use, collected in one walk. */
export class Survey {
  readonly source: PageSource;
  readonly code = new PageCode();
  /** Elements in the order of the document: parents come before their children. */
  readonly elements: Surveyed[] = [];
  readonly phrases: Phrase[] = [];
  /** Characters of visible text, and of visible text outside of navigation, headers and footers. */
  text = 0;
  contentText = 0;
  hiddenText = 0;
  readonly #byName = new Map<string, readonly Surveyed[]>();
  readonly #byAttribute = new Map<string, Surveyed[]>();

  constructor(source: PageSource) {
    this.source = source;
  }

  /** Whether the page has long texts that it does not show: hidden ones, or texts in data for scripts. */
  get holdsTexts(): boolean {
    return this.hiddenText > this.text * LONG_PART || this.code.dataText.some(hasLongText);
  }

  /** The elements that have an attribute other than `class`. */
  having(attribute: string): readonly Surveyed[] {
    return this.#byAttribute.get(attribute) ?? NONE;
  }

  named(name: string): readonly Surveyed[] {
    return this.#byName.getOrInsertComputed(name, () => this.elements.filter((element) => element.name === name));
  }

  /** Adds an element. True if its content is part of the page. */
  element(element: Element, parent: number): boolean {
    const { name, attribs } = element;
    const above = this.elements[parent];
    const chrome = above?.chrome === true || CHROME.has(name) || CHROME.has(attribs["role"] ?? "");
    const hidden = above?.hidden === true || isHidden(element);
    const media = MEDIA.has(name) ? 1 : 0;
    const surveyed = { element, name, attribs, text: 0, media, elements: 0, chrome, hidden, parent };
    this.elements.push(surveyed);
    for (const attribute in attribs)
      if (attribute !== "class") this.#byAttribute.getOrInsert(attribute, []).push(surveyed);
    if (name === "script") this.code.script(element, textContent(element));
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
    if (text.length <= MAX_PHRASE_LENGTH && PHRASE.test(text)) this.phrases.push({ text, hidden, code });
  }

  /** Adds up the text, media and elements inside each element. */
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
}

/** Walks over the page once. Recursive, since the parser limits the depth of a tree. */
export function survey(tree: Document, source: PageSource): Survey {
  const found = new Survey(source);
  const visit = (nodes: readonly ChildNode[], parent: number, code: boolean): void => {
    for (const node of nodes) {
      if (isText(node)) found.addText(node.data, parent, code);
      else if (isTag(node)) {
        if (found.element(node, parent)) visit(node.children, found.elements.length - 1, code || CODE.has(node.name));
      } else if (isDocument(node)) visit(node.children, parent, code);
    }
  };
  visit(tree.children, -1, false);
  found.finish();
  return found;
}
