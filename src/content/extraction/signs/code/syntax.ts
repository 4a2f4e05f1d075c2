import { type ESTree, parse as parseCode } from "meriyah";

export type Node = ESTree.Node;
export type Fn = ESTree.FunctionDeclaration | ESTree.FunctionExpression | ESTree.ArrowFunctionExpression;
export type Class = ESTree.ClassDeclaration | ESTree.ClassExpression;

/** The code of a script. */
export interface Script {
  /** The address of an external script. "" for inline code. */
  readonly url: string;
  readonly code: string;
  readonly isModule: boolean;
  /** True: a framework runs what the module exports. */
  readonly isComponent?: boolean;
}

/** The syntax tree of a script. Undefined if the script has an error, because no browser runs it. */
export function parse({ code, isModule }: Script): ESTree.Program | undefined {
  try {
    return parseCode(code, { sourceType: isModule ? "module" : "script", next: true, webcompat: true, ranges: true });
  } catch {
    return undefined;
  }
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

export function isFunction(node: Node): node is Fn {
  return (
    node.type === "FunctionDeclaration" || node.type === "FunctionExpression" || node.type === "ArrowFunctionExpression"
  );
}

export function isClass(node: Node): node is Class {
  return node.type === "ClassDeclaration" || node.type === "ClassExpression";
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
  switch (node.type) {
    case "MemberExpression":
      return node.computed === true ? literalName(node.property) : propertyName(node.property);
    case "Property":
    case "MethodDefinition":
    case "PropertyDefinition":
      return node.computed === true || node.key === null ? undefined : propertyName(node.key);
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
