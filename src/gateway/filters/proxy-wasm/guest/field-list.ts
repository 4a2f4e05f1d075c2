import {
  eachField,
  type Fields,
  fieldLine,
  fieldValues,
  firstFieldValue,
  trimOws,
  withoutFields,
} from "../../../../lib/http/fields.ts";
import { BAD_VALUE, LOWER_TOKEN } from "../../../exchange/request-fields.ts";
import { MAX_MAP_BYTES, MAX_MAP_PAIRS } from "../../module/proxy-wasm-bounds.ts";
import { encodePairs, type Pair } from "./pairs.ts";
import { asUtf8, type Originals } from "./utf8-values.ts";

/** Bytes of the shortest field line, `a: \r\n`. A text of fewer than n times as many bytes has fewer than n fields. */
const LEAST_LINE_BYTES = 5;

/** The initial contents of a list of fields. */
export interface FieldSource {
  readonly fields: Fields;
  /** The part of them that the filter can see. */
  readonly visible?: Fields;
  /** Fields that the filter sees although the message does not have them, such as Content-Length. */
  readonly told?: Fields;
  /** Names such as `:path`, with their values. */
  readonly pseudo?: readonly Pair[];
  /** Lower-case names of fields that belong to the gateway. A filter's changes to them are not passed on. */
  readonly kept: ReadonlySet<string>;
}

/**
 * The fields of a message as a filter sees and changes them. Its changes also apply to fields that it cannot see. So it
 * can remove or replace a credential without reading it.
 */
export class FieldList {
  #shown: Fields;
  #passed: Fields;
  readonly #pseudo: Map<string, string> | undefined;
  readonly #originals: Originals;
  readonly #kept: ReadonlySet<string>;
  /** True if the fields that are shown and those that are passed on are the same text. */
  #isOne: boolean;
  #isChanged = false;
  #encoded: string | undefined;
  /** The reason for the message to fail, if the filter has made it one that cannot be sent. */
  error: string | undefined;
  /** True if the filter has removed Content-Length. */
  dropsLength = false;

  constructor({ fields, visible = fields, told = "", pseudo, kept }: FieldSource) {
    const shown = asUtf8(visible + told);
    this.#shown = shown.fields;
    this.#originals = shown.originals;
    this.#kept = kept;
    this.#passed = fields;
    this.#isOne = shown.fields === fields;
    this.#pseudo = pseudo === undefined ? undefined : new Map(pseudo);
  }

  get isChanged(): boolean {
    return this.#isChanged;
  }

  /** The message's fields with the filter's changes, as they are passed on. */
  get fields(): Fields {
    return this.#isOne ? this.#shown : this.#passed;
  }

  /** The value of a pseudo-header field such as `:path`. */
  pseudo(name: string): string | undefined {
    return this.#pseudo?.get(name);
  }

  /** The number of characters that an operation goes over. */
  get weight(): number {
    return this.#shown.length;
  }

