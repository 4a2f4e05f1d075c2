import { type Element, isTag } from "domhandler";
import { textContent } from "domutils";
import { type ESTree } from "meriyah";
import { type Call } from "./browser.ts";
import { hasContent, hasWords, isOther, isWithoutContent } from "./content.ts";
import { isBrowserObject } from "../values/browser.ts";
import { isAside } from "../values/page-elements.ts";
import { type Code } from "../syntax/scope.ts";
import { type Running } from "./running.ts";
import { type Node, propertyName } from "../syntax/syntax.ts";
import { constant, elements, tagsIn, textOf, UNKNOWN, type Value } from "../values/value.ts";
import { type Values } from "../values/values.ts";

const TEXT = /^(?:textContent|innerText|outerText|innerHTML|outerHTML|nodeValue|srcdoc)$/;
const INSERTS =
  /^(?:append|prepend|after|before|appendChild|insertBefore|replaceWith|replaceChildren|replaceChild|insertAdjacent(?:HTML|Element|Text)|setHTML|setHTMLUnsafe|insertRow|insertCell|moveBefore|insertNode|html|text|load)$/;
/** Methods that also exist on other objects. */
const AMBIGUOUS = /^(?:append|before|after)$/;
/** Methods that insert beside an element. */
const BESIDE = /^(?:after|before|replaceWith|beforebegin|afterend)$/;
const INTO = /^(?:appendTo|prependTo|insertAfter|insertBefore|replaceAll)$/;
const REMOVES = /^(?:remove|empty|detach|hide|fadeOut|slideUp|replaceChildren)$/;
const UNCOVERS = /^(?:show|fadeIn|slideDown|fadeTo|toggle|slideToggle)$/;

/** Styles that hide an element. */
const HIDES = /none|hidden/;

interface Assignment {
  readonly left: ESTree.MemberExpression;
  readonly key: string;
  readonly target: Value;
  readonly value: Value;
  readonly at: Running;
}

/** Searches writes into elements for those that change the content. */
export class Changes {
  readonly #values: Values;
  readonly #found: (sign: "script-writes" | "mount-call") => void;
  /** Insertions into the page. Scripts often fill what they insert afterwards. */
  readonly #later: (() => void)[] = [];

  constructor(values: Values, found: (sign: "script-writes" | "mount-call") => void) {
    this.#values = values;
    this.#found = found;
  }

  assigns({ left, key, target, value, at }: Assignment): void {
    if (target.is === "made") {
      if (/^(?:className|id|cssText|style)$/.test(key)) target.made.names += ` ${textOf(value) ?? ""}`;
      if (/^inner(?:HTML|Text)$|^textContent$/.test(key))
        for (const tag of tagsIn(htmlOf(value) ?? "x")) target.made.tags.add(tag);
    }
    if (key === "href" && value.is === "constant" && target.is === "elements") this.#change(target.all);
    const mayBeText =
      target.is === "elements" ? /^(?:data)?$/.test(key) : key === "" && /<[a-z]/i.test(textOf(value) ?? "");
    if (mayBeText || TEXT.test(key)) this.#writes(target, value, key, at.code);
    else if (key === "value" && target.is === "elements")
      this.#writes(elements(target.all.filter(({ name }) => name === "output")), value, key, at.code);
    else if (key === "hidden") this.#covers(target, value);
    else if (left.object.type === "MemberExpression" && propertyName(left.object) === "style")
      this.styles(left.object, key, value, at);
  }

  /** A property of an element's style is set. */
  styles(style: ESTree.MemberExpression, key: string, value: Value, { scope }: Running): void {
    const target = this.#values.of(style.object, scope);
    const text = textOf(value);
    if (target.is === "made") target.made.names += ` ${key}:${text ?? ""}`;
    if (key !== "display" && key !== "visibility" && key !== "cssText") return;
    this.#covers(target, constant(HIDES.test(text ?? "")));
  }

  calls({ key, object, args, at: { code } }: Call): void {
    const [first = UNKNOWN, second = UNKNOWN] = args;
    if (key === "assign" && first.is === "elements" && second.is === "object") {
      for (const name of ["textContent", "innerText", "innerHTML"]) {
        const text = this.#values.property(second, name);
        if (text !== undefined) this.#writes(first, text, name, code);
      }
    }
    if (INTO.test(key) && (object.is === "made" || object.is === "text") && args.length === 1) {
      const text = textOf(first);
      this.#inserts(text === undefined ? first : elements(this.#values.page.select(text)), [object], key, code);
    } else if (key === "text" || key === "html" || key === "load") {
      if (args.length > 0 && object.is !== "unknown") this.#writes(object, key === "load" ? UNKNOWN : first, key, code);
    } else if (INSERTS.test(key)) {
      const given = key === "insertBefore" || key === "replaceChild" ? args.slice(0, 1) : args;
      if (key.startsWith("insertAdjacent")) this.#inserts(object, args.slice(1), textOf(first) ?? "", code);
      else this.#inserts(object, given, key, code);
    }
    if (key === "setAttribute" && object.is === "made")
      object.made.names += ` ${args.map((arg) => textOf(arg) ?? "").join(" ")}`;
    if (key === "removeChild") this.#covers(first, constant(true));
    const hides = object.is === "elements" ? hidesElements(key, args.length, textOf(first)) : undefined;
    if (hides !== undefined) this.#covers(object, constant(hides));
  }

