import { type AnyNode, Text, isTag } from "domhandler";
import { isBlock } from "../extraction/tree/display.ts";
import { walkNodes } from "../extraction/tree/walk.ts";

/** The text of a tree with blocks on separate lines and white space folded. */
export function blockText(root: AnyNode): string {
  const parts: string[] = [];
  walkNodes(root, {
    enter(node) {
      if (node instanceof Text) parts.push(node.data);
      else if (isTag(node) && (isBlock(node) || node.name === "br")) parts.push("\n");
      return true;
    },
    leave(element) {
      if (isBlock(element)) parts.push("\n");
    },
  });
  return parts
    .join("")
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n[ \n]*/g, "\n")
    .trim();
}
