import { type Element, type ParentNode, isTag } from "domhandler";
import { headingLevel, isBlock } from "../tree/display.ts";

/** Bits for the kinds of an element's descendants. */
export const HAS_BLOCK = 1;
export const HAS_HEADING = 2;
/** Headings, lists, tables, quotes, code: content that does not fit into a table's cell. */
export const HAS_STRUCTURE = 4;
export const HAS_HEADER_CELL = 8;
const ALL = 15;

const STRUCTURE = new Set(["ul", "ol", "dl", "menu", "table", "pre", "blockquote", "hr", "details"]);
const ASKED = new Set(["a", "td", "th", "table", "summary", "sup"]);

/**
 * Returns the kinds of the descendants of each element. All elements are examined in one walk, since they may be
 * nested.
 */
export function survey(root: ParentNode): ReadonlyMap<Element, number> {
  const found = new Map<Element, number>();
  // prune.ts limits the depth of trees.
  const look = (node: ParentNode): number => {
    let has = 0;
    for (const child of node.children) {
      if (!isTag(child)) continue;
      const below = child.children.length === 0 ? 0 : look(child);
      if (below !== 0 && ASKED.has(child.name)) found.set(child, below);
      // A nested table's header cells do not count for the outer table.
      has |= child.name === "table" ? below & ~HAS_HEADER_CELL : below;
      if (has === ALL) continue;
      if (child.name === "th") has |= HAS_HEADER_CELL;
      if (STRUCTURE.has(child.name)) has |= HAS_STRUCTURE | HAS_BLOCK;
      else if (headingLevel(child) !== undefined) has |= HAS_HEADING | HAS_STRUCTURE | HAS_BLOCK;
      else if (isBlock(child)) has |= HAS_BLOCK;
    }
    return has;
  };
  look(root);
  return found;
}
