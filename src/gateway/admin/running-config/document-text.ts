/**
 * Writes another document into a file's text. The parts that are the same in both documents stay as they are written.
 */
import { isObject } from "../../../lib/is-object.ts";
import { isSame, pairsOf } from "./json-difference.ts";
import { type JsonNode, type JsonPart, jsonTree } from "./json-tree.ts";

/** The layout of a text. */
interface Style {
  readonly newline: string;
  /** The indentation of one level; empty: the text is one line. */
  readonly indent: string;
  /** The space after a colon, and after a comma within a line. */
  readonly gap: string;
}

/** A document and the text that it was read from. Decision 1104. */
export interface WrittenDocument {
  readonly text: string;
  readonly document: unknown;
  /** The text with spaces in place of comments; undefined if it has no comments. */
  readonly plain?: string;
}

/**
 * `next` as a JSON text that differs as little as possible from the text of the document before. A comment before a
 * member or item belongs to it: they stay, move and disappear together.
 */
export function documentText(before: WrittenDocument, next: unknown): string {
  const { text, document } = before;
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const plain = before.plain ?? body;
  const tree = jsonTree(plain);
  const written = new Rewriter(body, plain).value(tree, { before: document, after: next }, "");
  const mark = text.slice(0, text.length - body.length);
  return `${mark}${body.slice(0, tree.start)}${written}${body.slice(tree.end)}`;
}

function styleOf(text: string): Style {
  return {
    newline: text.includes("\r\n") ? "\r\n" : "\n",
    indent: /\n([ \t]+)\S/.exec(text)?.[1] ?? (text.trim().includes("\n") || text.trim() === "{}" ? "  " : ""),
    gap: /":\S/.test(text) && !/": /.test(text) ? "" : " ",
  };
}

/** The old value at a place, and the new one. */
interface Pair {
  readonly before: unknown;
  readonly after: unknown;
}

/** A member or item of the new text, and its part in the old container. */
interface Piece {
  readonly text: string;
  /** The index in the old container; -1 if it is new. */
  readonly from: number;
}

class Rewriter {
  readonly #text: string;
  /** The text without comments. */
  readonly #plain: string;
  readonly #style: Style;

  constructor(text: string, plain: string) {
    this.#text = text;
    this.#plain = plain;
    this.#style = styleOf(text);
  }

  /** `margin` is the white space before the line in which the value begins. */
  value(node: JsonNode, { before, after }: Pair, margin: string): string {
    if (isSame(before, after)) return this.#slice(node);
    if (node.kind === "object" && isObject(before) && isObject(after)) {
      return this.#container(node, margin, (inner) => this.#members(node, { before, after }, inner));
    }
    if (node.kind === "array" && Array.isArray(before) && Array.isArray(after)) {
      return this.#container(node, margin, (inner) => this.#items(node, { before, after }, inner));
    }
    return this.#fresh(after, margin, this.#isWide(node));
  }

