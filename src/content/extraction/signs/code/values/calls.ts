import { type Element } from "domhandler";
import { type ESTree } from "meriyah";
import { browserMethod } from "./browser.ts";
import { foundBy, isAround, RETURNS_SAME } from "./elements.ts";
import { Results } from "./results.ts";
import { invocationOf } from "../syntax/invocation.ts";
import { type Scope } from "../syntax/scope.ts";
import { type Node } from "../syntax/syntax.ts";
import { ofText } from "./texts.ts";
import { constant, elements, NOTHING, OTHER, tagsIn, textOf, UNKNOWN, type Value } from "./value.ts";
import { type Values } from "./values.ts";

/** In place of the present year: a year that no page shows. */
const ANY_YEAR = 2099;

interface GivenCall {
  readonly node: ESTree.CallExpression;
  readonly args: readonly Node[];
  readonly scope: Scope;
}

interface MethodCall extends GivenCall {
  readonly object: Value;
  readonly key: string;
}

/** Finds the values of calls, and of `new`. */
export class Calls {
  readonly #values: Values;
  readonly results: Results;
  readonly #made = new Map<Node, Value>();

  constructor(values: Values) {
    this.#values = values;
    this.results = new Results(values);
  }

  created(node: ESTree.NewExpression, scope: Scope): Value {
    const callee = this.#values.of(node.callee, scope);
    if (callee.is === "class") return { is: "instance", node: callee.node, elements: OTHER };
    if (callee.is !== "global") return UNKNOWN;
    if (callee.name === "Text") return this.#keep(node, ["#text"]);
    if (callee.name === "Image") return this.#keep(node, ["img"]);
    if (callee.name === "DocumentFragment") return this.#keep(node, []);
    // An event is represented by its name.
    if (callee.name.endsWith("Event")) return this.#values.of(node.arguments[0], scope);
    return callee.name === "URLSearchParams" ? callee : UNKNOWN;
  }

  called(node: ESTree.CallExpression, scope: Scope): Value {
    const { callee, on, args } = invocationOf(node);
    if (callee.type === "Super") return NOTHING;
    const object = this.#values.of(on, scope);
    if (callee.type === "MemberExpression") {
      const key = this.#values.key(callee, scope) ?? "";
      if (key === "bind" && object.is === "function") return { ...object, self: this.#values.of(args[0], scope) };
      const found = this.#method({ node, args, scope, object, key });
      if (found !== undefined) return found;
    }
    const called = this.#values.of(callee, scope);
    if (called.is === "function") {
      const given = args.map((arg) => this.#values.of(arg, scope));
      return this.results.of(called.node, given, callee === node.callee ? called.self : object);
    }
    return isJquery(called, callee) ? this.#jquery({ node, args, scope }) : UNKNOWN;
  }

  #argument({ args, scope }: GivenCall, index = 0): Value {
    return this.#values.of(args[index], scope);
  }

  #text(call: GivenCall, index = 0): string | undefined {
    return textOf(this.#argument(call, index));
  }

  /** A created element: the same for each look at its creation. */
  #keep(node: Node, tags: readonly string[], names = ""): Value {
    return this.#made.getOrInsertComputed(node, () => ({ is: "made", made: { tags: new Set(tags), names } }));
  }

  #jquery(call: GivenCall): Value {
    const given = this.#argument(call);
    const text = textOf(given);
    if (text === undefined) return given;
    if (/^\s*</.test(text)) return this.#keep(call.node, tagsIn(text), text);
    return elements(this.#values.page.select(text));
  }

  #method(call: MethodCall): Value | undefined {
    const { is } = call.object;
    if (is === "function" || is === "class" || is === "object") return undefined;
    return (
      this.#search(call) ??
      this.#creation(call) ??
      this.#ofConstant(call) ??
      this.#ofBrowser(call) ??
      this.#ofElements(call)
    );
  }

  #search(call: MethodCall): Value | undefined {
    const { key, object } = call;
    const all = elementsOf(object);
    const within = isDocument(object) ? undefined : (all ?? "unknown");
    if (within === "unknown" && object.is !== "unknown" && object.is !== "shadow") return undefined;
    return foundBy(key, this.#values.page, () => this.#argument(call), within);
  }

  #creation(call: MethodCall): Value | undefined {
    const { node, key } = call;
    if (key === "createTextNode") return this.#keep(node, ["#text"]);
    if (key === "createDocumentFragment") return this.#keep(node, []);
    if (key === "createElement" || key === "createElementNS")
      return this.#keep(node, [(this.#text(call, key === "createElement" ? 0 : 1) ?? "?").toLowerCase()]);
    return undefined;
  }

  #ofConstant({ key, object }: MethodCall): Value | undefined {
    if (key === "getFullYear" && object.is !== "constant") return constant(ANY_YEAR);
    return object.is === "constant" && typeof object.value === "string" ? ofText(object.value, key) : undefined;
  }

  #ofBrowser(call: MethodCall): Value | undefined {
    const { key, object } = call;
    if (object.is !== "global") return undefined;
    const method = `${object.name}.${key}`;
    if (method === "Object.assign" || method === "Object.freeze") return this.#assigned(call);
    // The default of what is stored.
    if (method === "JSON.parse" && this.#text(call) === "[]") return elements([]);
    if (method === "Array.from" || method === "Promise.resolve") return this.#argument(call);
    return browserMethod(object.name, key, this.#values.page, () => this.#text(call));
  }

  #ofElements(call: MethodCall): Value | undefined {
    const { key, object } = call;
    const all = elementsOf(object);
    if (key === "attachShadow" && all !== undefined) return { is: "shadow", all };
    if (object.is !== "elements" && object.is !== "made") return undefined;
    if (RETURNS_SAME.test(key)) return object;
    if (isAround(key)) return this.#values.member(object, key);
    if (key === "appendChild" || key === "insertBefore") return this.#argument(call);
    return object.is === "made" ? object : UNKNOWN;
  }

  /** `Object.assign(element, { className: "banner" })` gives the element names. */
  #assigned(call: MethodCall): Value {
    const [target, given] = [this.#argument(call), this.#argument(call, 1)];
    if (target.is === "made" && given.is === "object") {
      for (const name of ["className", "id"])
        target.made.names += ` ${textOf(this.#values.property(given, name) ?? UNKNOWN) ?? ""}`;
    }
    return target;
  }
}

/** The elements of a value whose methods are those of elements. */
function elementsOf(object: Value): readonly Element[] | undefined {
  const value = object.is === "instance" ? object.elements : object;
  return value.is === "elements" ? value.all : undefined;
}

function isDocument(object: Value): boolean {
  return object.is === "global" && object.name === "document";
}

function isJquery(called: Value, callee: Node): boolean {
  if (called.is === "global") return called.name === "$" || called.name === "jQuery";
  return called.is === "unknown" && callee.type === "Identifier" && /^(?:\$|jQuery|jq)$/.test(callee.name);
}
