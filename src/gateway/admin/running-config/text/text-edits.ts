/**
 * Changes values in the text of a configuration. Bytes that no edit covers stay as they are. A comment right before a member or
 * item, or after it in its line, belongs to it. A changed value at a YAML alias is written in place of the alias. The result is
 * loaded and compared before it is written, so a change at an anchor that aliases refer to is refused.
 */
import { isObject } from "../../../../lib/is-object.ts";
import { isSame } from "../../../../lib/is-same.ts";
import { longestRise, pairsOf } from "./json-difference.ts";
import { type OwnedText, type TextLines } from "./text-lines.ts";

/** A value in a text, from `start` up to `end`. */
export interface TextNode {
  readonly start: number;
  readonly end: number;
  /** `flow` has brackets and commas; `block` is a YAML collection without them. */
  readonly kind: "scalar" | "flow" | "block";
  readonly parts: readonly TextPart[];
}

/** A member or an item, from its key or dash up to the end of its value. */
export interface TextPart {
  readonly start: number;
  readonly end: number;
  /** Undefined for an item. */
  readonly key: string | undefined;
  /** The offset after the colon or dash, and after an anchor. */
  readonly from: number;
  /** Undefined if nothing is written, which is null in YAML. */
  readonly value: TextNode | undefined;
}

/** The layout of new text: within brackets, and in several lines. */
interface Layout {
  readonly inFlow: boolean;
  readonly isWide: boolean;
}

/** Writes new text in a format. All lines after the first begin with `margin`. */
export interface Syntax {
  /** True if no comma may follow the last part. */
  readonly isStrict: boolean;
  /** The space between parts in one line. */
  readonly gap: string;
  value(value: unknown, margin: string, layout: Layout): string;
  /** A new member, or a new item if the key is undefined. */
  part(part: { readonly key: string | undefined; readonly after: unknown }, margin: string, layout: Layout): string;
}

interface Change {
  readonly before: unknown;
  readonly after: unknown;
}

/** The container of a value; undefined for the root. */
type Place = { readonly part: TextPart; readonly inFlow: boolean } | undefined;

/** A part of the new container: its value, and the index of the old part. */
interface Wanted extends Change {
  readonly key: string | undefined;
  /** -1: the part is new. */
  readonly from: number;
}

/** A container, with the text that belongs to each part. */
interface Container {
  readonly node: TextNode;
  readonly owned: readonly OwnedText[];
  readonly endsWithComma: boolean;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with `change.after` in place of `change.before`, which is the value of `root`. */
export function editedText(lines: TextLines, root: TextNode, change: Change, syntax: Syntax): string {
  return applied(lines.text, new Editor(lines, syntax).value(root, change, undefined), [0, lines.text.length]);
}

function applied(text: string, edits: readonly Edit[], [from, to]: readonly [number, number]): string {
  const pieces: string[] = [];
  let at = from;
  // If two edits begin at one place, the one that only inserts comes first.
  for (const { start, end, text: added } of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    pieces.push(text.slice(at, Math.max(at, start)), added);
    at = Math.max(at, end);
  }
  return pieces.join("") + text.slice(at, to);
}

class Editor {
  readonly #lines: TextLines;
  readonly #syntax: Syntax;

  constructor(lines: TextLines, syntax: Syntax) {
    this.#lines = lines;
    this.#syntax = syntax;
  }