  /** Empty elements of the content are given to code that is not known: `mount(App, document.getElementById("app"))`. */
  gives(callee: Node, args: readonly Value[]): void {
    const { page } = this.#values;
    const name = callee.type === "Identifier" ? callee.name : propertyName(callee);
    if (/^(?:push|observe|unobserve)$/.test(name ?? "")) return;
    const mounts = /^(?:mount|render|createRoot)$/.test(name ?? "");
    for (const value of args) {
      const id = value.is === "constant" && /^#?([\w-]+)$/.exec(String(value.value))?.[1];
      const all = value.is === "elements" ? value.all : id ? page.byId(id) : [];
      const isFilled = (element: Element): boolean => page.isEmpty(element) || (mounts && !page.isRendered(element));
      if (all.some((element) => isFilled(element) && page.isContent(element) && element.name !== "body"))
        this.#found("mount-call");
    }
  }

  /** Searches the insertions, when the code has run. */
  finish(): void {
    for (const insert of this.#later.splice(0)) insert();
  }

  /** Hides or uncovers elements. */
  #covers(target: Value, hides: Value): void {
    if (target.is !== "elements") return;
    const { page } = this.#values;
    const isHidden = hides.is === "constant" && Boolean(hides.value);
    const changes = isHidden
      ? target.all.some((element) => page.isContent(element) && page.hasText(element))
      : target.all.some((element) => page.isCovered(element));
    if (changes) this.#found("script-writes");
  }

  #writes(target: Value, value: Value, key: string, code: Code): void {
    const text = value.is === "constant" ? textOf(value)?.trim() : undefined;
    if (target.is === "shadow") {
      const html = textOf(value);
      if (html === undefined || value.is === "text" || hasWords(html)) this.#change(target.all);
    } else if (isUnknown(target)) {
      // Code in a handler of its own element, or in a library, writes into elements that others choose.
      if (!code.isLibrary && (text === undefined || hasWords(text)) && key !== "data") this.#found("script-writes");
    } else if (target.is === "instance") this.#writes(target.elements, value, key, code);
    else if (target.is === "elements" && (value.is !== "made" || hasContent(value.made))) {
      const changed = target.all.filter((element) =>
        text === undefined ? !isFormatted(element) : isOther(textContent(element), text),
      );
      this.#change(this.#notRendered(changed, text === "" || code.isLibrary));
    }
  }

  /** Values are inserted into, or beside, elements. */
  #inserts(target: Value, given: readonly Value[], key: string, { isLibrary }: Code): void {
    if (target.is === "made") {
      for (const tag of given.flatMap(tagsOf)) target.made.tags.add(tag);
      return;
    }
    this.#later.push(() => this.#shows(target, given, key, isLibrary));
  }

  #shows(target: Value, given: readonly Value[], key: string, isLibrary: boolean): void {
    for (const value of given.filter(mayHaveContent)) {
      if (target.is === "shadow") this.#change(target.all);
      else if (target.is === "instance" && target.elements.is === "elements") this.#change(target.elements.all);
      else if (target.is === "elements")
        this.#change(this.#notRendered(BESIDE.test(key) ? target.all.map(parentOf) : target.all, isLibrary));
      else if (
        isUnknown(target) &&
        !isLibrary &&
        (value.is === "made" || !AMBIGUOUS.test(key) || (key === "append" && given.length === 1))
      )
        this.#found("script-writes");
    }
  }

  /** The text of these elements changes. */
  #change(all: readonly Element[]): void {
    if (all.some((element) => this.#values.page.isContent(element))) this.#found("script-writes");
  }

  /** A library takes over what the server has rendered. */
  #notRendered(all: readonly Element[], mayTakeOver: boolean): readonly Element[] {
    return mayTakeOver ? all.filter((element) => !this.#values.page.isRendered(element)) : all;
  }
}

/** Whether a value may be an element that is not known. */
function isUnknown(value: Value): boolean {
  return value.is === "unknown" || (value.is === "global" && !isBrowserObject(value.name));
}

/** Whether an element has a date or a sample of code. Scripts that write into it change only the format or the colours. */
function isFormatted(element: Element): boolean {
  return (/^(?:code|pre|time)$/.test(element.name) || parentOf(element).name === "pre") && element.children.length > 0;
}

function parentOf(element: Element): Element {
  return element.parent !== null && isTag(element.parent) ? element.parent : element;
}

/** The tags that a value adds to a created element. A "slot" stands for elements without content of their own. */
function tagsOf(value: Value): readonly string[] {
  if (!mayHaveContent(value)) return value.is === "made" || value.is === "elements" ? ["slot"] : [];
  return value.is === "made" ? [...value.made.tags] : ["#text"];
}

/** Whether an inserted value may show new content. Elements of the page do not: they only change their place. */
function mayHaveContent(value: Value): boolean {
  if (value.is === "made") return hasContent(value.made);
  if (value.is === "elements" || value.is === "other" || value.is === "function") return false;
  const text = htmlOf(value);
  return text === undefined || !(isWithoutContent(text) || (value.is === "text" && isAside(text.slice(0, 200))));
}

/** The HTML of a value. In a text without elements, a letter represents the part that is not known. */
function htmlOf(value: Value): string | undefined {
  const text = textOf(value);
  return value.is === "text" && !value.text.includes("<") ? `${value.text}x` : text;
}

/** Whether a method hides elements, or uncovers them. Undefined if it does neither. */
function hidesElements(method: string, count: number, name: string | undefined): boolean | undefined {
  if (REMOVES.test(method) && count === 0) return true;
  if (UNCOVERS.test(method)) return false;
  if (/^(?:removeAttr(?:ibute)?|toggleAttribute)$/.test(method) && (name === "hidden" || name === "style"))
    return false;
  if (method !== "setAttribute" || (name !== "hidden" && name !== "style")) return undefined;
  return name === "hidden";
}
