import { replaceChildren } from "../tree/relink.ts";
import { walkNodes } from "../tree/walk.ts";
import { type Document, Element, Text } from "domhandler";

/** Removes elements from a tree, and then elements that have become empty, in one walk. */
export function removeAll(tree: Document, gone: Set<Element>): void {
  if (gone.size === 0) return;
  const clear = (parent: Document | Element): boolean => {
    const kept = parent.children.filter((child) => !(child instanceof Element && gone.has(child)));
    if (kept.length === parent.children.length) return false;
    replaceChildren(parent, kept);
    return kept.every((child) => child instanceof Text && child.data.trim() === "");
  };
  walkNodes(tree, {
    enter: (node) => !(node instanceof Element && gone.has(node)),
    leave(element) {
      if (!gone.has(element) && clear(element)) gone.add(element);
    },
  });
  clear(tree);
}
