import { type Scope } from "../syntax/scope.ts";
import { type Fn } from "../syntax/syntax.ts";
import { UNKNOWN, type Value } from "./value.ts";

/** The calls of functions: their arguments, and the objects of those that use `this`. */
export class Frames {
  readonly #args = new Map<Fn, readonly Value[]>();
  readonly #selves = new Map<Fn, Value>();

  /** The arguments with which a function was called last. */
  argumentsOf(node: Fn): readonly Value[] | undefined {
    return this.#args.get(node);
  }

  selfIn(scope: Scope): Value {
    let at: Scope | undefined = scope;
    while (at !== undefined && (at.owner === undefined || at.owner.type === "ArrowFunctionExpression")) at = at.parent;
    return (at?.owner === undefined ? undefined : this.#selves.get(at.owner)) ?? UNKNOWN;
  }

  /** A function is called. A known object replaces that of the call before; an unknown one does not. */
  enter(node: Fn, args: readonly Value[], self: Value): void {
    this.#args.set(node, args);
    if (node.type !== "ArrowFunctionExpression" && (self.is !== "unknown" || !this.#selves.has(node)))
      this.#selves.set(node, self);
  }

  /** The result of `use` in a call, after which the call before counts again. */
  during(node: Fn, args: readonly Value[], self: Value, use: () => Value): Value {
    const [argsBefore, selfBefore] = [this.#args.get(node), this.#selves.get(node)];
    this.#args.set(node, args);
    if (node.type !== "ArrowFunctionExpression") this.#selves.set(node, self);
    try {
      return use();
    } finally {
      if (argsBefore !== undefined) this.#args.set(node, argsBefore);
      if (selfBefore !== undefined) this.#selves.set(node, selfBefore);
    }
  }
}
