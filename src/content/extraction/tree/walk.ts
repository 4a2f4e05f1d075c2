import { type AnyNode, type Document, type Element, Text, isTag } from "domhandler";

interface Visitor {
  /** Whether to visit the node's children, or to stop the walk. */
  enter(node: AnyNode, depth: number): boolean | "stop";
  leave?(element: Element): void;
}

/** Visits a node and its descendants in the document's order, without recursion. */
export function walkNodes(root: AnyNode | Document, visitor: Visitor): void {
  let node: AnyNode | null = root;
  let depth = 0;
  while (node !== null) {
    const response = visitor.enter(node, depth);
    if (response === "stop") return;
    const first: AnyNode | undefined =
      response && !(node instanceof Text) && "children" in node ? node.children[0] : undefined;
    if (first !== undefined) {
      node = first;
      depth += 1;
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
      depth -= 1;
      if (node === null) return;
    }
  }
}
