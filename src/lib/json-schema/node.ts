import { type Json } from "./json.ts";
import { type Place, type Resource } from "./registry.ts";
import { type Run, Seen } from "./run.ts";

export type SchemaRun = Run<Resource>;

/** One keyword's part of a schema. Adds to `seen`, where somebody asks for it, what it has answered for. */
export type Check = (value: Json, run: SchemaRun, seen: Seen | undefined) => boolean;

/** A schema made ready. */
export class SchemaNode {
  readonly resource: Resource;
  readonly pointer: string;
  /** In order; what asks what others have seen is last. Filled after it is made, since schemas refer to themselves. */
  readonly checks: Check[] = [];
  /** One of its checks asks what the others have seen. */
  asks = false;
  /** Nothing fits. */
  isNever = false;
  /** Schemas that the same value is checked by in turn. */
  readonly inPlace: SchemaNode[] = [];

  constructor({ resource, pointer }: Place) {
    this.resource = resource;
    this.pointer = pointer;
  }

  check(value: Json, run: SchemaRun, seen: Seen | undefined): boolean {
    if (this.isNever) return run.fail("is not allowed");
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

  /** Checks a value within the one that is being checked. */
  checkAt(step: string | number, value: Json, run: SchemaRun): boolean {
    run.path.push(step);
    const fits = this.check(value, run, undefined);
    run.path.pop();
    return fits;
  }

  /** Whether the value fits, telling nothing; what was seen counts only then. */
  fits(value: Json, run: SchemaRun, seen: Seen | undefined): boolean {
    const branch = seen === undefined ? undefined : new Seen();
    const fits = run.quietly(() => this.check(value, run, branch));
    if (fits && branch !== undefined) seen?.add(branch);
    return fits;
  }
}
