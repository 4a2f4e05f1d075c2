import { type ChildNode } from "domhandler";
import { bodyOf } from "../../extraction/reader/words.ts";
import { prepare } from "../../extraction/tree/prune.ts";
import { parseTree } from "../../extraction/tree/tree.ts";
import { withoutOwnLinks } from "./tree-content.ts";

/** The visible content of HTML in a file, without links to parts of the file, whose addresses begin with `base`. */
export function htmlBody(html: string, base: string): ChildNode[] {
  const tree = parseTree(html);
  prepare(tree, base);
  return withoutOwnLinks(bodyOf(tree).children, base);
}
