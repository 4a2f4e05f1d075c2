import { type ChildNode, type Document, type Element, isDocument, isTag, isText } from "domhandler";
import { type PageSource } from "../../page/page.ts";
import { isHidden } from "../hidden.ts";
import { isHarmless } from "./known-scripts.ts";
import { unasked } from "./unasked-code.ts";

/** An element of a page as the signs look at it. */
export interface Surveyed {
  readonly element: Element;
  readonly name: string;
  readonly attribs: Readonly<Record<string, string>>;
  /** Characters of visible text within. */
  text: number;
  /** Pictures, fields and frames within. */
  media: number;
  /** Elements within. */
  elements: number;
  /** Whether it is navigation, a header, a footer or an aside, or lies in one. */
  readonly chrome: boolean;
  /** Whether it is not shown, or lies in an element that is not. */
  readonly hidden: boolean;
  readonly parent: number;
}

/** A short piece of text. */
export interface Phrase {
  readonly text: string;
  readonly hidden: boolean;
  /** Whether it shows code. */
  readonly code: boolean;
}

/** What one walk over a page finds: all that the signs look at. */
export interface Survey {
  readonly source: PageSource;
  readonly elements: readonly Surveyed[];
  readonly phrases: readonly Phrase[];
  /** What the page's noscript elements hold, unparsed. */
  readonly noscripts: readonly string[];
  /** Characters of visible text, and those of them outside of navigation, headers, footers and asides. */
  readonly text: number;
  readonly contentText: number;
  /** Characters of text that is there, and hidden. */
  readonly hiddenText: number;
  /** Inline scripts that run, whole and without what waits for a person's act. */
  readonly inline: readonly InlineScript[];
  /** Addresses of scripts that are none of the known harmless ones. */
  readonly unknown: readonly string[];
  /** Characters of data that is embedded for scripts. */
  readonly data: number;
  /** Types of script elements that hold templates. */
  readonly templates: number;
  /** Whether anything in the page runs, harmless or not. */
  readonly hasCode: boolean;
}

export interface InlineScript {
  readonly whole: string;
  /** Without comments and without handlers of what a person does. */
  readonly code: string;
  /** The same without the contents of strings. */
  readonly bare: string;
}

/** Inline code that is looked at, in characters of all scripts together; what is longer counts as unknown. */
const MAX_CODE_LENGTH = 2_000_000;

/** Longer pieces of text are content, and no notice. */
const MAX_PHRASE_LENGTH = 300;

const CHROME = new Set(["nav", "header", "footer", "aside"]);
const MEDIA = new Set(["img", "picture", "video", "audio", "iframe", "object", "embed", "input", "textarea", "select"]);
const NO_TEXT = new Set(["script", "style", "noscript", "title", "textarea", "iframe", "noembed", "noframes"]);
const CODE = new Set(["pre", "code", "samp", "kbd", "xmp", "textarea"]);

/** Types of scripts that a browser runs (WHATWG HTML §4.12.1), and those that a proxy of the site's runs later. */
const CODE_TYPE =
  /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script|text\/jscript|[\da-f]+-text\/javascript)$/;
const TEMPLATE_TYPE =
  /^(?:text|application)\/(?:x-)?(?:template|handlebars(?:-template)?|mustache|underscore|ng-template|html|jquery-tmpl|jsrender|babel|jsx|vue|elm)$/;
const DATA_TYPE = /json|^application\/(?:graphql|x-deferred-state)/;
/** Whether an element is a template whose content is its parent's shadow tree. */
export function isShadowRoot({ name, attribs }: Element): boolean {
  return name === "template" && attribs["shadowrootmode"] !== undefined;
}

class Surveyor {
  readonly elements: Surveyed[] = [];
  readonly phrases: Phrase[] = [];
  readonly noscripts: string[] = [];
  readonly inline: InlineScript[] = [];
  readonly unknown: string[] = [];
  contentText = 0;
  hiddenText = 0;
  data = 0;
  templates = 0;
  hasCode = false;
  #codeLength = 0;

