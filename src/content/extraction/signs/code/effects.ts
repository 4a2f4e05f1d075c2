import { isTag } from "domhandler";
import { type ESTree } from "meriyah";
import { isHandlerProperty, isOwnHandler, isPersonal } from "./events.ts";
import { Changes, YEAR } from "./changes.ts";
import { methodOf, scopeAround } from "./classes.ts";
import { hasShadow, LIFECYCLE, rendersText } from "./components.ts";
import { type Code, type Scope, type Source } from "./scopes.ts";
import { setsState } from "./states.ts";
import {
  forEachChild,
  type Class,
  type Fn,
  isClass,
  isFunction,
  type Node,
  propertyName,
  isMissing,
} from "./syntax.ts";
import { tagsIn, textOf, UNKNOWN, type Value } from "./value.ts";
import { type Values } from "./values.ts";
import { isDataAddress } from "./addresses.ts";

/** Limits of the search in all scripts of a page: visited nodes, calls of one function, and functions in one another. @bound */
const MAX_STEPS = 400_000;
const MAX_CALLS = 6;
const MAX_STACK = 60;

const TEXT = /^(?:textContent|innerText|outerText|innerHTML|outerHTML|nodeValue|srcdoc)$/;
const REQUESTS =
  /^(?:(?:window\.)?(?:fetch|ofetch|\$fetch|axios)|(?:axios|\$|jQuery|ky)\.(?:get|getJSON|ajax|request))$/;
const EMPTY: Value = { is: "constant", value: "" };

/** Changes of the content by code that runs by itself. docs/engines.md describes each. @internal */
export const CODE_SIGNS = [
  "script-redirect",
  "document-write",
  "shadow-root",
  "mount-call",
  "script-writes",
  "data-request",
  "client-state",
  "evaluated-code",
] as const;

type CodeSign = (typeof CODE_SIGNS)[number];

/** A chain of function calls that runs at present. */
interface Running {
  readonly scope: Scope;
  /** The number of callbacks around the code. */
  readonly callbacks: number;
  /** The innermost of them. */
  readonly callback: Fn | undefined;
}

/** Searches the code that runs by itself for changes of the page's content. */
export class Effects {
  readonly #values: Values;
  readonly #changes: Changes;
  readonly #stack: Fn[] = [];
  readonly #entered = new Map<Fn, number>();
  readonly #classes = new Set<Class>();
  /** True: the code causes events itself, so handlers of the user's events run too. */
  #handlersRun = false;
  /** The script whose code runs. */
  #code: Code = { text: "", isLibrary: false, hasParts: false };
  #steps = 0;
  /** The first change that was found. */
  sign: CodeSign | undefined;

  constructor(values: Values) {
    this.#values = values;
    this.#changes = new Changes(values, (sign) => this.#found(sign));
  }

  /** Runs what a module exports, as a framework does with a component. */
  runExports(sources: Iterable<Source>): void {
    for (const source of sources) {
      if (source.is === "value")
        this.#escape(this.#values.source(source), { scope: source.scope, callbacks: 0, callback: undefined });
    }
  }

  /** Searches a script. */
  run(program: ESTree.Program, code: Code): void {
    const scope = this.#values.scopes.of(program);
    if (scope === undefined) return;
    const at = { scope, callbacks: 0, callback: undefined };
    this.#code = code;
    this.#changes.code = code;
    this.#visit(program, at);
    if (this.#handlersRun && this.sign === undefined) {
      this.#entered.clear();
      this.#visit(program, at);
    }
    this.#handlersRun = false;
  }

