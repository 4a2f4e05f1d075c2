import { replaceChildren } from "../relink.ts";
import { walkNodes } from "./words.ts";
import { type AnyNode, type ChildNode, Document, Element, Text, isTag } from "domhandler";

/** A copy of a tree's elements and text: without the elements, and all in them, that `keep` refuses. */
export function copyTree(root: Document | Element, keep: (element: Element) => boolean): Document {
  const copy = new Document([]);
  let parent: Document | Element = copy;
  let node: AnyNode | null = root instanceof Document ? root.firstChild : root;
  while (node !== null) {
    const made = copyNode(node, keep);
    if (made !== undefined) append(parent, made);
    if (made instanceof Element && isTag(node) && node.firstChild !== null) {
      parent = made;
      node = node.firstChild;
      continue;
    }
    while (node !== null && node !== root && node.nextSibling === null) {
      node = node.parent;
      if (node !== null && node !== root) parent = containerOf(parent, copy);
    }
    node = node === null || node === root ? null : node.nextSibling;
  }
  return copy;
}

function copyNode(node: AnyNode, keep: (element: Element) => boolean): Element | Text | undefined {
  if (node instanceof Text) return new Text(node.data);
  if (!isTag(node) || !keep(node)) return undefined;
  const element = new Element(node.name, node.attribs, []);
  if (node.namespace !== undefined) element.namespace = node.namespace;
  return element;
}

function containerOf(node: Document | Element, otherwise: Document): Document | Element {
  const { parent } = node;
  return parent instanceof Element || parent instanceof Document ? parent : otherwise;
}

/** Adds a node without a parent as the last one. */
export function append(parent: Document | Element, child: ChildNode): void {
  const last = parent.children.at(-1) ?? null;
  child.parent = parent;
  child.prev = last;
  if (last !== null) last.next = child;
  parent.children.push(child);
}

/** Takes elements out of a tree, and those that hold nothing any more for it; in one walk. */
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
