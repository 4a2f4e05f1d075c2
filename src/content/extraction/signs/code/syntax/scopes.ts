import { type ESTree } from "meriyah";
import { bind, exportsOf, sourceOf } from "./bindings.ts";
import { type Code, Scope, type Source } from "./scope.ts";
import { forEachChild, isClass, isFunction, isMissing, type Node, propertyName } from "./syntax.ts";

const BLOCKS = new Set(
  "BlockStatement ForStatement ForInStatement ForOfStatement SwitchStatement CatchClause StaticBlock".split(" "),
);
const GLOBALS = new Set(["window", "self", "globalThis"]);
/** The global variable of the browser whose assignment navigates, and changes no other value. */
const NAVIGATES = "location";

/** The variables of all scripts of a page. */
export class Scopes {
  /** The variables that all scripts share. */
  readonly global = new Scope({ text: "", isLibrary: false, hasParts: false });
  readonly #scopes = new Map<Node, Scope>();
  #code: Code = this.global.code;
  /** Functions of objects and classes, by the names of the properties: `App.init = function () {…}`. */
  readonly methods = new Map<string, Source[]>();
  readonly #assigned: [name: string, scope: Scope, source: Source][] = [];

  /** Adds a script. Its exports are in the result. */
  add(program: ESTree.Program, isModule: boolean, code: Code): ReadonlyMap<string, Source> {
    this.#code = code;
    const scope = isModule ? new Scope(code, this.global, undefined, true) : this.global;
    const exported = new Map<string, Source>();
    this.#scopes.set(program, scope);
    for (const node of program.body) {
      this.#walk(node, scope);
      if (node.type === "ExportNamedDeclaration" || node.type === "ExportDefaultDeclaration")
        exportsOf(node, scope, exported);
    }
    for (const [name, from, source] of this.#assigned.splice(0))
      if (name !== NAVIGATES || from.find(name) !== undefined) from.assign(name, source);
    return exported;
  }

  of(node: Node): Scope | undefined {
    return this.#scopes.get(node);
  }

  #walk(node: Node, scope: Scope): void {
    let inner = scope;
    if (isFunction(node)) {
      if (node.type === "FunctionDeclaration" && node.id !== null) scope.declare(node.id.name, sourceOf(node, scope));
      inner = new Scope(this.#code, scope, node);
      this.#scopes.set(node, inner);
      if (node.type === "FunctionExpression" && !isMissing(node.id)) inner.declare(node.id.name, sourceOf(node, scope));
      node.params.forEach((pattern, index) => bind(pattern, { is: "parameter", owner: node, index }, inner));
    } else if (isClass(node)) {
      if (node.id !== null) scope.declare(node.id.name, sourceOf(node, scope));
    } else if (BLOCKS.has(node.type)) {
      inner = new Scope(this.#code, scope);
      this.#scopes.set(node, inner);
    }
    this.#bindings(node, inner);
    if (node.type !== "Identifier" && node.type !== "Literal") forEachChild(node, (child) => this.#walk(child, inner));
  }

  #bindings(node: Node, scope: Scope): void {
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- a syntax tree has 80 kinds of nodes
    switch (node.type) {
      case "VariableDeclaration": {
        const into = node.kind === "var" ? scope.function : scope;
        for (const { id, init } of node.declarations)
          bind(id, isMissing(init) ? undefined : sourceOf(init, scope), into);
        return;
      }
      case "ForOfStatement":
        if (node.left.type === "VariableDeclaration")
          for (const { id } of node.left.declarations) bind(id, { is: "each", node: node.right, scope }, scope);
        return;
      case "CatchClause":
        if (node.param !== null) bind(node.param, undefined, scope);
        return;
      case "ImportDeclaration":
        for (const { local, ...specifier } of node.specifiers) {
          const isWhole = specifier.type === "ImportNamespaceSpecifier";
          const name =
            specifier.type === "ImportSpecifier" ? (propertyName(specifier.imported) ?? "") : isWhole ? "*" : "default";
          scope.declare(local.name, { is: "import", name, from: node.source.value });
        }
        return;
      case "Property":
      case "PropertyDefinition":
      case "MethodDefinition": {
        const name = propertyName(node);
        if (name !== undefined && !isMissing(node.value) && isFunction(node.value))
          this.methods.getOrInsert(name, []).push(sourceOf(node.value, scope));
        return;
      }
      case "UpdateExpression":
        if (node.argument.type === "Identifier")
          this.#assigned.push([node.argument.name, scope, sourceOf(node, scope)]);
        return;
      case "AssignmentExpression":
        this.#assignment(node, scope);
        return;
      default:
    }
  }

  #assignment(node: ESTree.AssignmentExpression, scope: Scope): void {
    const { left } = node;
    const source = sourceOf(node, scope);
    if (left.type === "Identifier") this.#assigned.push([left.name, scope, source]);
    else if (left.type === "MemberExpression") {
      const name = propertyName(left);
      if (name === undefined) return;
      const { object } = left;
      if (object.type === "Identifier" && GLOBALS.has(object.name) && name !== NAVIGATES)
        this.global.declare(name, source);
      if (isFunction(node.right)) this.methods.getOrInsert(name, []).push(sourceOf(node.right, scope));
    }
  }
}
