import { type ChildNode, type ParentNode } from "domhandler";

/** Puts other children in the place of an element's own. */
export function replaceChildren(parent: ParentNode, children: ChildNode[]): void {
  let prev: ChildNode | null = null;
  for (const child of children) {
    child.parent = parent;
    child.prev = prev;
    child.next = null;
    if (prev !== null) prev.next = child;
    prev = child;
  }
  parent.children = children;
}
