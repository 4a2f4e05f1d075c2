import { TurnpikeError } from "../../../../lib/errors.ts";
import { isObject } from "../../../../lib/is-object.ts";
import { fromPointerStep, type Json } from "../../../../lib/json-schema/json.ts";
import { foldCase } from "../../../../lib/text/fold-case.ts";

/** A text that programs convert to a number. */
const NUMERIC = /^\s*[+-]?\p{Nd}[\p{Nd}_.,eE+-]*\s*$/u;

/** Items of an array that have prices of their own. */
const MAX_ITEMS = 64;

interface ValueTest {
  readonly value?: string | number | boolean;
  readonly min?: number;
  readonly max?: number;
}

/** The values of a JSON body at one pointer (RFC 6901). A value that servers read in different ways is an error. */
export class BodyValue {
  readonly #pointer: string;
  readonly #steps: readonly string[];

  constructor(pointer: string) {
    this.#pointer = pointer;
    this.#steps = pointer.split("/").slice(1).map(fromPointerStep);
  }

  fulfils(body: Json | undefined, { value: wanted, min, max }: ValueTest): boolean | TurnpikeError {
    const value = this.#in(body);
    if (value instanceof TurnpikeError) return value;
    if (value === undefined) return false;
    if (wanted !== undefined && wanted !== value) {
      const isConverted = value !== null && typeof value !== "object" && typeof value !== typeof wanted;
      return isConverted ? this.#error(`expected a ${typeof wanted}`) : false;
    }
    if (min === undefined && max === undefined) return true;
    const number = this.#numberOf(value);
    if (number === undefined || number instanceof TurnpikeError) return number ?? false;
    return number >= (min ?? -Infinity) && number <= (max ?? Infinity);
  }

  /** The number of units: a number, or the length of an array. */
  count(body: Json | undefined): number | TurnpikeError {
    const value = this.#in(body);
    const number = value instanceof TurnpikeError ? value : (this.#numberOf(value) ?? 0);
    // Many servers take a negative number as "no limit".
    return typeof number === "number" && number < 0 ? this.#error("expected a number that is not negative") : number;
  }

  /** The names of the items of an array: texts, or members `type` of objects. Undefined without such a value. */
  names(body: Json | undefined): readonly string[] | undefined | TurnpikeError {
    const value = this.#in(body);
    if (value === undefined || value instanceof TurnpikeError) return value;
    if (!Array.isArray(value) || value.length > MAX_ITEMS)
      return this.#error(`expected an array of at most ${MAX_ITEMS} items`);
    const names: string[] = [];
    for (const item of value) {
      const name: unknown = isObject(item) ? item["type"] : item;
      if (typeof name !== "string") return this.#error("expected names, or objects with a name as type");
      names.push(name);
    }
    return names;
  }

  #numberOf(value: Json | undefined): number | undefined | TurnpikeError {
    if (typeof value === "number") return value;
    if (Array.isArray(value)) return value.length;
    const isConverted = typeof value === "string" ? NUMERIC.test(value) : isObject(value);
    return isConverted ? this.#error("expected a number or an array") : undefined;
  }

  /** Undefined without such a value. */
  #in(body: Json | undefined): Json | undefined | TurnpikeError {
    let value = body;
    for (const step of this.#steps) {
      if (Array.isArray(value)) value = /^(?:0|[1-9]\d{0,8})$/.test(step) ? value[Number(step)] : undefined;
      else if (!isObject(value)) return undefined;
      else {
        // Many servers read names without regard to case.
        const folded = foldCase(step);
        const isOther = (name: string): boolean =>
          name.length === step.length && name !== step && foldCase(name) === folded;
        if (Object.keys(value).some(isOther)) return this.#error("send this name once, in this spelling");
        value = value[step];
      }
    }
    return value;
  }

  #error(message: string): TurnpikeError {
    return new TurnpikeError("invalid-parameters", "the body has no clear value from which to determine the price", [
      { path: this.#steps.join("."), message, pointer: this.#pointer },
    ]);
  }
}
