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

/** Adds children at the end of an element. */
export function append(parent: ParentNode, ...children: readonly ChildNode[]): void {
  for (const child of children) {
    const last = parent.children.at(-1) ?? null;
    child.parent = parent;
    child.prev = last;
    child.next = null;
    if (last !== null) last.next = child;
    parent.children.push(child);
  }
}
