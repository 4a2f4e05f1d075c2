import { type ESTree } from "meriyah";
import { type Call, globalName, signOfCall, signOfCreation, signOfProperty } from "./browser.ts";
import { Changes } from "./changes.ts";
import { methodOf } from "../values/classes.ts";
import { rendersText } from "./components.ts";
import { addsHandler, causedBy, isHandlerProperty } from "./events.ts";
import { type Running } from "./running.ts";
import { Runs } from "./runs.ts";
import { type Code, type Source } from "../syntax/scope.ts";
import { invocationOf } from "../syntax/invocation.ts";
import { type CodeSign } from "./sign-names.ts";
import { setsState } from "./states.ts";
import { forEachChild, isClass, isFunction, isMissing, type Node, propertyName } from "../syntax/syntax.ts";
import { textOf, UNKNOWN, type Value } from "../values/value.ts";
import { type Values } from "../values/values.ts";
import { hasShadowRoot } from "../../survey.ts";

/** Maximum number of nodes that are visited in all scripts of a page. @bound */
const MAX_STEPS = 400_000;

/** Maximum number of functions with the same name that a call on an unknown object runs. */
const MAX_NAMESAKES = 6;

/** Searches the code that runs by itself for changes of the page's content. */
export class Effects {
  readonly #values: Values;
  readonly #changes: Changes;
  readonly #runs: Runs;
  #steps = 0;
  /** The first change that was found. */
  sign: CodeSign | undefined;

  constructor(values: Values) {
    this.#values = values;
    this.#changes = new Changes(values, (sign) => this.#found(sign));
    this.#runs = new Runs(values, (node, at) => this.#visit(node, at));
  }

  /** Runs what a module exports, as a framework does with a component. */
  runExports(sources: Iterable<Source>): void {
    for (const source of sources) {
      if (source.is !== "value") continue;
      const { scope } = source;
      this.#runs.escape(this.#values.source(source), { scope, code: scope.code, callbacks: 0, callback: undefined });
    }
  }

  run(program: ESTree.Program, code: Code): void {
    const scope = this.#values.scopes.of(program);
    if (scope === undefined) return;
    const at = { scope, code, callbacks: 0, callback: undefined };
    const { caused } = this.#runs;
    const before = caused.size;
    this.#visit(program, at);
    if (caused.size === before) return;
    this.#runs.restart();
    this.#visit(program, at);
  }

  /** Ends a script, also one that was too deep. */
  finish(): void {
    this.#changes.finish();
  }

