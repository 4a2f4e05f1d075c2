import { nearestWord } from "../text/nearest-word.ts";
import { type Json } from "./json.ts";
import { type SchemaLocation, type Resource } from "./registry.ts";
import { type Run, Seen } from "./run.ts";

/** Characters of the names of members that an error lists. */
const MAX_LISTED = 300;

/** One check of a value against a schema. */
export type SchemaRun = Run<Resource>;

/** The check of one keyword of a schema. If `seen` is given, it adds the members and items that it has evaluated. */
export type Check = (value: Json, run: SchemaRun, seen: Seen | undefined) => boolean;

/** A compiled schema. */
export class SchemaNode {
  readonly resource: Resource;
  readonly pointer: string;
  /** Checks in order, last those that read `seen`. Filled later, because schemas refer to themselves. */
  readonly checks: Check[] = [];
  /** True if one of its checks reads what the others have evaluated. */
  asks = false;
  /** True if no value is valid. */
  isNever = false;
  /** If it is for members without a schema of their own: the names that have one. */
  named: readonly string[] = [];
  /** Schemas that check the same value. */
  readonly inPlace: SchemaNode[] = [];

  constructor({ resource, pointer }: SchemaLocation) {
    this.resource = resource;
    this.pointer = pointer;
  }

  check(value: Json, run: SchemaRun, seen: Seen | undefined): boolean {
    if (this.isNever) return run.stopsAtFirst ? false : run.fail(`is not allowed${this.#hint(run.path.at(-1))}`);
    run.enter();
    const { scope } = run;
    const isEntry = scope.at(-1) !== this.resource;
    if (isEntry) scope.push(this.resource);
    const own = this.asks ? new Seen() : seen;
    let fits = true;
    for (const check of this.checks) {
      if (check(value, run, own)) continue;
      fits = false;
      if (run.stopsAtFirst) break;
    }
    if (isEntry) scope.pop();
    run.leave();
    if (fits && this.asks && own !== undefined) seen?.add(own);
    return fits;
  }

  /** The name that is likely meant, or all names if they are few. */
  #hint(name: string | number | undefined): string {
    if (this.named.length === 0 || typeof name !== "string") return "";
    const meant = nearestWord(name, this.named);
    if (meant !== undefined) return `; did you mean ${JSON.stringify(meant)}?`;
    const texts = this.named.map((each) => JSON.stringify(each));
    const [last = "", ...others] = texts.toReversed();
    const list =
      others.length === 0 ? ` only name is ${last}` : ` names are ${others.toReversed().join(", ")} and ${last}`;
    return list.length > MAX_LISTED ? "" : `; the${list}`;
  }

  checkAt(step: string | number, value: Json, run: SchemaRun): boolean {
    run.path.push(step);
    const fits = this.check(value, run, undefined);
    run.path.pop();
    return fits;
  }

  /** True if the value is valid; reports no errors. Evaluated members count only if it is valid. */
  fits(value: Json, run: SchemaRun, seen: Seen | undefined): boolean {
    const branch = seen === undefined ? undefined : new Seen();
    const fits = run.quietly(() => this.check(value, run, branch));
    if (fits && branch !== undefined) seen?.add(branch);
    return fits;
  }
}
