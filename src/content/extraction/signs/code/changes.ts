import { type Element } from "domhandler";
import { textContent } from "domutils";
import { type ESTree } from "meriyah";
import { isAside } from "./page-elements.ts";
import { type Code, type Scope } from "./scopes.ts";
import { type Node, propertyName } from "./syntax.ts";
import { tagsIn, textOf, UNKNOWN, type Value } from "./value.ts";
import { type Values } from "./values.ts";

const INSERTS =
  /^(?:append|prepend|after|before|appendChild|insertBefore|replaceWith|replaceChildren|replaceChild|insertAdjacent(?:HTML|Element|Text)|setHTML|setHTMLUnsafe|insertRow|insertCell|moveBefore|html|text|wrap|wrapInner|load)$/;
/** Methods that also exist on other objects. */
const AMBIGUOUS = /^(?:append|before|after|html|text|wrap|wrapInner|load|insertRow|insertCell)$/;
const INTO = /^(?:appendTo|prependTo|insertAfter|insertBefore|replaceAll)$/;
const REMOVES = /^(?:remove|empty|detach|hide|fadeOut|slideUp|replaceChildren)$/;
const UNCOVERS = /^(?:show|fadeIn|slideDown|fadeTo|toggle|slideToggle)$/;
const WITHOUT_CONTENT = new Set([
  "script",
  "link",
  "style",
  "canvas",
  "meta",
  "noscript",
  "svg",
  "img",
  "source",
  "button",
  "input",
  "select",
  "option",
  "label",
  "progress",
  "base",
  "template",
  "path",
  "i",
  "br",
  "hr",
  "dialog",
]);
/** The present year, as footers show it. */
export const YEAR = /^[^\p{L}\d]{0,9}20\d\d[^\p{L}\d]{0,9}$/u;

/** Searches writes into elements for those that change the content. */
export class Changes {
  readonly #values: Values;
  readonly #found: (sign: "script-writes" | "mount-call") => void;
  /** The script whose code runs. */
  code: Code = { text: "", isLibrary: false, hasParts: false };

  /** `found` is called for each change. */
  constructor(values: Values, found: (sign: "script-writes" | "mount-call") => void) {
    this.#values = values;
    this.#found = found;
  }

  styles(style: ESTree.MemberExpression, key: string, value: Value, scope: Scope): void {
    const target = this.#values.of(style.object, scope);
    const text = textOf(value);
    if (target.is === "made") target.made.names += ` ${text === "fixed" ? "overlay" : ""}`;
    if (key !== "display" && key !== "visibility" && key !== "cssText") return;
    this.uncovers(target, { is: "constant", value: text !== undefined && /none|hidden/.test(text) });
  }

  /** Hides or uncovers elements. */
  uncovers(target: Value, hides: Value): void {
    if (target.is !== "elements") return;
    const { page } = this.#values;
    const hidden = hides.is === "constant" ? Boolean(hides.value) : undefined;
    if (hidden !== true && target.all.some((element) => page.isCovered(element))) this.#found("script-writes");
    if (hidden === true && target.all.some((element) => page.isContent(element) && page.hasText(element)))
      this.#found("script-writes");
  }