  #found(sign: CodeSign | undefined): void {
    this.sign ??= sign;
  }

  #visit(node: Node, at: Running): void {
    this.#steps += 1;
    if (this.sign !== undefined || this.#steps > MAX_STEPS || isFunction(node) || isClass(node)) return;
    const scope = this.#values.scopes.of(node);
    const inner = scope === undefined ? at : { ...at, scope };
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- a syntax tree has 80 kinds of nodes
    switch (node.type) {
      case "BlockStatement":
        for (const statement of node.body) {
          this.#visit(statement, inner);
          if (this.#leaves(statement, inner)) return;
        }
        return;
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
      case "ArrayExpression":
        for (const one of node.elements) {
          if (isMissing(one)) continue;
          // Other code has the list and calls its functions, as with the modules of a bundle.
          if (isFunction(one) || one.type === "ObjectExpression")
            this.#runs.escape(this.#values.of(one, inner.scope), inner);
          else this.#visit(one, inner);
        }
        return;
      case "Property":
        if (!isHandlerProperty(propertyName(node) ?? "", this.#runs.caused)) this.#visit(node.value, inner);
        return;
      default:
        forEachChild(node, (child) => this.#visit(child, inner));
    }
  }

  /** Whether the code after a statement does not run. */
  #leaves(node: Node, at: Running): boolean {
    if (node.type === "ReturnStatement" || node.type === "ThrowStatement") return true;
    if (node.type === "BlockStatement") return node.body.some((one) => this.#leaves(one, at));
    return (
      node.type === "IfStatement" &&
      this.#leaves(node.consequent, at) &&
      this.#values.truth(node.test, at.scope) === true
    );
  }

  #visitAll(nodes: readonly Node[], at: Running): void {
    for (const node of nodes) this.#visit(node, at);
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
      if (key.startsWith("on") && !isHandlerProperty(key, this.#runs.caused)) this.#runs.escape(value, at);
      return;
    }
    this.#visit(left.object, at);
    this.#visit(right, at);
    const target = this.#values.of(left.object, scope);
    this.#found(signOfProperty(target, key));
    this.#changes.assigns({ left, key, target, value, at });
    if (setsState(node, at, this.#values)) this.#found("client-state");
  }

  #creation(node: ESTree.NewExpression, at: Running): void {
    const { scope } = at;
    const callee = this.#values.of(node.callee, scope);
    const args = node.arguments.map((arg) => this.#values.of(arg, scope));
    this.#visitAll(node.arguments, at);
    if (callee.is === "class") this.#runs.instantiate(callee.node, UNKNOWN, at, args.length === 0 ? [UNKNOWN] : args);
    else if (callee.is === "function") this.#runs.enter(callee.node, args, UNKNOWN, at);
    for (const arg of args) this.#runs.escape(arg, at);
    const name = callee.is === "global" ? callee.name : "";
    const handler = name === "Proxy" && args[1]?.is === "object" ? this.#values.property(args[1], "set") : undefined;
    if (handler !== undefined) this.#runs.escape(handler, at);
    this.#found(signOfCreation(name, args, this.#values));
    if (callee.is === "unknown" || callee.is === "global") this.#changes.gives(node.callee, args);
  }

  #call(node: ESTree.CallExpression, at: Running): void {
    const { scope } = at;
    if (node.callee.type === "Super") {
      this.#visitAll(node.arguments, at);
      return;
    }
    const { callee, on, args: given } = invocationOf(node);
    this.#visit(node.callee, at);
    const isMember = callee.type === "MemberExpression";
    const key = isMember ? (this.#values.key(callee, scope) ?? "") : callee.type === "Identifier" ? callee.name : "";
    const args = given.map((arg) => this.#values.of(arg, scope));
    if (addsHandler(key, args, this.#runs.caused)) return;
    this.#visitAll(node.arguments, at);
    const object = on === undefined ? UNKNOWN : this.#values.of(on, scope);
    const called = this.#values.of(callee, scope);
    if (called.is === "function")
      this.#runs.enter(called.node, args, callee === node.callee ? called.self : object, at);
    // One of the object's functions is called.
    else if (isMember && key === "") this.#runs.escape(object, at);
    else if (isMember && /^(?:unknown|global|other)$/.test(called.is) && !at.code.isLibrary)
      this.#callByName({ key, object, called, args, at });
    this.#effectsOf({ key, object, called, args, at }, callee);
    const elements = givesItself(object, key) ? [object] : [];
    const self = object.is === "elements" && (key === "each" || key === "map") ? object : UNKNOWN;
    for (const arg of args) this.#runs.escape(arg, at, elements, self);
    if (setsState(node, at, this.#values)) this.#found("client-state");
  }

  /** Runs the functions that objects have under this name. A list of which nothing is known has `push` as well. */
  #callByName({ key, object, args, at }: Call): void {
    if (key === "push") return;
    const sources = this.#values.scopes.methods.get(key) ?? [];
    if (sources.length > MAX_NAMESAKES) return;
    for (const source of sources) {
      const value = this.#values.source(source);
      if (value.is === "function")
        this.#runs.enter(value.node, args, object.is === "elements" ? object : value.self, at);
    }
  }

  #effectsOf(call: Call, callee: Node): void {
    const { key, called, args, at } = call;
    const [first = UNKNOWN, second] = args;
    const name = globalName(call);
    this.#found(signOfCall(call, this.#values));
    if (/(?:^|\.)customElements\.define$|^define$/.test(name) || key === "define" || key === "register")
      this.#defines(first, second, at);
    const event = causedBy(key, args);
    // A library causes the events that a caller asks for.
    if (event !== undefined && !at.code.isLibrary) this.#runs.caused.add(event);
    this.#changes.calls(call);
    if (/^(?:\$|jQuery)$/.test(callee.type === "Identifier" ? callee.name : name)) return;
    if (called.is === "unknown" || called.is === "global" || at.code.isLibrary) this.#changes.gives(callee, args);
  }

  /** A custom element, or the controller of elements, gets its class. */
  #defines(named: Value, of: Value | undefined, at: Running): void {
    const { page } = this.#values;
    const name = textOf(named);
    const all = page.named(name).filter((element) => page.isContent(element));
    const isEmpty = all.some((element) => !hasShadowRoot(element));
    if (name === undefined && of?.is === "unknown" && isEmpty) this.#found("shadow-root");
    if (of?.is !== "class") return;
    if (all.length === 0) {
      this.#runs.skip(of.node);
      return;
    }
    const render = methodOf(this.#values, of.node, "render");
    if (isEmpty && render !== undefined && rendersText(render)) this.#found("shadow-root");
    this.#runs.instantiate(of.node, { is: "elements", all }, at);
  }
}

/** Whether a method calls a function with its object, or with each of its elements. */
function givesItself({ is }: Value, key: string): boolean {
  return is === "module" ? key === "then" : is === "elements" && /^(?:forEach|map|filter|some|every|find)$/.test(key);
}
