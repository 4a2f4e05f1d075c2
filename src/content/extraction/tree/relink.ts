import { type ChildNode, type ParentNode } from "domhandler";

/** Replaces the children of an element. */
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
