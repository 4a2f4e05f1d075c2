import { type Scope } from "../syntax/scope.ts";
import { type Node } from "../syntax/syntax.ts";
import { type Values } from "./values.ts";

/** Whether a condition is true. Undefined if that is not known. */
export function truthOf(values: Values, node: Node, scope: Scope): boolean | undefined {
  if (node.type === "LogicalExpression" && node.operator !== "??") {
    const [left, right] = [truthOf(values, node.left, scope), truthOf(values, node.right, scope)];
    const decides = node.operator === "||";
    if (left === decides || right === decides) return decides;
    return left === undefined || right === undefined ? undefined : !decides;
  }
  const value = values.of(node, scope);
  if (value.is === "constant") return Boolean(value.value);
  return value.is === "elements" ? value.all.length > 0 : undefined;
}
