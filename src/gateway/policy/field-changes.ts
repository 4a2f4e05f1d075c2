import { type Fields } from "../../lib/http/fields.ts";
import { flatText } from "../../lib/memory/flat-text.ts";
import { type TextPieces } from "../../lib/memory/text-pieces.ts";
import { type HeadChanges, type ResponseHead } from "../exchange/exchange.ts";
import { changedHead } from "../exchange/exchange-state.ts";

/** Changes to the field lines of a head. Names in any capitalisation. */
export interface FieldChangeList {
  /** Names whose lines are all removed. */
  readonly removed?: readonly string[];
  /** Whole lines that are added at the end. */
  readonly added?: Fields;
  /** Lines that are added if the head has no line of the name; 31 at most. */
  readonly defaults?: readonly { readonly name: string; readonly line: Fields }[];
}

interface Watched {
  readonly lowerName: string;
  /** The bit of a default. 0: the line is removed. */
  readonly bit: number;
}

/** Compiled changes to field lines. They are applied in one scan, which reads only names of a matching length. */
export class FieldChanges implements HeadChanges {
  readonly #byLength: (Watched[] | undefined)[] = [];
  readonly #added: Fields;
  readonly #removed: readonly string[];
  readonly #defaults: readonly { readonly bit: number; readonly lowerName: string; readonly line: Fields }[];

  constructor({ removed = [], added = "", defaults = [] }: FieldChangeList) {
    this.#added = added;
    this.#removed = removed.map((name) => name.toLowerCase());
    this.#defaults = defaults.map(({ name, line }, i) => ({ bit: 1 << i, lowerName: name.toLowerCase(), line }));
    for (const name of removed) this.#watch(name, 0);
    for (const [i, { name }] of defaults.entries()) this.#watch(name, 1 << i);
  }

  #watch(name: string, bit: number): void {
    (this.#byLength[name.length] ??= []).push({ lowerName: name.toLowerCase(), bit });
  }

  applyToHead(head: ResponseHead): ResponseHead {
    return changedHead(head, { fields: this.apply(head.fields) });
  }

  addTo(pieces: TextPieces, head: ResponseHead): void {
    const { lines } = head;
    if (lines === undefined) {
      pieces.add(this.apply(head.fields));
      return;
    }
    lines.addTo(pieces, this.#removed);
    pieces.add(this.#added);
    for (const { lowerName, line } of this.#defaults) if (!lines.has(lowerName)) pieces.add(line);
  }

  apply(fields: Fields): Fields {
    let kept = "";
    let from = 0;
    let found = 0;
    for (let start = 0; start < fields.length; ) {
      const newline = fields.indexOf("\r\n", start);
      const end = newline === -1 ? fields.length : newline + 2;
      const watched = this.#watchedAt(fields, start);
      if (watched !== undefined && watched.bit === 0) {
        kept += fields.slice(from, start);
        from = end;
      } else if (watched !== undefined) found |= watched.bit;
      start = end;
    }
    let changed = (from === 0 ? fields : kept + fields.slice(from)) + this.#added;
    for (const { bit, line } of this.#defaults) if ((found & bit) === 0) changed += line;
    return flatText(changed);
  }

  #watchedAt(fields: Fields, start: number): Watched | undefined {
    const candidates = this.#byLength[fields.indexOf(":", start) - start];
    if (candidates === undefined) return undefined;
    for (const candidate of candidates) if (spells(fields, start, candidate.lowerName)) return candidate;
    return undefined;
  }
}

function spells(fields: Fields, start: number, lowerName: string): boolean {
  for (let i = 0; i < lowerName.length; i++) {
    const code = fields.charCodeAt(start + i);
    if ((code >= 0x41 && code <= 0x5a ? code | 0x20 : code) !== lowerName.charCodeAt(i)) return false;
  }
  return true;
}
