import { type AnyNode, type Document, type Element, Text, isTag } from "domhandler";

interface Visitor {
  /** Whether to visit the node's children, or to stop the walk. */
  enter(node: AnyNode): boolean | "stop";
  leave?(element: Element): void;
}

/** Visits a node and its descendants in the document's order, without recursion. */
export function walkNodes(root: AnyNode | Document, visitor: Visitor): void {
  let node: AnyNode | null = root;
  while (node !== null) {
    const response = visitor.enter(node);
    if (response === "stop") return;
    const first: AnyNode | undefined =
      response && !(node instanceof Text) && "children" in node ? node.children[0] : undefined;
    if (first !== undefined) {
      node = first;
      continue;
    }
    for (;;) {
      if (isTag(node)) visitor.leave?.(node);
      if (node === root) return;
      const { next }: AnyNode = node;
      if (next !== null) {
        node = next;
        break;
      }
      node = node.parent;
      if (node === null) return;
    }
  }
}

/** Whether an element is the other one or inside of it. */
export function isWithin(element: Element, outer: Element): boolean {
  for (let at: AnyNode | null = element; at !== null; at = at.parent) if (at === outer) return true;
  return false;
}
