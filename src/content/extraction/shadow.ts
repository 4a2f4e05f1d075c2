import { type ChildNode, type Element, type ParentNode, hasChildren, isTag } from "domhandler";
import { replaceChildren } from "./relink.ts";

/** Slots are looked for no deeper in a shadow tree. */
const MAX_SLOT_DEPTH = 64;

/**
 * What a host of a declarative shadow tree shows (HTML §4.12.3): the shadow tree, with the host's own children in its
 * slots; undefined where the element is no such host.
 */
export function shadowContent(host: Element): ChildNode[] | undefined {
  const template = rootOf(host);
  const content = template?.children[0];
  if (content === undefined || !hasChildren(content)) return undefined;
  const light = new Map<string, ChildNode[]>();
  for (const child of host.children) {
    if (child === template) continue;
    const slot = isTag(child) ? (child.attribs["slot"] ?? "") : "";
    const assigned = light.get(slot);
    if (assigned === undefined) light.set(slot, [child]);
    else assigned.push(child);
  }
  fillSlots(content, light, 0);
  return content.children;
}

/** A host's shadow tree; a plain loop, since every element of a page is asked. */
function rootOf({ children }: Element): Element | undefined {
  for (const child of children) {
    if (isTag(child) && child.name === "template" && isOpenMode(child)) return child;
  }
  return undefined;
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
      // The first slot of a name gets them; a slot that gets nothing shows its own children.
      if (assigned !== undefined) {
        light.delete(name);
        replaceChildren(child, assigned);
        continue;
      }
    }
    if (depth < MAX_SLOT_DEPTH) fillSlots(child, light, depth + 1);
  }
}
