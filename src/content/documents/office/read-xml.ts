import { Parser } from "htmlparser2";
import { FileError } from "../kinds/file-error.ts";
import { canonicalPrefix } from "./namespaces.ts";

/** Elements of XML that are open at the same time. A file with more is rejected. */
const MAX_DEPTH = 256;
/** Elements and texts of XML that are in memory at the same time. A file with more is rejected. */
const MAX_HELD = 200_000;
/** Characters of the texts and attributes of one element that is in memory. A file with more is rejected. */
const MAX_HELD_TEXT = 8_000_000;

/** The pictures in a flat file of OpenDocument, which nothing reads. */
const BINARY = "office:binary-data";

/** An element of XML. Its name and those of its attributes have the usual prefix of their namespace. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlNode[];
}

export type XmlNode = XmlElement | string;

/**
 * Elements whose children are passed on one by one and not kept, so that a long document needs little memory. The last of the open
 * elements is the parent.
 */
export type Containers = ReadonlyMap<string, (child: XmlElement, open: readonly OpenElement[]) => void | "stop">;

export interface OpenElement {
  readonly element: XmlElement;
}

const NONE: Containers = new Map();

/**
 * Reads XML from pieces. Returns its root, without the children of containers. A container may stop the reading: the
 * rest is not read then. Entities other than those of XML stay as they are, and nothing is ever loaded.
 */
export async function readXml(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  containers: Containers = NONE,
): Promise<XmlElement> {
  const builder = new Builder(containers);
  let decoder: TextDecoder | undefined;
  for await (const piece of pieces) {
    decoder ??= new TextDecoder(encodingOf(piece));
    builder.write(decoder.decode(piece, { stream: true }));
    if (builder.isStopped) break;
  }
  return builder.end();
}

function encodingOf([first, second]: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  // A mark of byte order, or `<` without one (XML 1.0, appendix F).
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return "utf-16le";
  return (first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c) ? "utf-16be" : "utf-8";
}

interface Open extends OpenElement {
  /** The usual prefixes by those of the file. */
  readonly prefixes: ReadonlyMap<string, string>;
  /** The nodes and characters in memory before it. */
  readonly held: number;
  readonly heldText: number;
}

class Builder {
  readonly #containers: Containers;
  readonly #root: XmlElement = { name: "", attributes: {}, children: [] };
  readonly #open: Open[] = [{ element: this.#root, prefixes: new Map(), held: 0, heldText: 0 }];
  readonly #parser: Parser;
  #held = 0;
  #heldText = 0;
  isStopped = false;

  constructor(containers: Containers) {
    this.#containers = containers;
    this.#parser = new Parser(
      {
        onopentag: (name, attributes) => this.#start(name, attributes),
        ontext: (text) => this.#text(text),
        onclosetag: () => this.#end(),
      },
      { xmlMode: true },
    );
  }

  write(text: string): void {
    this.#parser.write(text);
  }

  end(): XmlElement {
    if (!this.isStopped) this.#parser.end();
    const root = this.#root.children.find((child) => typeof child !== "string");
    if (root === undefined) throw new FileError("it has a part that is not XML");
    return root;
  }

  #start(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.isStopped) return;
    const parent = this.#top();
    if (this.#open.length > MAX_DEPTH) throw new FileError(`it has more than ${MAX_DEPTH} nested elements`);
    const prefixes = prefixesIn(attributes, parent.prefixes);
    const named: Record<string, string> = {};
    let length = 0;
    for (const [key, value] of Object.entries(attributes)) {
      // An attribute without a prefix has no namespace.
      named[key.includes(":") ? canonicalName(key, prefixes) : key] = value;
      length += value.length;
    }
    const element = { name: canonicalName(name, prefixes), attributes: named, children: [] };
    this.#open.push({ element, prefixes, held: this.#held, heldText: this.#heldText });
    parent.element.children.push(element);
    this.#hold(1, length);
  }

  #text(text: string): void {
    if (this.isStopped) return;
    const { name, children } = this.#top().element;
    if (name === BINARY) return;
    const last = children.at(-1);
    if (typeof last === "string") children[children.length - 1] = last + text;
    else children.push(text);
    this.#hold(typeof last === "string" ? 0 : 1, text.length);
  }

  /** Passes on a child of a container, and frees the memory that it took. */
  #end(): void {
    const closed = this.isStopped || this.#open.length <= 1 ? undefined : this.#open.pop();
    const parent = this.#top().element;
    const take = this.#containers.get(parent.name);
    if (closed === undefined || take === undefined) return;
    parent.children.length = 0;
    this.#held = closed.held;
    this.#heldText = closed.heldText;
    this.isStopped = take(closed.element, this.#open) === "stop";
  }

  #hold(nodes: number, characters: number): void {
    this.#held += nodes;
    this.#heldText += characters;
    if (this.#held > MAX_HELD || this.#heldText > MAX_HELD_TEXT) throw new FileError("it has a part that is too large");
  }

  #top(): Open {
    const top = this.#open.at(-1);
    if (top === undefined) throw new Error("Cannot read XML: the root is closed");
    return top;
  }
}

function prefixesIn(
  attributes: Readonly<Record<string, string>>,
  outer: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const declared = Object.entries(attributes).filter(([key]) => key === "xmlns" || key.startsWith("xmlns:"));
  if (declared.length === 0) return outer;
  return new Map([...outer, ...declared.map(([key, value]) => [key.slice(6), canonicalPrefix(value)] as const)]);
}

function canonicalName(name: string, prefixes: ReadonlyMap<string, string>): string {
  const colon = name.indexOf(":");
  const known = prefixes.get(colon === -1 ? "" : name.slice(0, colon));
  return known === undefined ? name : `${known}:${name.slice(colon + 1)}`;
}

/** The first child with this name. */
export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  for (const child of element?.children ?? []) if (typeof child !== "string" && child.name === name) return child;
  return undefined;
}

/** The element at the end of a path of names. */
export function atPath(element: XmlElement | undefined, ...names: readonly string[]): XmlElement | undefined {
  return names.reduce<XmlElement | undefined>(childOf, element);
}

/** The children that are elements, with this name if one is given. */
export function elementsOf(element: XmlElement | undefined, name?: string): XmlElement[] {
  const found: XmlElement[] = [];
  for (const child of element?.children ?? [])
    if (typeof child !== "string" && (name === undefined || child.name === name)) found.push(child);
  return found;
}

/** All elements with this name below an element, in their order. */
export function allBelow(element: XmlElement | undefined, name: string): XmlElement[] {
  return elementsOf(element).flatMap((child) => [...(child.name === name ? [child] : []), ...allBelow(child, name)]);
}

/** The texts of an element and of those below it. */
export function textOf(element: XmlElement | undefined): string {
  if (element === undefined) return "";
  return element.children.map((child) => (typeof child === "string" ? child : textOf(child))).join("");
}
