import { type Document, type Element, isTag } from "domhandler";
import { SelectorMatcher } from "./match-selector.ts";
import { type Complex, type SelectorList } from "./selector.ts";

/**
 * Finds all elements of a document that match selectors. The element's own conditions in a selector reduce the elements
 * to test.
 */
export class DocumentElements {
  readonly #matcher: SelectorMatcher;
  readonly #all: readonly Element[];
  readonly #positions = new Map<Element, number>();
  /** Elements by tag name, id and class in lower case. Each key has a prefix for its kind. */
  readonly #named = new Map<string, Element[]>();

  constructor(document: Document) {
    this.#matcher = new SelectorMatcher(document);
    this.#all = [...elementsOf(document)];
    for (const [position, element] of this.#all.entries()) {
      this.#positions.set(element, position);
      for (const key of keysOf(element)) {
        this.#named.getOrInsert(key, []).push(element);
      }
    }
  }

  /** The matching elements in the document's order, without duplicates. */
  matching(list: SelectorList): readonly Element[] {
    const [only] = list;
    if (only !== undefined && list.length === 1) return this.#matchingOne(only);
    const found = new Set(list.flatMap((complex) => this.#matchingOne(complex)));
    const positionOf = (element: Element) => this.#positions.get(element) ?? 0;
    return [...found].toSorted((a, b) => positionOf(a) - positionOf(b));
  }

  /** The number of elements that are compared to find those that match. */
  compared(list: SelectorList): number {
    return list.reduce((sum, complex) => sum + this.#candidates(complex).length, 0);
  }

  /** Whether an element has this class, such as `.a`, or this id, such as `#a`. */
  hasName(name: string): boolean {
    return this.#named.has(keyOf(name.startsWith(".") ? "class" : "id", name.slice(1)));
  }

  some(test: (element: Element) => boolean): boolean {
    return this.#all.some(test);
  }

  #matchingOne(complex: Complex): readonly Element[] {
    const list = [complex];
    return this.#candidates(complex).filter((element) => this.#matcher.matches(element, list));
  }

  /** The shortest list that contains all matches. */
  #candidates({ compound }: Complex): readonly Element[] {
    let best = this.#all;
    for (const simple of compound) {
      if (simple.kind !== "id" && simple.kind !== "class" && simple.kind !== "tag") continue;
      const named = this.#named.get(keyOf(simple.kind, simple.name)) ?? [];
      if (named.length < best.length) best = named;
    }
    return best;
  }
}

function keyOf(kind: "id" | "class" | "tag", name: string): string {
  return `${kind} ${name.toLowerCase()}`;
}

function keysOf({ name, attribs }: Element): ReadonlySet<string> {
  const keys = new Set([keyOf("tag", name)]);
  // Attribute names of foreign elements may have capitals.
  for (const [attribute, value] of Object.entries(attribs)) {
    const kind = attribute.toLowerCase();
    if (kind === "id") keys.add(keyOf("id", value));
    if (kind === "class") for (const word of value.split(/[ \t\n\r\f]+/)) keys.add(keyOf("class", word));
  }
  return keys;
}

/** All elements in the document's order, without recursion. The content of a template belongs to another document. */
export function* elementsOf(tree: Document): Generator<Element> {
  const open = [...tree.children].toReversed();
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (!isTag(node)) continue;
    yield node;
    for (let at = node.children.length - 1; at >= 0; at -= 1) {
      const child = node.children[at];
      if (child !== undefined) open.push(child);
    }
  }
}
