import { prepare } from "../../tree/prune.ts";
import { parseTree } from "../../tree/tree.ts";
import { markdownOf } from "../writer.ts";

/** The Markdown of a page's HTML at the address `url`. */
export function written(html: string, url = "https://site.test/docs/page?x=1"): string {
  const tree = parseTree(html);
  prepare(tree, url);
  return markdownOf(tree);
}
