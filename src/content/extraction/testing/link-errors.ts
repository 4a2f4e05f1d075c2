import { type AnyNode, type Document, hasChildren } from "domhandler";

/** Nodes whose links contradict their parent's list of children. A walk along such links may never end. */
export function linkErrors(tree: Document): string[] {
  const errors: string[] = [];
  const open: AnyNode[] = [tree];
  const seen = new Set<AnyNode>();
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (seen.has(node)) errors.push(`${nameOf(node)} is in the tree twice`);
    else if (hasChildren(node)) {
      for (const [at, child] of node.children.entries()) {
        const { children } = node;
        if (child.parent !== node) errors.push(`${nameOf(child)} in ${nameOf(node)} has another parent`);
        if (child.prev !== (children[at - 1] ?? null)) errors.push(`${nameOf(child)} in ${nameOf(node)}: wrong prev`);
        if (child.next !== (children[at + 1] ?? null)) errors.push(`${nameOf(child)} in ${nameOf(node)}: wrong next`);
        open.push(child);
      }
    }
    seen.add(node);
  }
  return errors;
}

function nameOf(node: AnyNode): string {
  return "name" in node ? node.name : node.type;
}
