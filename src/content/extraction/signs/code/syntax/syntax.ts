import { type ESTree, parse as parseCode } from "meriyah";
import { type Script } from "../../../tree/extraction.ts";

export type Node = ESTree.Node;
/** A function in any form. */
export type Fn = ESTree.FunctionDeclaration | ESTree.FunctionExpression | ESTree.ArrowFunctionExpression;
/** A class in any form. */
export type Class = ESTree.ClassDeclaration | ESTree.ClassExpression;

/** The syntax tree of a script. Undefined if the script has an error, because no browser runs it. */
export function parse({ code, isModule }: Script): ESTree.Program | undefined {
  try {
    return parseCode(code, { sourceType: isModule ? "module" : "script", next: true, webcompat: true, ranges: true });
  } catch {
    return undefined;
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** Whether a node is a function. */
export function isFunction(node: Node): node is Fn {
  return (
    node.type === "FunctionDeclaration" || node.type === "FunctionExpression" || node.type === "ArrowFunctionExpression"
  );
}

/** Whether a node is a class. */
export function isClass(node: Node): node is Class {
  return node.type === "ClassDeclaration" || node.type === "ClassExpression";
}

/** Whether a node has no such child. */
export function isMissing(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** Calls `visit` with the nodes directly below a node. A generator takes three times as long. */
export function forEachChild(node: Node, visit: (child: Node) => void): void {
  for (const value of Object.values(node)) {
    if (typeof value !== "object" || value === null) continue;
    if (Array.isArray(value)) {
      for (const one of value) if (isNode(one)) visit(one);
    } else if (isNode(value)) visit(value);
  }
}

/** The name of a property that is not computed. */
export function propertyName(node: Node): string | undefined {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- a syntax tree has 80 kinds of nodes
  switch (node.type) {
    case "MemberExpression":
      return node.computed ? literalName(node.property) : propertyName(node.property);
    case "Property":
    case "MethodDefinition":
    case "PropertyDefinition":
      return node.computed || node.key === null ? undefined : propertyName(node.key);
    case "Identifier":
    case "PrivateIdentifier":
      return node.name;
    default:
      return literalName(node);
  }
}

function literalName(node: Node): string | undefined {
  return node.type === "Literal" && node.value !== null ? String(node.value) : undefined;
}