  /** Adds an element; answers whether what is in it is part of the page. */
  element(element: Element, parent: number): boolean {
    const { name, attribs } = element;
    const above = this.elements[parent];
    const chrome = above?.chrome === true || CHROME.has(name) || attribs["role"] === "navigation";
    const hidden = above?.hidden === true || isHidden(element);
    this.elements.push({
      element,
      name,
      attribs,
      text: 0,
      media: MEDIA.has(name) ? 1 : 0,
      elements: 0,
      chrome,
      hidden,
      parent,
    });
    if (name === "script") this.#script(attribs, contentOf(element));
    else if (name === "noscript") this.noscripts.push(contentOf(element));
    else if (name === "body") this.#handler(attribs["onload"] ?? attribs["onpageshow"] ?? "");
    // A template's content and what stands between tags that hold text alone are not shown.
    return (name !== "template" || isShadowRoot(element)) && name !== "head" && !NO_TEXT.has(name);
  }

  counts(): Omit<Survey, "source" | "elements" | "text"> {
    const { phrases, noscripts, contentText, hiddenText, inline, unknown, data, templates, hasCode } = this;
    return { phrases, noscripts, contentText, hiddenText, inline, unknown, data, templates, hasCode };
  }

  text(data: string, parent: number, code: boolean): void {
    const above = this.elements[parent];
    const text = data.trim();
    if (text === "" || above === undefined) return;
    if (above.hidden) this.hiddenText += text.length;
    else {
      above.text += text.length;
      if (!above.chrome) this.contentText += text.length;
    }
    if (text.length <= MAX_PHRASE_LENGTH) this.phrases.push({ text, hidden: above.hidden, code });
    else if (text.includes("{{"))
      this.phrases.push({ text: text.slice(text.indexOf("{{")), hidden: above.hidden, code });
  }

  #script(attribs: Readonly<Record<string, string>>, code: string): void {
    const type = (attribs["type"] ?? attribs["language"] ?? "").trim().toLowerCase();
    if (TEMPLATE_TYPE.test(type)) {
      // WordPress keeps those of its own parts in each of its pages.
      if (attribs["id"]?.startsWith("tmpl-") !== true) this.templates += 1;
    } else if (DATA_TYPE.test(type)) {
      if (!type.includes("ld+json") && !type.includes("speculation")) this.data += code.length;
    } else if (CODE_TYPE.test(type.replace(/^language=/, "")) || type.startsWith("javascript")) {
      if (attribs["nomodule"] !== undefined) return;
      this.hasCode = true;
      const src = attribs["src"] ?? attribs["href"] ?? attribs["xlink:href"];
      if (src === undefined) this.#inline(code);
      else if (!isHarmless(src)) this.unknown.push(src);
    }
  }

  #handler(code: string): void {
    if (code.trim() === "") return;
    this.hasCode = true;
    this.#inline(code);
  }

  #inline(code: string): void {
    this.#codeLength += code.length;
    if (this.#codeLength > MAX_CODE_LENGTH) this.unknown.push("inline");
    else this.inline.push({ whole: code, ...unasked(code) });
  }
}

/** Walks over the page once, without recursion. */
export function survey(tree: Document, source: PageSource): Survey {
  const found = new Surveyor();
  interface Step {
    readonly node: ChildNode;
    readonly parent: number;
    readonly code: boolean;
  }
  const steps: Step[] = [];
  const push = (children: readonly ChildNode[], parent: number, code: boolean) => {
    for (let at = children.length - 1; at >= 0; at -= 1) {
      const node = children[at];
      if (node !== undefined) steps.push({ node, parent, code });
    }
  };
  push(tree.children, -1, false);
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    const { node, parent, code } = step;
    if (isText(node)) found.text(node.data, parent, code);
    // What a template holds is a document of its own.
    if (isDocument(node)) push(node.children, parent, code);
    if (!isTag(node)) continue;
    const shown = found.element(node, parent);
    const at = found.elements.length - 1;
    if (shown) push(node.children, at, code || CODE.has(node.name));
    else if (node.name === "head")
      push(
        node.children.filter((child) => isTag(child)),
        at,
        code,
      );
  }
  addUp(found.elements);
  const { elements } = found;
  const text = elements.reduce((sum, element) => (element.parent === -1 ? sum + element.text : sum), 0);
  return { ...found.counts(), source, elements, text };
}

/** Children stand behind their parents, so that one pass from the end adds all up. */
function addUp(elements: readonly Surveyed[]): void {
  for (let at = elements.length - 1; at >= 0; at -= 1) {
    const element = elements[at];
    const parent = element === undefined ? undefined : elements[element.parent];
    if (element === undefined || parent === undefined) continue;
    parent.text += element.text;
    parent.media += element.media;
    parent.elements += element.elements + 1;
  }
}

function contentOf(element: Element): string {
  let content = "";
  for (const child of element.children) if (isText(child)) content += child.data;
  return content;
}