  #members(
    node: JsonNode,
    { before, after }: { readonly before: object; readonly after: object },
    inner: Inner,
  ): Piece[] {
    const kept = node.parts.flatMap(({ start, key = "", value }, from) => {
      if (!Object.hasOwn(after, key)) return [];
      const pair = { before: Reflect.get(before, key), after: Reflect.get(after, key) };
      return [{ text: this.#text.slice(start, value.start) + this.value(value, pair, inner.margin), from }];
    });
    const known = new Set(node.parts.map(({ key }) => key));
    const added = Object.entries(after).flatMap(([key, value]) => {
      if (known.has(key)) return [];
      const text = `${JSON.stringify(key)}:${this.#style.gap}${this.#fresh(value, inner.margin, inner.isWide)}`;
      return [{ text, from: -1 }];
    });
    return [...kept, ...added];
  }

  #items(
    node: JsonNode,
    { before, after }: { readonly before: readonly unknown[]; readonly after: readonly unknown[] },
    inner: Inner,
  ): Piece[] {
    const pairs = pairsOf(before, after);
    return after.map((item, i) => {
      const from = pairs[i] ?? -1;
      const part = node.parts[from];
      if (part === undefined) return { text: this.#fresh(item, inner.margin, inner.isWide), from: -1 };
      return { text: this.value(part.value, { before: before[from], after: item }, inner.margin), from };
    });
  }

  /** Writes a container with its pieces. If two pieces were neighbours before, the text between them stays. */
  #container(node: JsonNode, margin: string, piecesWithin: (inner: Inner) => readonly Piece[]): string {
    const inner = this.#innerOf(node, margin);
    const pieces = piecesWithin(inner);
    const { parts, start, end } = node;
    const [first] = parts;
    const last = parts.at(-1);
    const [bare, closing] = [this.#text.slice(start, start + 1), this.#text.slice(end - 1, end)];
    if (pieces.length === 0) return bare + closing;
    const opening = first === undefined ? bare + this.#within(node) + inner.lead : this.#text.slice(start, first.start);
    const ending = last === undefined ? inner.tail + closing : this.#text.slice(last.end, end);
    let text = opening;
    for (const [i, piece] of pieces.entries()) {
      const previous = pieces[i - 1];
      if (previous !== undefined) text += this.#between(parts, previous, piece) ?? `,${inner.lead || this.#style.gap}`;
      text += piece.text;
    }
    return text + ending;
  }

  /** The comments in a container that is otherwise empty, with the line end that a comment may need. */
  #within({ start, end }: JsonNode): string {
    const within = this.#text.slice(start + 1, end - 1).trimEnd();
    return within === "" ? "" : within + this.#style.newline;
  }

  #between(parts: readonly JsonPart[], a: Piece, b: Piece): string | undefined {
    const [left, right] = [parts[a.from], parts[b.from]];
    if (right === undefined) return undefined;
    if (left !== undefined && b.from === a.from + 1) return this.#text.slice(left.end, right.start);
    const before = parts[b.from - 1];
    if (before === undefined) return undefined;
    // A comment after a piece in the same line belongs to this piece. A comment in its own line belongs to the next
    // piece.
    const gap = this.#text.slice(before.end, right.start);
    const lineEnd = gap.indexOf("\n");
    const comma = this.#plain.slice(before.end, right.start).indexOf(",");
    const kept = comma < lineEnd ? `,${gap.slice(lineEnd)}` : gap;
    return /^[\s,]*$/.test(kept) ? undefined : kept;
  }

  #innerOf(node: JsonNode, margin: string): Inner {
    const { newline, indent } = this.#style;
    const [first] = node.parts;
    if (first === undefined) {
      const own = margin + indent;
      return indent === ""
        ? { margin, lead: "", tail: "", isWide: false }
        : { margin: own, lead: newline + own, tail: newline + margin, isWide: true };
    }
    const before = this.#text.slice(node.start + 1, first.start);
    if (!before.includes("\n")) return { margin, lead: "", tail: "", isWide: false };
    const own = before.slice(before.lastIndexOf("\n") + 1);
    return { margin: own, lead: newline + own, tail: newline + margin, isWide: true };
  }

  #isWide(node: JsonNode): boolean {
    return node.parts.length === 0 ? this.#style.indent !== "" : this.#slice(node).includes("\n");
  }

  /** A new value. */
  #fresh(value: unknown, margin: string, isWide: boolean): string {
    const { indent, newline, gap } = this.#style;
    if (isWide && indent !== "") {
      return JSON.stringify(value, undefined, indent).replaceAll("\n", newline + margin);
    }
    // Line ends within strings are escaped, so all remaining line ends are between parts.
    return gap === "" ? JSON.stringify(value) : JSON.stringify(value, undefined, 1).replaceAll(/\n */g, " ");
  }

  #slice({ start, end }: JsonNode): string {
    return this.#text.slice(start, end);
  }
}

/** The layout of a container's members or items. */
interface Inner {
  /** White space before the lines in which they begin. */
  readonly margin: string;
  /** The text before each piece, if each piece begins a line. */
  readonly lead: string;
  /** The text before the closing bracket. */
  readonly tail: string;
  readonly isWide: boolean;
}
