import { type FieldError } from "../errors.ts";
import { pointerStep } from "./json.ts";

/** Maximum number of errors that are reported for one value. After them the check ends. */
export const MAX_PROBLEMS = 20;
/**
 * Maximum number of steps to check one value. A step is one schema at one value, one member, 16 compared characters, or
 * 32 states of a pattern for one character.
 */
const MAX_STEPS = 2_000_000;
/** Maximum number of schemas within each other at one time, as `$ref` and `allOf` lead to them. */
const MAX_SCHEMA_DEPTH = 1000;
/** Characters of a path that are shown. */
const MAX_PATH = 200;

/** The check of a value would exceed `MAX_STEPS` or `MAX_SCHEMA_DEPTH`. */
export class TooCostly extends Error {
  constructor() {
    super(`it takes more than ${MAX_STEPS} steps or ${MAX_SCHEMA_DEPTH} schemas in each other to check`);
    this.name = "TooCostly";
  }
}

/** The members or items of a value that a schema has evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
export class Seen {
  readonly names = new Set<string>();
  readonly items = new Set<number>();
  allNames = false;
  /** All items below this index are evaluated. */
  itemsBelow = 0;

  add(other: Seen): void {
    for (const name of other.names) this.names.add(name);
    for (const item of other.items) this.items.add(item);
    this.allNames ||= other.allNames;
    this.itemsBelow = Math.max(this.itemsBelow, other.itemsBelow);
  }
}

/** One check of one value. */
export class Run<Resource> {
  readonly problems: FieldError[] = [];
  /** The place of the check in the value. */
  readonly path: (string | number)[] = [];
  /** The resources on the way to the current schema, first one first (JSON Schema Core §7.1). */
  readonly scope: Resource[] = [];
  #steps = 0;
  #depth = 0;
  #quiet = 0;
  /** Words around messages: of whose name they speak, and with which other member the rule holds. */
  #before = "";
  #after = "";

  readonly spend = (steps: number): void => {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) throw new TooCostly();
  };

  enter(): void {
    this.spend(1);
    if (++this.#depth > MAX_SCHEMA_DEPTH) throw new TooCostly();
  }

  leave(): void {
    this.#depth--;
  }

  /** True if the check may end at the first error. */
  get stopsAtFirst(): boolean {
    return this.#quiet > 0 || this.problems.length >= MAX_PROBLEMS;
  }

  /** Runs `check` without reporting errors. */
  quietly(check: () => boolean): boolean {
    this.#quiet++;
    const fits = check();
    this.#quiet--;
    return fits;
  }

  /** Runs `check` with words before and after the messages of its errors. */
  worded(before: string, after: string, check: () => boolean): boolean {
    const [outerBefore, outerAfter] = [this.#before, this.#after];
    [this.#before, this.#after] = [before, after];
    const fits = check();
    [this.#before, this.#after] = [outerBefore, outerAfter];
    return fits;
  }

  /** Reports an error. Always returns false. */
  fail(text: string): false {
    if (!this.stopsAtFirst) {
      const path = this.path.map(pointerStep).join("");
      const message = this.#before + text + this.#after;
      this.problems.push({ path: path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path, message });
    }
    return false;
  }
}
