import { type ChildNode, type Element, type ParentNode, hasChildren, isTag } from "domhandler";
import { replaceChildren } from "./relink.ts";

/** Maximum number of levels of a shadow tree in which slots are searched. Deeper slots are ignored. */
const MAX_SLOT_DEPTH = 64;

/**
 * The visible children of a host of a declarative shadow tree (HTML §4.12.3): the shadow tree, with the host's own
 * children in its slots. Undefined if the element is not a host.
 */
export function shadowContent(host: Element): ChildNode[] | undefined {
  const template = rootOf(host);
  const content = template?.children[0];
  if (content === undefined || !hasChildren(content)) return undefined;
  const light = new Map<string, ChildNode[]>();
  for (const child of host.children) {
    if (child === template) continue;
    const slot = isTag(child) ? (child.attribs["slot"] ?? "") : "";
    light.getOrInsert(slot, []).push(child);
  }
  fillSlots(content, light, 0);
  return content.children;
}

/** A host's shadow tree. A plain loop that compares names first, since it runs for every element of a page. */
function rootOf({ children }: Element): Element | undefined {
  for (const child of children) {
    if ("name" in child && child.name === "template" && isTag(child) && isOpenMode(child)) return child;
  }
  return undefined;
}

/** Whether an element has a shadow tree without a slot, so that its own children are not shown. */
export function hidesChildren(host: Element): boolean {
  const template = rootOf(host);
  return template !== undefined && !hasSlot(template, 0);
}

function hasSlot(node: ParentNode, depth: number): boolean {
  if (depth > MAX_SLOT_DEPTH) return false;
  return node.children.some(
    (child) => hasChildren(child) && ((isTag(child) && child.name === "slot") || hasSlot(child, depth + 1)),
  );
}

function isOpenMode(template: Element): boolean {
  const mode = template.attribs["shadowrootmode"]?.toLowerCase();
  return mode === "open" || mode === "closed";
}

function fillSlots(node: ParentNode, light: Map<string, ChildNode[]>, depth: number): void {
  for (const child of node.children) {
    if (!isTag(child)) continue;
    if (child.name === "slot") {
      const name = child.attribs["name"] ?? "";
      const assigned = light.get(name);
      // If several slots have the same name, the first one gets the children. An empty slot shows its own children.
      if (assigned !== undefined) {
        light.delete(name);
        replaceChildren(child, assigned);
        continue;
      }
    }
    if (depth < MAX_SLOT_DEPTH) fillSlots(child, light, depth + 1);
  }
}