  value(node: TextNode | undefined, change: Change, place: Place): readonly Edit[] {
    if (isSame(change.before, change.after)) return [];
    const wanted = node === undefined ? undefined : wantedParts(node, change);
    if (node === undefined || wanted === undefined || !this.#canKeep(node, wanted, place)) {
      return [this.#replacement(node, change.after, place)];
    }
    const edits = this.#container(node, wanted, place);
    if (wanted.length > 0) return edits;
    if (node.kind === "block") return [...edits, insertion(place?.part.from ?? 0, ` ${JSON.stringify(change.after)}`)];
    const [start, end] = [node.start + 1, node.end - 1];
    return applied(this.#lines.text, edits, [start, end]).trim() === "" ? [{ start, end, text: "" }] : edits;
  }

  /** True if the brackets or lines of a container can stay. */
  #canKeep({ kind, parts, start, end }: TextNode, wanted: readonly Wanted[], place: Place): boolean {
    const [first] = parts;
    if (first === undefined) return this.#lines.text.slice(start + 1, end - 1).trim() !== "";
    if (kind === "flow" || wanted.some(({ from }) => from >= 0)) return true;
    return this.#lines.begins(first.start) && (wanted.length > 0 || place !== undefined);
  }

  #replacement(node: TextNode | undefined, after: unknown, place: Place): Edit {
    if (place === undefined) {
      const text = this.#syntax.value(after, "", { inFlow: false, isWide: this.#lines.indent !== "" });
      return { start: node?.start ?? 0, end: node?.end ?? 0, text };
    }
    const { part, inFlow } = place;
    const isWide = this.#lines.begins(part.start);
    const margin = isWide ? this.#lines.margin(part.start) : this.#lines.column(part.start);
    const isShort = typeof after !== "object" || after === null || Object.keys(after).length === 0;
    if (node !== undefined && (inFlow || (isShort && node.kind !== "block"))) {
      return { start: node.start, end: node.end, text: this.#syntax.value(after, margin, { inFlow, isWide }) };
    }
    const text = this.#syntax.part({ key: part.key, after }, margin, { inFlow, isWide });
    return { start: part.start, end: part.end, text };
  }

  #container(node: TextNode, wanted: readonly Wanted[], place: Place): Edit[] {
    const inFlow = node.kind === "flow";
    let from = inFlow ? node.start + 1 : (place?.part.from ?? node.start);
    const owned = node.parts.map((part) => {
      const own = this.#lines.owned(part, from, inFlow);
      from = own.end;
      return own;
    });
    const container: Container = { node, owned, endsWithComma: owned.at(-1)?.comma !== undefined };
    const inPlace = new Set(longestRise(wanted.map((part) => part.from)));
    const edits = owned.flatMap((own, i) => (inPlace.has(i) ? [] : [{ ...this.#lines.removal(own), text: "" }]));
    // A new part follows the old part before it, even a removed one, unless that is on the first line of the text.
    let before = inPlace.has(0) || this.#beginsText(owned[0]) ? undefined : owned[0];
    for (const [i, want] of wanted.entries()) {
      const isLast = i === wanted.length - 1;
      const part = inPlace.has(want.from) ? node.parts[want.from] : undefined;
      if (part === undefined) {
        const comma = inFlow && (!isLast || container.endsWithComma) ? "," : "";
        edits.push(
          this.#insertion(container, before, (layout, margin) =>
            this.#part(container, want, { layout, margin, comma }),
          ),
        );
        continue;
      }
      edits.push(...this.value(part.value, want, { part, inFlow }), ...this.#comma(container, want.from, isLast));
      before = owned[want.from];
    }
    return edits;
  }

  #beginsText(own: OwnedText | undefined): boolean {
    return own !== undefined && this.#lines.text.slice(0, own.start).trim() === "";
  }

  /** The comma after a part that stays: it changes only if the grammar demands it, or text after it in its line goes. */
  #comma({ node, owned, endsWithComma }: Container, index: number, isLast: boolean): Edit[] {
    const [part, own] = [node.parts[index], owned[index]];
    if (node.kind !== "flow" || part === undefined || own === undefined) return [];
    const { comma } = own;
    if (comma === undefined) return isLast ? [] : [insertion(part.end, ",")];
    const canStay = !this.#syntax.isStrict && (endsWithComma || this.#lines.ends(own.end));
    return isLast && !canStay ? [{ start: comma, end: comma + 1, text: "" }] : [];
  }

  /** Inserts text after the part `before`, or before all parts. */
  #insertion(
    { node, owned }: Container,
    before: OwnedText | undefined,
    write: (layout: Layout, margin: string) => string,
  ): Edit {
    const lines = this.#lines;
    const inFlow = node.kind === "flow";
    const [first] = owned;
    const { newline } = lines;
    const margin = this.#innerMargin(node);
    const inLine = (): string => write({ inFlow, isWide: false }, margin);
    const asLine = (): string => margin + write({ inFlow, isWide: true }, margin);
    if (before !== undefined) {
      if (!lines.ends(before.end)) return insertion(before.end, this.#syntax.gap + inLine());
      return insertion(lines.endOfLine(before.end), newline + asLine());
    }
    if (first !== undefined) {
      if (!lines.begins(first.start)) return insertion(first.start, inLine() + this.#syntax.gap);
      const end = lines.endOfPreviousLine(first.start);
      return end === undefined ? insertion(0, asLine() + newline) : insertion(end, newline + asLine());
    }
    // The container has only comments.
    const line = lines.begins(node.end - 1) ? lines.endOfPreviousLine(node.end - 1) : undefined;
    return line === undefined
      ? insertion(node.end - 1, this.#syntax.gap + inLine())
      : insertion(line, newline + asLine());
  }

  #innerMargin({ kind, parts, start }: TextNode): string {
    const lines = this.#lines;
    if (kind === "block") return lines.column(parts[0]?.start ?? start);
    const first = parts.find((part) => lines.begins(part.start));
    return first === undefined ? lines.margin(start) + lines.indent : lines.margin(first.start);
  }

  /** A new part, or a part that moves with its comments. */
  #part(
    { node, owned }: Container,
    want: Wanted,
    { layout, margin, comma }: { readonly layout: Layout; readonly margin: string; readonly comma: string },
  ): string {
    const [part, own] = [node.parts[want.from], owned[want.from]];
    if (part === undefined || own === undefined) return this.#syntax.part(want, margin, layout) + comma;
    const { text } = this.#lines;
    const edits = this.value(part.value, want, { part, inFlow: layout.inFlow });
    const written = applied(text, edits, [part.start, part.end]) + comma;
    if (!layout.isWide) return written;
    return text.slice(own.start, part.start) + written + text.slice((own.comma ?? part.end - 1) + 1, own.end);
  }
}

function insertion(at: number, text: string): Edit {
  return { start: at, end: at, text };
}

/** The parts of the new container; undefined if the node is not a container of the same kind. */
function wantedParts({ kind, parts }: TextNode, { before, after }: Change): Wanted[] | undefined {
  if (kind === "scalar") return undefined;
  if (Array.isArray(before) && Array.isArray(after)) {
    const pairs = pairsOf(before, after);
    return after.map((item: unknown, i) => {
      const from = pairs[i] ?? -1;
      return { key: undefined, from, before: before[from], after: item };
    });
  }
  if (!isObject(before) || !isObject(after)) return undefined;
  const kept = parts.flatMap(({ key = "" }, from) =>
    Object.hasOwn(after, key) ? [{ key, from, before: before[key], after: after[key] }] : [],
  );
  const known = new Set(parts.map(({ key }) => key));
  const added = Object.entries(after).flatMap(([key, value]) =>
    known.has(key) ? [] : [{ key, from: -1, before: undefined, after: value }],
  );
  return [...kept, ...added];
}
