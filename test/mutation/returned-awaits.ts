import { type Node } from "@babel/types";

/**
 * The `await` expressions that a function returns at once, as in `return await f()`. Without the `await`, its caller gets the
 * same value. Those in a `try`, or beside a `using` declaration, are left out: there, the function goes on after them.
 */
export function returnedAwaits(program: Node): ReadonlySet<Node> {
  const found = new Set<Node>();
  search(program, false, found);
  return found;
}

function search(node: Node, goesOn: boolean, found: Set<Node>): void {
  const isFunction = node.type.includes("Function") || node.type.endsWith("Method");
  if (node.type === "ReturnStatement" && !goesOn) add(node.argument, found);
  if (node.type === "ArrowFunctionExpression") add(node.body, found);
  const within = isFunction ? false : goesOn || node.type === "TryStatement" || hasUsing(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) search(child, within, found);
  }
}

function hasUsing(node: Node): boolean {
  if (node.type !== "BlockStatement") return false;
  return node.body.some((one) => one.type === "VariableDeclaration" && one.kind.endsWith("using"));
}

/** Adds the `await`s whose value is the value of the expression. */
function add(node: Node | null | undefined, found: Set<Node>): void {
  if (node?.type === "AwaitExpression") found.add(node);
  else if (node?.type === "LogicalExpression") add(node.right, found);
  else if (node?.type === "ConditionalExpression") {
    add(node.consequent, found);
    add(node.alternate, found);
  }
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, "type") === "string";
}
