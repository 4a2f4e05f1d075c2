import {
  eachField,
  type Fields,
  fieldLine,
  fieldValues,
  firstFieldValue,
  trimOws,
  withoutFields,
} from "../../../lib/fields.ts";
import { MAX_MAP_BYTES, MAX_MAP_PAIRS } from "./bounds.ts";
import { encodePairs, type Pair } from "./pairs.ts";
import { asUtf8, type Originals } from "./utf8-values.ts";

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const NO_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
/** The shortest line of a field, `a: \r\n`: fewer bytes than pairs times this hold no more pairs than that. */
const LEAST_LINE_BYTES = 5;

/** What a list of fields begins with. */
export interface FieldSource {
  /** All fields of the message. */
  readonly fields: Fields;
  /** Those of them that the filter may see. */
  readonly visible?: Fields;
  /** Fields that the filter sees and that are not among those of the message, as Content-Length. */
  readonly told?: Fields;
  /** Names such as `:path`, with their values. */
  readonly pseudo?: readonly Pair[];
  /** Lower-case names of fields that are the gateway's own: what the filter does to them is not passed on. */
  readonly kept: ReadonlySet<string>;
}

/**
 * Fields of a message as a filter sees and changes them. What it does to those that it sees is done to those that it may not
 * see, too, so that it can remove or replace a credential without reading it.
 */
export class FieldList {
  #shown: Fields;
  #passed: Fields;
  readonly #pseudo: Map<string, string> | undefined;
  readonly #originals: Originals;
  readonly #kept: ReadonlySet<string>;
  /** What is shown and what is passed on are one text. */
  #isOne: boolean;
  #isChanged = false;
  #encoded: string | undefined;
  /** Why the message fails: the filter has made it something that cannot be sent. */
  fault: string | undefined;
  /** The filter wants no Content-Length. */
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

  /** The filter has changed something. */
  get isChanged(): boolean {
    return this.#isChanged;
  }

  /** What goes on: the message's fields with the filter's changes. */
  get fields(): Fields {
    return this.#isOne ? this.#shown : this.#passed;
  }

  /** The value of `:path` and its like. */
  pseudo(name: string): string | undefined {
    return this.#pseudo?.get(name);
  }

  /** Characters that an operation goes over. */
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

  /** The first value, as Envoy's host has it, but of Cookie all; undefined where it is absent. `name` is in any capitalisation. */
  get(name: string): string | undefined {
    const lowerName = this.#known(name);
    const pseudo = this.#pseudo?.get(lowerName);
    if (pseudo !== undefined) return pseudo;
    if (lowerName !== "cookie") return firstFieldValue(this.#shown, lowerName);
    const cookies = fieldValues(this.#shown, lowerName);
    return cookies.length === 0 ? undefined : cookies.join("; ");
  }

  /** As filters read it; empty where there is no field. */
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

  /** Puts one field in the place of all of its name. */
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
   * Makes these the fields. Those that the filter did not see, or has left as they were, stay as they came. Each change goes over
   * the whole list: `changes` is called before it.
   */
  setAll(pairs: readonly Pair[], changes: () => void): void {
    if (this.fault !== undefined) return;
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

  /** Requests have one name for Host, whatever protocol they came by. */
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
    if (!TOKEN.test(name) || NO_VALUE.test(text)) {
      this.fault ??= `sets the field ${JSON.stringify(name.slice(0, 64))}, which cannot be sent`;
      return;
    }
    const value = trimOws(text);
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
    // What fails all the same takes no more work.
    if (this.fault !== undefined) return;
    const isKept = this.#kept.has(lowerName);
    if (isKept) this.#part();
    this.#shown = edit(this.#shown, true);
    if (!this.#isOne && !isKept) this.#passed = edit(this.#passed, false);
    this.#checkBounds();
  }

  /** From now on what is shown and what is passed on differ. */
  #part(): void {
    if (this.#isOne) this.#passed = this.#shown;
    this.#isOne = false;
  }

  #checkBounds(): void {
    const { length } = this.#shown;
    if (length > MAX_MAP_BYTES || (length > MAX_MAP_PAIRS * LEAST_LINE_BYTES && this.count > MAX_MAP_PAIRS)) {
      this.fault ??= `sets more than ${MAX_MAP_PAIRS} fields or ${MAX_MAP_BYTES} bytes of them`;
    }
  }
}

function valuesByName(pairs: Iterable<Pair>): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const lowerName = name.toLowerCase();
    const known = values.get(lowerName);
    if (known === undefined) values.set(lowerName, [value]);
    else known.push(value);
  }
  return values;
}
