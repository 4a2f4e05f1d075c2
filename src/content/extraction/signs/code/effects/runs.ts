import { methodOf } from "../values/classes.ts";
import { LIFECYCLE } from "./components.ts";
import { isHandlerProperty } from "./events.ts";
import { type Running } from "./running.ts";
import { type Class, type Fn, isFunction, isMissing, type Node, propertyName } from "../syntax/syntax.ts";
import { UNKNOWN, type Value } from "../values/value.ts";
import { type Values } from "../values/values.ts";

/** Limits of the calls of one function, and of functions in one another. @bound */
const MAX_CALLS = 6;
const MAX_STACK = 60;

/** Runs functions, methods of classes, and what other code gets. */
export class Runs {
  readonly #values: Values;
  readonly #visit: (node: Node, at: Running) => void;
  readonly #stack: Fn[] = [];
  readonly #entered = new Map<Fn, number>();
  readonly #classes = new Set<Class>();
  /** Events that the code causes itself, so that handlers of the user's events run too. */
  readonly caused = new Set<string>();

  constructor(values: Values, visit: (node: Node, at: Running) => void) {
    this.#values = values;
    this.#visit = visit;
  }

  /** Lets functions run again. */
  restart(): void {
    this.#entered.clear();
  }

  /** Runs a function, if it has not run often enough with other arguments. */
  enter(node: Fn, args: readonly Value[], self: Value, at: Running): void {
    const count = this.#entered.get(node) ?? 0;
    if (count >= mostCalls([...args, self], at) || this.#stack.includes(node) || this.#stack.length >= MAX_STACK)
      return;
    const scope = this.#values.scopes.of(node);
    if (scope === undefined || isMissing(node.body)) return;
    this.#entered.set(node, count + 1);
    this.#values.frames.enter(node, args, self);
    const inner = { ...at, scope, code: scope.code };
    this.#stack.push(node);
    try {
      this.#visit(node.body, inner);
      // A module's getter: the code that uses the module runs the function.
      if (node.body.type === "Identifier") this.escape(this.#values.of(node.body, scope), inner);
    } finally {
      this.#stack.pop();
    }
  }

  /** Runs a function that other code gets. Classes and objects get the call of their own beginnings. */
  escape(value: Value, at: Running, args: readonly Value[] = [], self: Value = UNKNOWN): void {
    if (value.is === "function") {
      this.#callback(value.node, args, self.is === "unknown" ? value.self : self, at);
      const made = this.#values.result(value.node, args, value.self);
      if (made.is === "object") this.escape(made, at);
    } else if (value.is === "class") this.instantiate(value.node, UNKNOWN, at);
    else if (value.is === "object") this.#escapeParts(value, at);
  }

  #escapeParts(object: Extract<Value, { is: "object" }>, at: Running): void {
    for (const property of object.node.properties) {
      if (property.type !== "Property") continue;
      const name = propertyName(property);
      if (name !== undefined && isHandlerProperty(name, this.caused)) continue;
      const { value } = property;
      if (value.type === "ObjectExpression" || isFunction(value))
        this.escape(this.#values.of(value, object.scope), at, [], object);
      else this.#visit(value, { ...at, scope: object.scope });
    }
  }

  #callback(node: Fn, args: readonly Value[], self: Value, at: Running): void {
    this.enter(node, args, self, { ...at, callbacks: at.callbacks + 1, callback: node });
  }

  /** The class is known, but the page has no elements for it. */
  skip(of: Class): void {
    this.#classes.add(of);
  }

  /** Runs the methods of a class that browsers and frameworks call, for the elements that they are given. */
  instantiate(of: Class, elements: Value, at: Running, args: readonly Value[] = []): void {
    if (elements.is !== "elements" && this.#classes.has(of) && args.every(({ is }) => is === "unknown")) return;
    this.#classes.add(of);
    for (const name of args.length > 0 ? ["constructor"] : LIFECYCLE) {
      const method = methodOf(this.#values, of, name);
      if (method !== undefined) this.#callback(method, args, { is: "instance", node: of, elements }, at);
    }
  }
}

/** The number of times that a function runs with such arguments. */
function mostCalls(args: readonly Value[], { code: { isLibrary } }: Running): number {
  return !isLibrary && args.some(({ is }) => is !== "unknown") ? MAX_CALLS : 1;
}
