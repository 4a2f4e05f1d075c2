import { endOfName } from "./names-in.ts";

/** Maximum number of characters of a name. */
const LONGEST = 31;
/** Maximum number of characters of a class attribute. A longer one is ignored. */
const MAX_ATTRIBUTE_LENGTH = 2048;
const ANY_LENGTH = ~0;

/**
 * Names of classes that are searched in class attributes. Most names in these fail a comparison of their first letter
 * and length, so no string is made of them. A map of earlier attributes, which this was before, took twice as long on
 * pages of many sites, and kept the pages in memory of which the attributes are parts.
 */
export class ClassNames {
  readonly #names: ReadonlySet<string>;
  /** For each ASCII character with which a name begins, the lengths of these names as bits. */
  readonly #lengths = new Int32Array(0x80);

  /** The names are in lower case. Throws if one is longer than LONGEST. */
  constructor(names: readonly string[]) {
    this.#names = new Set(names);
    for (const name of names) {
      if (name.length > LONGEST) throw new RangeError(`Cannot search the class '${name}': it is too long`);
      for (const one of [name, name.toUpperCase()]) {
        const first = one.charCodeAt(0);
        this.#lengths[first] = (this.#lengths[first] ?? 0) | (1 << name.length);
      }
    }
  }

  /** Whether a class attribute has one of the names, in any case. */
  areIn(attribute: string): boolean {
    if (attribute.length > MAX_ATTRIBUTE_LENGTH) return false;
    for (let at = 0; at < attribute.length; ) {
      const end = endOfName(attribute, at);
      if (this.#mayBe(attribute.charCodeAt(at), end - at)) {
        if (this.#names.has(attribute.slice(at, end).toLowerCase())) return true;
      }
      at = end + 1;
    }
    return false;
  }

  #mayBe(first: number, length: number): boolean {
    if (length > LONGEST) return false;
    // The Kelvin sign in lower case is an ASCII letter.
    const lengths = first < 0x80 ? (this.#lengths[first] ?? 0) : ANY_LENGTH;
    return ((lengths >>> length) & 1) === 1;
  }
}