  #found(sign: CodeSign): void {
    this.sign ??= sign;
  }

  #visit(node: Node, at: Running): void {
    this.#steps += 1;
    if (this.sign !== undefined || this.#steps > MAX_STEPS) return;
    if (isFunction(node)) return;
    if (isClass(node)) return;
    const scope = this.#values.scopes.of(node);
    const inner = scope === undefined ? at : { ...at, scope };
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- a syntax tree has 80 kinds of nodes
    switch (node.type) {
      case "IfStatement":
      case "ConditionalExpression": {
        const truth = this.#values.truth(node.test, inner.scope);
        this.#visit(node.test, inner);
        if (truth !== false) this.#visit(node.consequent, inner);
        if (truth !== true && !isMissing(node.alternate)) this.#visit(node.alternate, inner);
        return;
      }
      case "LogicalExpression": {
        const truth = node.operator === "??" ? undefined : this.#values.truth(node.left, inner.scope);
        this.#visit(node.left, inner);
        if (truth === undefined || truth === (node.operator === "&&")) this.#visit(node.right, inner);
        return;
      }
      case "AssignmentExpression":
        this.#assignment(node, inner);
        return;
      case "CallExpression":
        this.#call(node, inner);
        return;
      case "NewExpression":
        this.#creation(node, inner);
        return;
      case "Property":
        if (!isHandlerProperty(propertyName(node) ?? "")) this.#visit(node.value, inner);
        return;
      case "TaggedTemplateExpression":
        for (const one of node.quasi.expressions) this.#visit(one, inner);
        return;
      default:
        forEachChild(node, (child) => this.#visit(child, inner));
    }
  }

  /** Runs a function, if it has not run often enough with other arguments. */
  #enter(node: Fn, args: readonly Value[], self: Value, { callbacks, callback }: Omit<Running, "scope">): void {
    const count = this.#entered.get(node) ?? 0;
    if (count >= this.#mostCalls([...args, self]) || this.#stack.includes(node) || this.#stack.length >= MAX_STACK)
      return;
    const scope = this.#values.scopes.of(node);
    if (scope === undefined || isMissing(node.body)) return;
    this.#entered.set(node, count + 1);
    this.#values.frames.enter(node, args, self);
    const outer = this.#code;
    this.#code = scope.code;
    this.#changes.code = scope.code;
    this.#stack.push(node);
    this.#visit(node.body, { scope, callbacks, callback });
    // A module's getter: the code that uses the module runs the function.
    if (node.body.type === "Identifier")
      this.#escape(this.#values.of(node.body, scope), { scope, callbacks, callback });
    this.#stack.pop();
    this.#code = outer;
    this.#changes.code = outer;
  }

  /** The number of times that a function runs with such arguments. */
  #mostCalls(args: readonly Value[]): number {
    const isKnown = args.some(
      (arg) =>
        arg.is === "elements" ||
        arg.is === "shadow" ||
        (arg.is === "constant" && typeof arg.value === "string" && arg.value.includes("/")),
    );
    if (isKnown) return this.#code.isLibrary ? 3 : MAX_CALLS;
    return !this.#code.isLibrary && args.some(({ is }) => is !== "unknown") ? MAX_CALLS : 1;
  }

  /** Runs a function that other code gets. Classes and objects get the call of their own beginnings. */
  #escape(value: Value, at: Running, args: readonly Value[] = [], self: Value = UNKNOWN): void {
    if (value.is === "function")
      this.#enter(value.node, args, self.is === "unknown" ? value.self : self, {
        callbacks: at.callbacks + 1,
        callback: value.node,
      });
    else if (value.is === "class") this.#instantiate(value.node, UNKNOWN, at);
    else if (value.is === "object") {
      for (const property of value.node.properties) {
        if (property.type !== "Property") continue;
        const name = propertyName(property);
        if (name !== undefined && isHandlerProperty(name) && !this.#handlersRun) continue;
        const { value: given } = property;
        if (given.type === "ObjectExpression" || isFunction(given))
          this.#escape(this.#values.of(given, value.scope), at, [], value);
        else this.#visit(given, { ...at, scope: value.scope });
      }
    }
  }

  #instantiate(of: Class, elements: Value, at: Running, args: readonly Value[] = []): void {
    const instance: Value = { is: "instance", node: of, elements };
    if (elements.is !== "elements" && this.#classes.has(of) && args.every(({ is }) => is === "unknown")) return;
    this.#classes.add(of);
    for (const name of LIFECYCLE) {
      const method = methodOf(this.#values, of, name);
      if (method === undefined || (args.length > 0 && name !== "constructor")) continue;
      this.#enter(method, args, instance, { callbacks: at.callbacks + 1, callback: method });
    }
    const scope = scopeAround(of, this.#values.scopes) ?? at.scope;
    for (const member of of.body.body) {
      if (member.type === "PropertyDefinition" && !isMissing(member.value)) this.#visit(member.value, { ...at, scope });
    }
  }

  #assignment(node: ESTree.AssignmentExpression, at: Running): void {
    const { left, right } = node;
    const { scope } = at;
    if (left.type === "Identifier" && left.name === "location" && scope.find("location") === undefined)
      this.#found("script-redirect");
    if (left.type !== "MemberExpression") {
      this.#visit(right, at);
      return;
    }
    const key = this.#values.key(left, scope) ?? "";
    const value = this.#values.of(right, scope);
    if (value.is === "function") {
      if (this.#handlersRun || isOwnHandler(key) || !isHandlerProperty(key))
        if (isOwnHandler(key) || key.startsWith("on")) this.#escape(value, at);
      return;
    }
    this.#visit(right, at);
    const target = this.#values.of(left.object, scope);
    if (
      target.is === "global" &&
      /^(?:location|(?:window|document|self|globalThis)\.location)$/.test(target.name) &&
      /^(?:href|search|pathname)$/.test(key)
    )
      this.#found("script-redirect");
    if (target.is === "global" && /^(?:window|document|self|globalThis)$/.test(target.name) && key === "location")
      this.#found("script-redirect");
    if (target.is === "made" && /^(?:className|id|cssText|style)$/.test(key))
      target.made.names += ` ${textOf(value) ?? ""}`;
    if (target.is === "made" && /^inner(?:HTML|Text)$|^textContent$/.test(key))
      for (const tag of tagsIn(textOf(value) ?? "?")) target.made.tags.add(tag);
    if (target.is === "global" && target.name === "document" && key === "title") this.#found("script-writes");
    if (key === "href" && value.is === "constant" && target.is === "elements") this.#changes.change(target.all);
    if (TEXT.test(key)) this.#changes.writes(target, value, key);
    else if (key === "value" && target.is === "elements")
      this.#changes.writes({ is: "elements", all: target.all.filter(({ name }) => name === "output") }, value, key);
    else if (key === "hidden") this.#changes.uncovers(target, value);
    else if (left.object.type === "MemberExpression" && propertyName(left.object) === "style")
      this.#changes.styles(left.object, key, value, scope);
    else if (setsState(node, at, this.#values, this.#code.text)) this.#found("client-state");
  }

  #creation(node: ESTree.NewExpression, at: Running): void {
    const { scope } = at;
    const callee = this.#values.of(node.callee, scope);
    const args = node.arguments.map((arg) => this.#values.of(arg, scope));
    for (const arg of node.arguments) this.#visit(arg, at);
    if (callee.is === "class") this.#instantiate(callee.node, UNKNOWN, at, args.length === 0 ? [UNKNOWN] : args);
    else if (callee.is === "function") this.#enter(callee.node, args, UNKNOWN, at);
    for (const arg of args) this.#escape(arg, at);
    const name = callee.is === "global" ? callee.name : "";
    const handler = name === "Proxy" && args[1]?.is === "object" ? this.#values.property(args[1], "set") : undefined;
    if (handler !== undefined) this.#escape(handler, at);
    if (name === "Function" && args.length > 0 && !this.#code.isLibrary) this.#found("evaluated-code");
    if (name === "EventSource" && this.#requests(args[0])) this.#found("data-request");
    if (name === "" && callee.is === "unknown") this.#changes.gives(node.callee, args);
  }

  #requests(address: Value | undefined): boolean {
    const text = address === undefined ? undefined : textOf(address);
    return text !== undefined && isDataAddress(text, this.#values.page.survey);
  }

  #call(node: ESTree.CallExpression, at: Running): void {
    const { callee } = node;
    const { scope } = at;
    if (callee.type === "Super") {
      for (const arg of node.arguments) this.#visit(arg, at);
      return;
    }
    this.#visit(callee, at);
    const isMember = callee.type === "MemberExpression";
    const key = isMember ? (this.#values.key(callee, scope) ?? "") : callee.type === "Identifier" ? callee.name : "";
    const args = node.arguments.map((arg) => this.#values.of(arg, scope));
    if (this.#isHandler(key, args)) return;
    for (const arg of node.arguments) this.#visit(arg, at);
    const object = isMember ? this.#values.of(callee.object, scope) : UNKNOWN;
    const called = isFunction(callee) ? this.#values.of(callee, scope) : this.#values.of(callee, scope);
    for (const arg of node.arguments) {
      // The modules of a bundle.
      if (arg.type === "ArrayExpression")
        for (const one of arg.elements) if (!isMissing(one)) this.#escape(this.#values.of(one, scope), at);
    }
    if (called.is === "function") this.#enter(called.node, this.#spread(node, args, scope), called.self, at);
    this.#methods({ key, object, args, node, at, called });
    for (const [index, arg] of args.entries())
      this.#escape(arg, at, this.#given(object, key, args, index), key === "each" || key === "map" ? object : UNKNOWN);
    if (setsState(node, at, this.#values, this.#code.text)) this.#found("client-state");
  }

  /** The arguments of a callback, as far as they are known: `elements.forEach((element) => …)`. */
  #given(object: Value, key: string, args: readonly Value[], index: number): readonly Value[] {
    if (/^(?:forEach|map|filter|some|every|find)$/.test(key) && object.is === "elements") return [object];
    if ((key === "each" || key === "map") && object.is === "elements") return [UNKNOWN, object];
    if (key === "call" && index === 1 && args[0]?.is === "elements") return [args[0]];
    if (key === "each" && index === 1 && args[0]?.is === "elements") return [UNKNOWN, args[0]];
    if (key === "then" && object.is === "made") return [object];
    return [];
  }

  #spread(node: ESTree.CallExpression, args: readonly Value[], scope: Scope): readonly Value[] {
    const spread = node.arguments.findIndex(({ type }) => type === "SpreadElement");
    if (spread === -1) return args;
    const list = node.arguments[spread];
    const inner = list?.type === "SpreadElement" ? this.#values.of(list.argument, scope) : UNKNOWN;
    return [...args.slice(0, spread), inner, inner, inner];
  }

  /** Whether a call adds a handler of an event that only users cause. */
  #isHandler(key: string, args: readonly Value[]): boolean {
    if (this.#handlersRun) return false;
    const last = args.at(-1);
    const isGiven = args.some(({ is }) => is === "function");
    if (isGiven && args.some((arg) => arg.is === "constant" && typeof arg.value === "string" && isPersonal(arg.value)))
      return true;
    return isPersonal(key) && last?.is === "function" && key !== "error" && key !== "select" && key !== "toggle";
  }

  #methods({
    key,
    object,
    args,
    node,
    at,
    called,
  }: {
    key: string;
    object: Value;
    args: readonly Value[];
    node: ESTree.CallExpression;
    at: Running;
    called: Value;
  }): void {
    const [first = UNKNOWN] = args;
    const name = called.is === "global" ? called.name : object.is === "global" ? `${object.name}.${key}` : "";
    if (/(?:^|\.)document\.(?:write|writeln|open)$/.test(name)) {
      const text = textOf(first) ?? "";
      const parent = this.#values.ownElement?.parent;
      const isShown = isMissing(parent) || !isTag(parent) || this.#values.page.isContent(parent);
      if (isShown && !YEAR.test(text) && !/^\s*<(?:script|\/?noscript)/i.test(text)) this.#found("document-write");
    } else if (/(?:^|\.)location\.(?:replace|assign)$/.test(name)) this.#found("script-redirect");
    else if (name === "eval" && !this.#code.isLibrary) this.#found("evaluated-code");
    else if (/^(?:window\.)?set(?:Timeout|Interval)$/.test(name) && (first.is === "constant" || first.is === "text"))
      this.#found("evaluated-code");
    else if (
      /(?:^|\.)customElements\.define$|^define$/.test(name) ||
      ((key === "define" || key === "register") && args[1]?.is === "class")
    )
      this.#defines(args, at);
    else if ((REQUESTS.test(name) || key === "getJSON" || key === "get") && this.#code.hasParts) {
      if (this.#requests(first) && !sends(args[1], this.#values)) this.#found("data-request");
    } else if (key === "open" && first.is === "constant" && first.value === "GET" && this.#code.hasParts) {
      if (this.#requests(args[1])) this.#found("data-request");
    } else if (
      (key === "click" || key === "dispatchEvent" || key === "trigger") &&
      object.is === "elements" &&
      (key !== "trigger" || textOf(first) === "click")
    )
      this.#handlersRun = true;
    if (
      /^(?:remove|set)Property$/.test(key) &&
      node.callee.type === "MemberExpression" &&
      node.callee.object.type === "MemberExpression"
    ) {
      this.#changes.styles(node.callee.object, textOf(first) ?? "", args[1] ?? EMPTY, at.scope);
    }
    this.#changes.call(key, object, args);
    const selects = /^(?:\$|jQuery)$/.test(node.callee.type === "Identifier" ? node.callee.name : name);
    if (selects) return;
    if (called.is === "unknown" || called.is === "global" || this.#code.isLibrary)
      this.#changes.gives(node.callee, args);
  }

  /** A custom element, or the controller of elements, gets its class. */
  #defines(args: readonly Value[], at: Running): void {
    const name = textOf(args[0] ?? UNKNOWN);
    const of = args[1];
    if (name === undefined || of?.is !== "class") return;
    const all = this.#values.page
      .named(name)
      .filter((element) => this.#values.page.isContent(element) && !hasShadow(element));
    if (all.length === 0) {
      // Its class is given away, but it has no elements on the page.
      this.#classes.add(of.node);
      return;
    }
    const render = methodOf(this.#values, of.node, "render");
    if (render !== undefined && rendersText(render)) this.#found("shadow-root");
    this.#instantiate(of.node, { is: "elements", all }, at);
  }
}

function sends(options: Value | undefined, values: Values): boolean {
  if (options?.is !== "object") return false;
  const method = textOf(values.property(options, "method") ?? values.property(options, "type") ?? UNKNOWN);
  return method !== undefined && !/^get$/i.test(method);
}