  get count(): number {
    let count = this.#pseudo?.size ?? 0;
    for (let at = this.#shown.indexOf("\n"); at !== -1; at = this.#shown.indexOf("\n", at + 1)) count++;
    return count;
  }

  /** Bytes of all names and values. */
  get bytes(): number {
    let bytes = 0;
    for (const [name, value] of this.#pairs()) bytes += name.length + value.length;
    return bytes;
  }

  /** The first value, as in Envoy's host, but all of Cookie; undefined without the field. Any capitalisation. */
  get(name: string): string | undefined {
    const lowerName = this.#known(name);
    const pseudo = this.#pseudo?.get(lowerName);
    if (pseudo !== undefined) return pseudo;
    if (lowerName !== "cookie") return firstFieldValue(this.#shown, lowerName);
    const cookies = fieldValues(this.#shown, lowerName);
    return cookies.length === 0 ? undefined : cookies.join("; ");
  }

  /** All values, joined as Envoy joins them in its properties; undefined if the field is absent. */
  joined(name: string): string | undefined {
    const values = fieldValues(this.#shown, this.#known(name));
    return values.length < 2 ? this.get(name) : values.join(name.toLowerCase() === "cookie" ? "; " : ",");
  }

  /** The list in the encoding for filters; empty if there is no field. */
  encoded(): string {
    if (this.#encoded === undefined) {
      const pairs = this.#pairs();
      this.#encoded = pairs.length === 0 ? "" : encodePairs(pairs);
    }
    return this.#encoded;
  }

  add(name: string, value: string): void {
    this.#set(name, value, false);
  }

  /** Replaces all fields of this name by one field. */
  replace(name: string, value: string): void {
    this.#set(name, value, true);
  }

  remove(name: string): void {
    const lowerName = this.#known(name);
    if (lowerName.startsWith(":")) return;
    if (lowerName === "content-length") this.dropsLength = true;
    this.#edit(lowerName, (fields) => withoutFields(fields, [lowerName]));
  }

  /**
   * Replaces the list. Fields that the filter did not see, or did not change, stay as they arrived. Each change goes
   * over the whole list, and `changes` is called before it.
   */
  setAll(pairs: readonly Pair[], changes: () => void): void {
    if (this.error !== undefined) return;
    const before = valuesByName(eachField(this.#shown));
    const after = valuesByName(pairs.map(([name, value]) => [this.#known(name), value] as const));
    for (const name of before.keys()) {
      if (after.has(name)) continue;
      changes();
      this.remove(name);
    }
    for (const [name, values] of after) {
      if (before.get(name)?.join("\n") === values.join("\n")) continue;
      for (const [index, value] of values.entries()) {
        changes();
        this.#set(name, value, index === 0);
      }
    }
  }

  #pairs(): Pair[] {
    const pairs: Pair[] = this.#pseudo === undefined ? [] : [...this.#pseudo];
    for (const [name, value] of eachField(this.#shown)) pairs.push([name.toLowerCase(), value]);
    return pairs;
  }

  /** Requests have one name for Host, whatever their protocol. */
  #known(name: string): string {
    const lowerName = name.toLowerCase();
    return lowerName === "host" && this.#pseudo?.has(":authority") === true ? ":authority" : lowerName;
  }

  #set(name: string, text: string, replaces: boolean): void {
    const lowerName = this.#known(name);
    if (lowerName.startsWith(":")) {
      this.#setPseudo(lowerName, text);
      return;
    }
    const value = trimOws(text);
    if (!LOWER_TOKEN.test(lowerName) || BAD_VALUE.test(value)) {
      this.error ??= `sets the field ${JSON.stringify(name.slice(0, 64))}, which cannot be sent`;
      return;
    }
    const original = this.#originals.get(value) ?? value;
    const edit = (fields: Fields, isShown: boolean): Fields =>
      (replaces ? withoutFields(fields, [lowerName]) : fields) + fieldLine(lowerName, isShown ? value : original);
    if (original !== value) this.#part();
    this.#edit(lowerName, edit);
  }

  #setPseudo(name: string, value: string): void {
    if (this.#pseudo?.has(name) !== true || this.#pseudo.get(name) === value) return;
    this.#pseudo.set(name, value);
    this.#isChanged = true;
    this.#encoded = undefined;
  }

  #edit(lowerName: string, edit: (fields: Fields, isShown: boolean) => Fields): void {
    this.#encoded = undefined;
    this.#isChanged = true;
    // A message that fails anyway takes no more work.
    if (this.error !== undefined) return;
    const isKept = this.#kept.has(lowerName);
    if (isKept) this.#part();
    this.#shown = edit(this.#shown, true);
    if (!this.#isOne && !isKept) this.#passed = edit(this.#passed, false);
    this.#checkBounds();
  }

  /** From now on the shown fields and the passed fields differ. */
  #part(): void {
    if (this.#isOne) this.#passed = this.#shown;
    this.#isOne = false;
  }

  #checkBounds(): void {
    const { length } = this.#shown;
    if (length > MAX_MAP_BYTES || (length > MAX_MAP_PAIRS * LEAST_LINE_BYTES && this.count > MAX_MAP_PAIRS)) {
      this.error ??= `sets more than ${MAX_MAP_PAIRS} fields or ${MAX_MAP_BYTES} bytes of them`;
    }
  }
}

function valuesByName(pairs: Iterable<Pair>): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    values.getOrInsertComputed(name.toLowerCase(), () => []).push(value);
  }
  return values;
}