  /** A text or HTML is written into elements. */
  writes(target: Value, value: Value, key: string): void {
    const text = value.is === "constant" ? textOf(value)?.trim() : undefined;
    if (target.is === "shadow") {
      if (
        textOf(value) === undefined ||
        tagsIn(textOf(value)?.replaceAll(/<style[^]*?<\/style>/gi, "") ?? "").some((tag) => tag === "#text") ||
        value.is === "text"
      )
        this.change(target.all);
      return;
    }
    if (target.is === "unknown") {
      // Code in a handler of its own element, or in a library, writes into elements that others choose.
      if (!this.code.isLibrary && text !== "" && key !== "nodeValue") this.#found("script-writes");
      return;
    }
    if (target.is === "instance") this.writes(target.elements, value, key);
    if (target.is !== "elements") return;
    const shown = target.all.filter((element) => text === undefined || isOther(textContent(element), text));
    if (value.is === "made" && !hasContent(value)) return;
    this.change(
      text === "" || this.code.isLibrary ? shown.filter((element) => !this.#values.page.isRendered(element)) : shown,
    );
  }

  /** The text of these elements changes. */
  change(elements: readonly Element[]): void {
    if (elements.some((element) => this.#values.page.isContent(element))) this.#found("script-writes");
  }

  /** Values are inserted into, or beside, elements. */
  #inserts(target: Value, given: readonly Value[], key: string): void {
    for (const value of given) {
      if (value.is === "made" && !hasContent(value)) continue;
      if (value.is === "elements" || value.is === "other" || value.is === "function") continue;
      if (value.is === "constant" && tagsIn(String(value.value ?? "")).every((tag) => WITHOUT_CONTENT.has(tag)))
        continue;
      if (
        value.is === "text" &&
        (isAside(value.text.slice(0, 200)) || tagsIn(value.text).every((tag) => WITHOUT_CONTENT.has(tag)))
      )
        continue;
      if (target.is === "made") {
        if (value.is === "made") for (const tag of value.made.tags) target.made.tags.add(tag);
        else target.made.tags.add("#text");
      } else if (target.is === "shadow") this.change(target.all);
      else if (target.is === "instance" && target.elements.is === "elements") this.change(target.elements.all);
      else if (target.is === "elements")
        this.change(target.all.filter((element) => !this.#values.page.isRendered(element)));
      else if (target.is === "unknown" && !this.code.isLibrary && !AMBIGUOUS.test(key)) this.#found("script-writes");
    }
  }

  call(key: string, object: Value, args: readonly Value[]): void {
    const { page } = this.#values;
    if (INTO.test(key) && (object.is === "made" || object.is === "text") && args.length === 1) {
      const [target = UNKNOWN] = args;
      const text = textOf(target);
      this.#inserts(text === undefined ? target : { is: "elements", all: page.select(text) }, [object], key);
    } else if (INSERTS.test(key)) {
      const given = key.startsWith("insertAdjacent")
        ? args.slice(1)
        : key === "insertBefore" || key === "replaceChild"
          ? args.slice(0, 1)
          : args;
      if (/^insert(?:Row|Cell)$/.test(key)) this.writes(object, UNKNOWN, key);
      else if (key === "text" || key === "html" || key === "load") {
        if (given.length > 0 && object.is !== "unknown")
          this.writes(object, key === "load" ? UNKNOWN : (given[0] ?? UNKNOWN), key);
      } else this.#inserts(object, given, key);
    }
    if (object.is !== "elements") {
      if (key === "setAttribute" && object.is === "made")
        object.made.names += ` ${args.map((arg) => textOf(arg) ?? "").join(" ")}`;
      if ((key === "addClass" || key === "attr") && object.is === "made")
        object.made.names += ` ${textOf(args.at(-1) ?? UNKNOWN) ?? ""}`;
      return;
    }
    const attribute = textOf(args[0] ?? UNKNOWN);
    if (REMOVES.test(key) && args.length === 0) this.uncovers(object, { is: "constant", value: true });
    else if (
      UNCOVERS.test(key) ||
      ((key === "removeAttribute" || key === "removeAttr" || key === "toggleAttribute") &&
        (attribute === "hidden" || attribute === "style"))
    )
      this.uncovers(object, { is: "constant", value: false });
    else if (key === "setAttribute" && attribute === "hidden") this.uncovers(object, { is: "constant", value: true });
    else if (key === "css" && attribute === "display")
      this.uncovers(object, { is: "constant", value: textOf(args[1] ?? UNKNOWN) === "none" });
  }

  /** Empty elements of the content are given to code that is not known: `mount(App, document.getElementById("app"))`. */
  gives(callee: Node, args: readonly Value[]): void {
    const { page } = this.#values;
    for (const arg of args) {
      const values =
        arg.is === "object"
          ? arg.node.properties.flatMap((one) =>
              one.type === "Property" ? [this.#values.of(one.value, arg.scope)] : [],
            )
          : [arg];
      for (const value of values) {
        const text =
          value.is === "constant" && typeof value.value === "string" && /^#[\w-]+$/.test(value.value)
            ? value.value
            : undefined;
        const all = value.is === "elements" ? value.all : text === undefined ? [] : page.select(text);
        if (all.some((element) => page.isEmpty(element) && page.isContent(element) && element.name !== "body"))
          this.#found("mount-call");
      }
    }
    const name = propertyName(callee) ?? "";
    if (/^(?:add|append|insert|prepend|replace)$/.test(name) && args.length > 1) {
      const [target = UNKNOWN] = args;
      if (target.is === "elements") this.change(target.all);
    }
  }
}

/** Whether created elements show words, and are not a banner or the like. */
function hasContent({ made }: Extract<Value, { is: "made" }>): boolean {
  if (isAside(made.names) || /position\s*:\s*fixed/.test(made.names)) return false;
  const tags = [...made.tags];
  if (tags.some((tag) => WITHOUT_CONTENT.has(tag)) && tags.every((tag) => WITHOUT_CONTENT.has(tag) || tag === "#text"))
    return false;
  return tags.some((tag) => !WITHOUT_CONTENT.has(tag));
}

/** Whether an element has another text. An empty element that gets the present year has the same: it is the end of a footer. */
function isOther(shown: string, html: string): boolean {
  const [before, after] = [normal(shown), normal(tagless(html))];
  return before !== after && !(before === "" && YEAR.test(after));
}

const normal = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
const tagless = (html: string): string => html.replaceAll(/<[^>]*>/g, "");
