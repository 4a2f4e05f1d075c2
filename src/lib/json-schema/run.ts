import { type FieldError } from "../errors.ts";
import { pointerStep } from "./json.ts";

/** Problems of one value that are told; the check ends with the last. */
export const MAX_PROBLEMS = 20;
/** What checking one value may cost: a step is one schema at one place, one member looked at, 16 characters compared, or 32 states of a pattern over a character. */
export const MAX_STEPS = 2_000_000;
/** Schemas within each other at one time, as `$ref` and `allOf` bring them. */
export const MAX_SCHEMA_DEPTH = 1000;
/** Characters of a path that are told. */
const MAX_PATH = 200;

/** Checking a value would cost more than it may. */
export class TooCostly extends Error {
  constructor() {
    super(`it takes more than ${MAX_STEPS} steps or ${MAX_SCHEMA_DEPTH} schemas in each other to check`);
    this.name = "TooCostly";
  }
}

/** What of an object or array some schema has answered for, as `unevaluatedProperties` and `unevaluatedItems` ask. */
export class Seen {
  readonly names = new Set<string>();
  readonly items = new Set<number>();
  allNames = false;
  /** All items below this index. */
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
  /** Where the check is in the value. */
  readonly path: (string | number)[] = [];
  /** The resources that it came through, the first one first (JSON Schema Core §7.1). */
  readonly scope: Resource[] = [];
  #steps = 0;
  #depth = 0;
  #quiet = 0;

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

  /** Nothing more need be found out once one thing is wrong. */
  get stopsAtFirst(): boolean {
    return this.#quiet > 0 || this.problems.length >= MAX_PROBLEMS;
  }

  /** Runs `check` without telling what is wrong. */
  quietly(check: () => boolean): boolean {
    this.#quiet++;
    const fits = check();
    this.#quiet--;
    return fits;
  }

  /** Always false. */
  fail(message: string): false {
    if (!this.stopsAtFirst) {
      const path = this.path.map(pointerStep).join("");
      this.problems.push({ path: path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path, message });
    }
    return false;
  }
}
