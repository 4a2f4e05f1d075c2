import { type Scope } from "../syntax/scope.ts";
import { type Scopes } from "../syntax/scopes.ts";
import { type Fn, forEachChild, isClass, isFunction, isMissing, type Node } from "../syntax/syntax.ts";
import { either, NOTHING, UNKNOWN, type Value } from "./value.ts";
import { type Values } from "./values.ts";

/** Maximum number of `return` statements of a function that are followed. */
const MAX_RETURNS = 6;

/** Finds the values that functions return. */
export class Results {
  readonly #values: Values;
  readonly #running = new Set<Fn>();

  constructor(values: Values) {
    this.#values = values;
  }

  /** The value that a call returns. Unknown for a function that calls itself. */
  of(node: Fn, args: readonly Value[], self: Value): Value {
    const scope = this.#values.scopes.of(node);
    if (this.#running.has(node) || node.generator || scope === undefined || isMissing(node.body)) return UNKNOWN;
    const { body } = node;
    this.#running.add(node);
    try {
      return this.#values.frames.during(node, args, self, () => this.#ofBody(body, scope));
    } finally {
      this.#running.delete(node);
    }
  }

  #ofBody(body: Node, scope: Scope): Value {
    if (body.type !== "BlockStatement") return this.#values.of(body, scope);
    const { scopes } = this.#values;
    const returned = returnsIn(body, scopes.of(body) ?? scope, scopes).map(([value, at]) => this.#values.of(value, at));
    return returned.length === 0 ? NOTHING : either(returned);
  }
}

function returnsIn(node: Node, scope: Scope, scopes: Scopes, found: [Node, Scope][] = []): [Node, Scope][] {
  forEachChild(node, (child) => {
    if (found.length >= MAX_RETURNS || isFunction(child) || isClass(child)) return;
    const inner = scopes.of(child) ?? scope;
    if (child.type === "ReturnStatement") {
      if (child.argument !== null) found.push([child.argument, inner]);
    } else if (/Statement$|^SwitchCase$|^CatchClause$/.test(child.type)) returnsIn(child, inner, scopes, found);
  });
  return found;
}
