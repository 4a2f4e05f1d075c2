import { type ESTree } from "meriyah";
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

/** The origin of a variable's value. */
export type Source =
  | { readonly is: "value"; readonly node: Node; readonly scope: Scope }
  /** One of the elements of a list. */
  | { readonly is: "each"; readonly node: Node; readonly scope: Scope }
  /** A property or an element of a value, by destructuring. */
  | { readonly is: "part"; readonly of: Source; readonly key: string }
  | { readonly is: "parameter"; readonly owner: Fn; readonly index: number }
  | { readonly is: "import"; readonly name: string; readonly from: string };

/** The script of a scope. */
export interface Code {
  readonly text: string;
  /** True: it contains libraries, whose code is long and changes elements that other code chooses. */
  readonly isLibrary: boolean;
  /** True: libraries, in it or in modules that it imports, may write its data into the page. */
  readonly hasParts: boolean;
}

/** The variables of a function, a block or a script. */
export class Scope {
  readonly code: Code;
  readonly parent: Scope | undefined;
  /** The function whose body this scope is. */
  readonly owner: Fn | undefined;
  readonly sources = new Map<string, Source[]>();
  readonly #isTop: boolean;

  constructor(code: Code, parent?: Scope, owner?: Fn, isTop = parent === undefined) {
    this.code = code;
    this.parent = parent;
    this.owner = owner;
    this.#isTop = isTop;
  }

  /** The sources of a variable. Undefined if no script declares it. */
  find(name: string): readonly Source[] | undefined {
    return this.#holder(name)?.sources.get(name);
  }

  declare(name: string, source?: Source): void {
    const known = this.sources.get(name);
    if (known === undefined) this.sources.set(name, source === undefined ? [] : [source]);
    else if (source !== undefined) known.push(source);
  }

  assign(name: string, source: Source): void {
    (this.#holder(name) ?? this.top).declare(name, source);
  }

  get top(): Scope {
    return this.parent === undefined ? this : this.parent.top;
  }

  /** The scope of `var` declarations. */
  get function(): Scope {
    return this.owner !== undefined || this.#isTop || this.parent === undefined ? this : this.parent.function;
  }

  #holder(name: string): Scope | undefined {
    if (this.sources.has(name)) return this;
    return this.parent === undefined ? undefined : this.parent.#holder(name);
  }
}

const BLOCKS = new Set([
  "BlockStatement",
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "SwitchStatement",
  "CatchClause",
  "StaticBlock",
]);
const GLOBALS = new Set(["window", "self", "globalThis"]);

/** The variables of all scripts of a page. */
export class Scopes {
  /** The variables that all scripts share. */
  readonly global = new Scope({ text: "", isLibrary: false, hasParts: false });
  readonly #scopes = new Map<Node, Scope>();
  #code: Code = this.global.code;
  /** The values that methods assign to the properties of their object, by class. */
  readonly fields = new Map<Class, Map<string, Source[]>>();
  /** Functions and objects that scripts assign to properties, by the properties' names: `App.init = function () {…}`. */
  readonly methods = new Map<string, Source[]>();
  readonly #assigned: [name: string, scope: Scope, source: Source][] = [];

