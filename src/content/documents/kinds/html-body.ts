import { type ChildNode, type Element, isTag } from "domhandler";
import { prepare } from "../../extraction/tree/prune.ts";
import { parseTree } from "../../extraction/tree/tree.ts";
import { withoutOwnLinks } from "./tree-content.ts";

/** The visible content of HTML in a file, without links to parts of the file, whose addresses begin with `base`. */
export function htmlBody(html: string, base: string): ChildNode[] {
  const tree = parseTree(html);
  prepare(tree, base);
  const root = tree.children.find(isTag);
  const body = root?.children.find((child): child is Element => isTag(child) && child.name === "body");
  return body === undefined ? [] : withoutOwnLinks(body.children, base);
}
