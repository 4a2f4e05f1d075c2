import { type Element } from "domhandler";
import { type ESTree } from "meriyah";
import { Calls } from "./calls.ts";
import { Frames } from "./frames.ts";
import { type PageElements } from "./page-elements.ts";
import { valueOfMember, valueOfProperty } from "./properties.ts";
import { type Scope, type Source } from "../syntax/scope.ts";
import { type Scopes } from "../syntax/scopes.ts";
import { valueOfSource, valueOfVariable } from "./sources.ts";
import { type Fn, isMissing, type Node, propertyName } from "../syntax/syntax.ts";
import { joined, operated } from "./texts.ts";
import { constant, either, NOTHING, OTHER, textOf, UNKNOWN, type Value } from "./value.ts";
import { type Values } from "./values.ts";

/** Limits of the expressions that are followed for one value. @bound */
const MAX_DEPTH = 24;
const MAX_EXPRESSIONS = 300;
/** The same in libraries, whose code is long. */
const MAX_LIBRARY_DEPTH = 8;
const MAX_LIBRARY_EXPRESSIONS = 40;

/** Finds values of expressions without running the code. */
export class Evaluator implements Values {
  readonly scopes: Scopes;
  readonly page: PageElements;
  readonly exported: Values["exported"];
  readonly frames = new Frames();
  ownElement: Element | undefined;
  readonly #calls = new Calls(this);
  readonly #open = new Set<Source>();
  #depth = 0;
  #left = 0;

  constructor(scopes: Scopes, page: PageElements, exported: Values["exported"]) {
    this.scopes = scopes;
    this.page = page;
    this.exported = exported;
  }

  of(node: Node | null | undefined, scope: Scope): Value {
    if (isMissing(node)) return NOTHING;
    const { isLibrary } = scope.code;
    if (this.#depth === 0) this.#left = isLibrary ? MAX_LIBRARY_EXPRESSIONS : MAX_EXPRESSIONS;
    this.#left -= 1;
    if (this.#depth >= (isLibrary ? MAX_LIBRARY_DEPTH : MAX_DEPTH) || this.#left < 0) return UNKNOWN;
    this.#depth += 1;
    try {
      return this.#of(node, scope);
    } finally {
      this.#depth -= 1;
    }
  }

  truth(node: Node, scope: Scope): boolean | undefined {
    if (node.type === "LogicalExpression" && node.operator !== "??") {
      const [left, right] = [this.truth(node.left, scope), this.truth(node.right, scope)];
      const decides = node.operator === "||";
      if (left === decides || right === decides) return decides;
      return left === undefined || right === undefined ? undefined : !decides;
    }
    const value = this.of(node, scope);
    if (value.is === "constant") return Boolean(value.value);
    return value.is === "elements" ? value.all.length > 0 : undefined;
  }

  result(node: Fn, args: readonly Value[], self: Value): Value {
    return this.#calls.results.of(node, args, self);
  }

  key(node: ESTree.MemberExpression, scope: Scope): string | undefined {
    const name = propertyName(node);
    if (name !== undefined || !node.computed) return name;
    const key = this.of(node.property, scope);
    return key.is === "constant" ? String(key.value) : undefined;
  }

  /** Unknown for a source that depends on itself: `App = window.App || {}`. */
  source(source: Source): Value {
    if (this.#open.has(source)) return UNKNOWN;
    this.#open.add(source);
    try {
      return valueOfSource(this, source);
    } finally {
      this.#open.delete(source);
    }
  }

  member(object: Value, key: string | undefined, scope?: Scope): Value {
    return valueOfMember(this, object, key, scope);
  }

  property(object: Extract<Value, { is: "object" }>, key: string): Value | undefined {
    return valueOfProperty(this, object, key);
  }

  #of(node: Node, scope: Scope): Value {
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- a syntax tree has 80 kinds of nodes
    switch (node.type) {
      case "Literal":
        return "regex" in node ? OTHER : constant(node.value);
      case "Identifier":
        return valueOfVariable(this, node.name, scope);
      case "ThisExpression":
        return this.frames.selfIn(scope);
      case "MemberExpression":
        return this.member(this.of(node.object, scope), this.key(node, scope), scope);
      case "CallExpression":
        return this.#calls.called(node, scope);
      case "NewExpression":
        return this.#calls.created(node, scope);
      case "ImportExpression":
        return { is: "module", from: textOf(this.of(node.source, scope)) ?? "" };
      case "ChainExpression":
      case "ParenthesizedExpression":
        return this.of(node.expression, scope);
      case "AwaitExpression":
      case "SpreadElement":
        return this.of(node.argument, scope);
      case "ArrayExpression":
        return either(node.elements.map((one) => this.of(one, scope)));
      case "ObjectExpression":
        return { is: "object", node, scope };
      case "FunctionDeclaration":
      case "FunctionExpression":
        return { is: "function", node, self: UNKNOWN };
      case "ArrowFunctionExpression":
        return { is: "function", node, self: this.frames.selfIn(scope) };
      case "ClassDeclaration":
      case "ClassExpression":
        return { is: "class", node };
      default:
        return this.#operation(node, scope);
    }
  }

  #operation(node: Node, scope: Scope): Value {
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- a syntax tree has 80 kinds of nodes
    switch (node.type) {
      case "TemplateLiteral":
        return this.#template(node, scope);
      case "BinaryExpression":
        if (node.left.type === "PrivateIdentifier") return UNKNOWN;
        return operated(node.operator, this.of(node.left, scope), this.of(node.right, scope));
      case "AssignmentExpression":
        return /^(?:\?\?|\|\||&&)?=$/.test(node.operator) ? this.of(node.right, scope) : OTHER;
      case "LogicalExpression":
        return this.#logical(node, scope);
      case "ConditionalExpression": {
        const test = this.truth(node.test, scope);
        if (test !== undefined) return this.of(test ? node.consequent : node.alternate, scope);
        return either([this.of(node.consequent, scope), this.of(node.alternate, scope)]);
      }
      case "UnaryExpression": {
        if (node.operator === "void") return NOTHING;
        if (node.operator !== "!") return OTHER;
        const truth = this.truth(node.argument, scope);
        return truth === undefined ? UNKNOWN : constant(!truth);
      }
      default:
        return UNKNOWN;
    }
  }

  #template({ quasis, expressions }: ESTree.TemplateLiteral, scope: Scope): Value {
    const fixed = quasis.map(({ value }) => constant(value.cooked ?? ""));
    return joined([...fixed, ...expressions.map((one) => this.of(one, scope))], expressions.length === 0);
  }

  #logical({ operator, left, right }: ESTree.LogicalExpression, scope: Scope): Value {
    const first = this.of(left, scope);
    const truth =
      operator === "??" ? (first.is === "constant" ? !isMissing(first.value) : undefined) : this.truth(left, scope);
    if (truth !== undefined) return truth === (operator === "&&") ? this.of(right, scope) : first;
    return either([first, this.of(right, scope)]);
  }
}
