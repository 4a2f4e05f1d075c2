import { type Document, type Element, isTag, isText, type ParentNode } from "domhandler";
import { prevElementSibling } from "domutils";
import { type Complex, type SelectorList, type Simple } from "./selector.ts";

const HTML = "http://www.w3.org/1999/xhtml";

/** HTML attributes whose values are compared without case (HTML §4.16.2). */
const CASELESS = new Set(
  (
    "accept accept-charset align alink axis bgcolor charset checked clear codetype color compact declare defer dir " +
    "direction disabled enctype face frame hreflang http-equiv lang language link media method multiple nohref noresize " +
    "noshade nowrap readonly rel rev rules scope scrolling selected shape target text type valign valuetype vlink"
  ).split(" "),
);

/** The position of an element among siblings, counted from 1, and their number. */
type Place = readonly [position: number, count: number];

/**
 * The consequence of a failed match for other candidates: nothing, that no sibling further left can match, or that no
 * ancestor can match either. Without this, nested searches through ancestors take exponential time.
 */
type Result = "matches" | "fails" | "fails-siblings" | "fails-all";

/** Matches elements of one document against selectors, as Chromium does. */
export class SelectorMatcher {
  readonly #quirks: boolean;
  readonly #root: Element | undefined;
  readonly #places = new Map<ParentNode, ReadonlyMap<Element, Place>>();
  readonly #placesOfType = new Map<ParentNode, ReadonlyMap<Element, Place>>();

  constructor(document: Document) {
    this.#quirks = document["x-mode"] === "quirks";
    this.#root = document.children.find(isTag);
  }

  matches(element: Element, list: SelectorList): boolean {
    return list.some((complex) => this.#match(element, complex) === "matches");
  }

  #match(element: Element, complex: Complex): Result {
    if (!complex.compound.every((simple) => this.#holds(element, simple))) return "fails";
    const { left, combinator } = complex;
    if (left === undefined) return "matches";
    if (combinator === ">") {
      const parent = parentOf(element);
      return parent === undefined ? "fails-all" : this.#match(parent, left);
    }
    if (combinator === "+") {
      const previous = previousOf(element);
      return previous === undefined ? "fails-siblings" : this.#match(previous, left);
    }
    return combinator === "~" ? this.#matchPrevious(element, left) : this.#matchAncestor(element, left);
  }

  #matchPrevious(element: Element, complex: Complex): Result {
    for (let at = previousOf(element); at !== undefined; at = previousOf(at)) {
      const result = this.#match(at, complex);
      if (result !== "fails") return result;
    }
    return "fails-siblings";
  }

  #matchAncestor(element: Element, complex: Complex): Result {
    for (let at = parentOf(element); at !== undefined; at = parentOf(at)) {
      const result = this.#match(at, complex);
      if (result === "matches" || result === "fails-all") return result;
    }
    return "fails-all";
  }

  #holds(element: Element, simple: Simple): boolean {
    const { kind } = simple;
    if (kind === "class") return this.#hasClass(attributeOf(element, "class"), simple.name);
    if (kind === "tag") return lower(element.name) === lower(simple.name);
    if (kind === "id") return this.#same(attributeOf(element, "id"), simple.name);
    if (kind === "attribute") return holdsAttribute(element, simple);
    if (kind === "nth") return this.#isNth(element, simple);
    if (kind === "is") return this.matches(element, simple.list);
    if (kind === "not") return !this.matches(element, simple.list);
    if (kind === "empty")
      return element.children.every((child) => !isTag(child) && !(isText(child) && child.data !== ""));
    return kind === "any" || element === this.#root;
  }

  #hasClass(classes: string | undefined, name: string): boolean {
    // This check rejects most elements without splitting their classes.
    if (classes === undefined || (!this.#quirks && !classes.includes(name))) return false;
    return words(classes).some((word) => this.#same(word, name));
  }

  /** In quirks mode, names of classes and ids are case-insensitive. */
  #same(value: string | undefined, name: string): boolean {
    return value !== undefined && (this.#quirks ? lower(value) === lower(name) : value === name);
  }

  #isNth(element: Element, { ofType, fromEnd, step, offset }: Extract<Simple, { kind: "nth" }>): boolean {
    const { parent } = element;
    if (parent === null) return false;
    const known = ofType ? this.#placesOfType : this.#places;
    const places = known.getOrInsertComputed(parent, () => placesIn(parent, ofType));
    const [position, count] = places.get(element) ?? [0, 0];
    const steps = (fromEnd ? count + 1 - position : position) - offset;
    return step === 0 ? steps === 0 : steps % step === 0 && steps / step >= 0;
  }
}

function placesIn({ children }: ParentNode, ofType: boolean): ReadonlyMap<Element, Place> {
  const groups = Map.groupBy(children.filter(isTag), (child) => (ofType ? typeOf(child) : ""));
  const places = [...groups.values()].flatMap((group) =>
    group.map((child, at): readonly [Element, Place] => [child, [at + 1, group.length]]),
  );
  return new Map(places);
}

function holdsAttribute(element: Element, simple: Extract<Simple, { kind: "attribute" }>): boolean {
  const { operator } = simple;
  const name = lower(simple.name);
  const found = attributeOf(element, name);
  if (found === undefined) return false;
  if (operator === "") return true;
  const caseless = simple.caseless || (isHtml(element) && CASELESS.has(name));
  const [text, value] = caseless ? [lower(found), lower(simple.value)] : [found, simple.value];
  if (operator === "=") return text === value;
  if (operator === "|=") return text === value || text.startsWith(`${value}-`);
  if (value === "") return false;
  if (operator === "^=") return text.startsWith(value);
  if (operator === "$=") return text.endsWith(value);
  return operator === "*=" ? text.includes(value) : words(text).includes(value);
}

/** The value of an attribute without a namespace. `name` is in lower case. */
function attributeOf(element: Element, name: string): string | undefined {
  const { attribs } = element;
  // Only foreign elements have names with capitals or a namespace.
  const key = isHtml(element) ? name : Object.keys(attribs).find((known) => lower(known) === name);
  if (key === undefined || !Object.hasOwn(attribs, key)) return undefined;
  return (element["x-attribsNamespace"]?.[key] ?? "") === "" ? attribs[key] : undefined;
}

function isHtml(element: Element): boolean {
  return (element.namespace ?? HTML) === HTML;
}

function typeOf(element: Element): string {
  return `${element.namespace ?? HTML} ${element.name}`;
}

function parentOf({ parent }: Element): Element | undefined {
  return parent !== null && isTag(parent) ? parent : undefined;
}

function previousOf(element: Element): Element | undefined {
  return prevElementSibling(element) ?? undefined;
}

/** In CSS, only ASCII letters have case. */
function lower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function words(text: string): readonly string[] {
  return text.split(/[ \t\n\r\f]+/);
}
