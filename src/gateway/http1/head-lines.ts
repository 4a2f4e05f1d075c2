import { fieldValue, fieldValues, type Fields, isOws, withoutFields } from "../../lib/http/fields.ts";
import { type FixedText } from "../../lib/memory/fixed-text.ts";
import { joined } from "../../lib/memory/flat-text.ts";
import { latin1Text } from "../../lib/memory/latin1.ts";
import { type LineBytes } from "../../lib/memory/line-bytes.ts";
import { type TextPieces } from "../../lib/memory/text-pieces.ts";
import { type FieldLines } from "../exchange/head-fields.ts";
import { type FieldScan } from "./field-scan.ts";
import { lengthBit, LINE_NUMBERS, linesText } from "./line-places.ts";

/** Bytes of a read that a head may keep in memory as long as it lives. Of a larger read it keeps texts. @bound */
export const MAX_KEPT_BYTES = 16_384;

const NO_BYTES = new Uint8Array(0);
/** The place of the value that was looked for last. */
const valuePlace = { from: 0, to: 0 };

/**
 * The lines of a received head that are passed on. They stay bytes until all of them are read as one text, because most are
 * only forwarded: a text costs a call into the runtime, 100 to 300 bytes, and a twentieth of a request's time. Single fields
 * are found, removed and added without it (bench http1).
 */
export abstract class HeadLines implements FieldLines {
  /** Empty if the parts are texts. */
  readonly #bytes: Uint8Array;
  /** The text; undefined while there are only bytes and added lines. */
  #fields: Fields | undefined;
  /** Three places for each line: its start, the end of its name, and its end. */
  #places: number[];
  /** Lines that were added behind those of the bytes. */
  #added: Fields = "";
  /** The bits of the names' lengths in the bytes. */
  readonly #lengths: number;

  /** Takes the lines that the scan of `bytes` passes on. The bytes never change. */
  constructor(bytes: Uint8Array, scan: FieldScan) {
    const isKept = bytes.length <= MAX_KEPT_BYTES;
    this.#bytes = isKept ? bytes : NO_BYTES;
    this.#fields = isKept && !scan.isText ? undefined : scan.fields;
    this.#places = this.#fields === undefined ? scan.places() : [];
    this.#lengths = scan.lengths;
  }

  protected get keepsBytes(): boolean {
    return this.#bytes !== NO_BYTES;
  }

  get fields(): Fields {
    if (this.#fields === undefined)
      this.#fields = joined(linesText(this.#bytes, this.#places, this.#places.length), this.#added);
    return this.#fields;
  }
  set fields(fields: Fields) {
    this.#fields = fields;
  }

  get lines(): FieldLines | undefined {
    return this.#fields === undefined ? this : undefined;
  }

  value(lowerName: string): string | undefined {
    let value: string | undefined;
    for (let i = this.#find(lowerName, 0); i >= 0; i = this.#find(lowerName, i + LINE_NUMBERS)) {
      const next = this.#valueAt(i);
      value = value === undefined ? next : `${value}, ${next}`;
    }
    const added = fieldValue(this.#added, lowerName);
    if (added === undefined) return value;
    return value === undefined ? added : `${value}, ${added}`;
  }

  values(lowerName: string): string[] {
    const values: string[] = [];
    for (let i = this.#find(lowerName, 0); i >= 0; i = this.#find(lowerName, i + LINE_NUMBERS)) {
      values.push(this.#valueAt(i));
    }
    if (this.#added !== "") values.push(...fieldValues(this.#added, lowerName));
    return values;
  }

  has(lowerName: string): boolean {
    return this.#find(lowerName, 0) >= 0 || fieldValue(this.#added, lowerName) !== undefined;
  }

  writeJson(line: LineBytes, start: FixedText, lowerName: string): void {
    const i = this.#find(lowerName, 0);
    if (i >= 0 && this.#find(lowerName, i + LINE_NUMBERS) < 0 && fieldValue(this.#added, lowerName) === undefined) {
      this.#bound(i);
      if (line.jsonBytes(start, this.#bytes, valuePlace.from, valuePlace.to)) return;
    }
    const value = this.value(lowerName);
    if (value !== undefined) line.json(start, value);
  }

  remove(lowerNames: readonly string[]): void {
    const places = this.#places;
    let kept = 0;
    for (let i = 0; i < places.length; i++) {
      if (i % LINE_NUMBERS === 0 && this.#isNamedAny(i, lowerNames)) i += LINE_NUMBERS - 1;
      else places[kept++] = places[i] ?? 0;
    }
    places.length = kept;
    if (this.#added !== "") this.#added = withoutFields(this.#added, lowerNames);
  }

  append(lines: Fields): void {
    this.#added = joined(this.#added, lines);
  }

  addTo(pieces: TextPieces, without: readonly string[]): void {
    const places = this.#places;
    for (let i = 0; i < places.length; ) {
      if (without.length > 0 && this.#isNamedAny(i, without)) {
        i += LINE_NUMBERS;
        continue;
      }
      const start = places[i] ?? 0;
      let end = start;
      do {
        end = places[i + 2] ?? 0;
        i += LINE_NUMBERS;
      } while (places[i] === end && !(without.length > 0 && this.#isNamedAny(i, without)));
      pieces.addBytes(this.#bytes, start, end);
    }
    if (this.#added !== "") pieces.add(without.length === 0 ? this.#added : withoutFields(this.#added, without));
  }

  /** The kept bytes from `start` to `end` as text. */
  protected textOf(start: number, end: number): string {
    return latin1Text(this.#bytes, start, end);
  }

  /** Adds the kept bytes from `start` to `end`. */
  protected add(pieces: TextPieces, start: number, end: number): void {
    pieces.addBytes(this.#bytes, start, end);
  }

  /** The index of the first line of that name in `#places`, from the line at `from` on; -1 without such a line. */
  #find(lowerName: string, from: number): number {
    if ((this.#lengths & lengthBit(lowerName.length)) === 0) return -1;
    for (let i = from; i < this.#places.length; i += LINE_NUMBERS) if (this.#isNamed(i, lowerName)) return i;
    return -1;
  }

  #isNamedAny(i: number, lowerNames: readonly string[]): boolean {
    for (const name of lowerNames) if (this.#isNamed(i, name)) return true;
    return false;
  }

  #isNamed(i: number, lowerName: string): boolean {
    const start = this.#places[i] ?? 0;
    const { length } = lowerName;
    if ((this.#places[i + 1] ?? 0) - start !== length) return false;
    for (let k = 0; k < length; k++) {
      const code = this.#bytes[start + k] ?? 0;
      if ((code >= 0x41 && code <= 0x5a ? code | 0x20 : code) !== lowerName.charCodeAt(k)) return false;
    }
    return true;
  }

  #valueAt(i: number): string {
    this.#bound(i);
    return latin1Text(this.#bytes, valuePlace.from, valuePlace.to);
  }

  /** Sets `valuePlace` to the value of the line, without the white space around it. */
  #bound(i: number): void {
    let from = (this.#places[i + 1] ?? 0) + 1;
    let to = (this.#places[i + 2] ?? 0) - 2;
    while (from < to && isOws(this.#bytes[from])) from++;
    while (to > from && isOws(this.#bytes[to - 1])) to--;
    valuePlace.from = from;
    valuePlace.to = to;
  }
}