  /** Adds a script. Its exports are in the result. */
  add(program: ESTree.Program, isModule: boolean, code: Code): ReadonlyMap<string, Source> {
    this.#code = code;
    const scope = isModule ? new Scope(code, this.global, undefined, true) : this.global;
    const exported = new Map<string, Source>();
    this.#scopes.set(program, scope);
    for (const node of program.body) {
      this.#walk(node, scope, undefined);
      if (node.type === "ExportNamedDeclaration" || node.type === "ExportDefaultDeclaration")
        exportsOf(node, scope, exported);
    }
    for (const [name, from, source] of this.#assigned.splice(0)) from.assign(name, source);
    return exported;
  }

  /** The scope of a node that has one of its own. */
  of(node: Node): Scope | undefined {
    return this.#scopes.get(node);
  }

  #walk(node: Node, scope: Scope, inClass: Class | undefined): void {
    let inner = scope;
    let holder = inClass;
    if (isFunction(node)) {
      if (node.type === "FunctionDeclaration" && node.id !== null) scope.declare(node.id.name, value(node, scope));
      inner = new Scope(this.#code, scope, node);
      this.#scopes.set(node, inner);
      if (node.type === "FunctionExpression" && !isMissing(node.id)) inner.declare(node.id.name, value(node, scope));
      node.params.forEach((pattern, index) => bind(pattern, { is: "parameter", owner: node, index }, inner, inner));
    } else if (isClass(node)) {
      if (node.id !== null) scope.declare(node.id.name, value(node, scope));
      holder = node;
      this.fields.set(node, new Map());
    } else if (BLOCKS.has(node.type)) {
      inner = new Scope(this.#code, scope);
      this.#scopes.set(node, inner);
    }
    this.#bindings(node, inner, holder);
    if (node.type !== "Identifier" && node.type !== "Literal")
      forEachChild(node, (child) => this.#walk(child, inner, holder));
  }

  #bindings(node: Node, scope: Scope, inClass: Class | undefined): void {
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- a syntax tree has 80 kinds of nodes
    switch (node.type) {
      case "VariableDeclaration": {
        const into = node.kind === "var" ? scope.function : scope;
        for (const { id, init } of node.declarations)
          bind(id, isMissing(init) ? undefined : value(init, scope), into, scope);
        return;
      }
      case "ForOfStatement":
        if (node.left.type === "VariableDeclaration")
          for (const { id } of node.left.declarations) bind(id, { is: "each", node: node.right, scope }, scope, scope);
        return;
      case "CatchClause":
        if (node.param !== null) bind(node.param, undefined, scope, scope);
        return;
      case "ImportDeclaration":
        for (const { local, ...specifier } of node.specifiers) {
          const name = specifier.type === "ImportSpecifier" ? (propertyName(specifier.imported) ?? "") : "default";
          scope.declare(local.name, { is: "import", name, from: node.source.value });
        }
        return;
      case "PropertyDefinition": {
        const name = propertyName(node);
        if (inClass !== undefined && name !== undefined && !isMissing(node.value))
          this.#field(inClass, name, value(node.value, scope));
        return;
      }
      case "AssignmentExpression":
        this.#assignment(node, scope, inClass);
        return;
      default:
    }
  }

  #assignment(node: ESTree.AssignmentExpression, scope: Scope, inClass: Class | undefined): void {
    const { left } = node;
    const source = value(node, scope);
    if (left.type === "Identifier") this.#assigned.push([left.name, scope, source]);
    else if (left.type === "ArrayPattern" || left.type === "ObjectPattern") bind(left, source, undefined, scope);
    else if (left.type === "MemberExpression") {
      const name = propertyName(left);
      if (name === undefined) return;
      const { object } = left;
      if (object.type === "ThisExpression" && inClass !== undefined) this.#field(inClass, name, source);
      else if (object.type === "Identifier" && GLOBALS.has(object.name)) this.global.declare(name, source);
      if (isFunction(node.right) || node.right.type === "ObjectExpression")
        this.methods.set(name, [...(this.methods.get(name) ?? []), value(node.right, scope)]);
    }
  }

  #field(inClass: Class, name: string, source: Source): void {
    const fields = this.fields.get(inClass);
    const known = fields?.get(name);
    if (known === undefined) fields?.set(name, [source]);
    else known.push(source);
  }
}

function value(node: Node, scope: Scope): Source {
  return { is: "value", node, scope };
}

/** Declares, or with `into` undefined assigns, the variables of a pattern. */
function bind(pattern: Node, source: Source | undefined, into: Scope | undefined, scope: Scope): void {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- a syntax tree has 80 kinds of nodes
  switch (pattern.type) {
    case "Identifier":
      if (into === undefined) {
        if (source !== undefined) scope.assign(pattern.name, source);
      } else into.declare(pattern.name, source);
      return;
    case "AssignmentPattern":
      bind(pattern.left, source, into, scope);
      return;
    case "RestElement":
      bind(pattern.argument, source === undefined ? undefined : { is: "part", of: source, key: "..." }, into, scope);
      return;
    case "ArrayPattern":
      pattern.elements.forEach((element, index) => {
        if (!isMissing(element)) bind(element, source && { is: "part", of: source, key: String(index) }, into, scope);
      });
      return;
    case "ObjectPattern":
      for (const property of pattern.properties) {
        if (property.type === "RestElement") bind(property.argument, undefined, into, scope);
        else if (property.type === "Property")
          bind(property.value, source && { is: "part", of: source, key: propertyName(property) ?? "" }, into, scope);
      }
      return;
    default:
  }
}

function exportsOf(
  node: ESTree.ExportNamedDeclaration | ESTree.ExportDefaultDeclaration,
  scope: Scope,
  into: Map<string, Source>,
): void {
  const { declaration } = node;
  if (node.type === "ExportDefaultDeclaration") {
    into.set("default", value(node.declaration, scope));
    return;
  }
  for (const specifier of node.specifiers) {
    const name = propertyName(specifier.exported);
    if (name !== undefined) into.set(name, value(specifier.local, scope));
  }
  if (isMissing(declaration)) return;
  if (declaration.type === "VariableDeclaration") {
    for (const { id } of declaration.declarations) if (id.type === "Identifier") into.set(id.name, value(id, scope));
  } else if ("id" in declaration && !isMissing(declaration.id))
    into.set(declaration.id.name, value(declaration, scope));
}
