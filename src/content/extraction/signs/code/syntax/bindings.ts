import { type ESTree } from "meriyah";
import { type Scope, type Source } from "./scope.ts";
import { isMissing, type Node, propertyName } from "./syntax.ts";

/** A node as the source of a variable. */
export function sourceOf(node: Node, scope: Scope): Source {
  return { is: "value", node, scope };
}

/** Declares the variables of a pattern. */
export function bind(pattern: Node, source: Source | undefined, into: Scope): void {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- a syntax tree has 80 kinds of nodes
  switch (pattern.type) {
    case "Identifier":
      into.declare(pattern.name, source);
      return;
    case "AssignmentPattern":
      bind(pattern.left, source, into);
      return;
    case "RestElement":
      bind(pattern.argument, source === undefined ? undefined : { is: "part", of: source, key: "..." }, into);
      return;
    case "ArrayPattern":
      pattern.elements.forEach((element, index) => {
        if (!isMissing(element)) bind(element, source && { is: "part", of: source, key: String(index) }, into);
      });
      return;
    case "ObjectPattern":
      for (const property of pattern.properties) {
        if (property.type === "RestElement") bind(property.argument, undefined, into);
        else if (property.type === "Property")
          bind(property.value, source && { is: "part", of: source, key: propertyName(property) ?? "" }, into);
      }
      return;
    default:
  }
}

/** Adds the exports of a declaration to `into`, by their names. */
export function exportsOf(
  node: ESTree.ExportNamedDeclaration | ESTree.ExportDefaultDeclaration,
  scope: Scope,
  into: Map<string, Source>,
): void {
  const { declaration } = node;
  if (node.type === "ExportDefaultDeclaration") {
    into.set("default", sourceOf(node.declaration, scope));
    return;
  }
  for (const specifier of node.specifiers) {
    const [name, local] = [propertyName(specifier.exported), propertyName(specifier.local) ?? ""];
    const from = node.source?.value;
    if (name !== undefined)
      into.set(name, from === undefined ? sourceOf(specifier.local, scope) : { is: "import", name: local, from });
  }
  if (isMissing(declaration)) return;
  if (declaration.type === "VariableDeclaration") {
    for (const { id } of declaration.declarations) if (id.type === "Identifier") into.set(id.name, sourceOf(id, scope));
  } else if ("id" in declaration && !isMissing(declaration.id))
    into.set(declaration.id.name, sourceOf(declaration, scope));
}
