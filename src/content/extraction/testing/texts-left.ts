import { groupAlike } from "../reader/page-parts.ts";
import { type Outline, outlineOf } from "../reader/outline.ts";
import { groupByTemplate } from "../reader/templates.ts";
import { bodyOf } from "../reader/words.ts";
import { parseTree } from "../tree/tree.ts";

/** The texts that a rule leaves of all blocks without "(out)" in their text. The mark is removed. */
export function textsLeft(html: string, rule: (outline: Outline, chosen: Uint8Array) => void): string[] {
  const outline = outlineOf(bodyOf(parseTree(html)));
  groupAlike(outline.root);
  groupByTemplate(outline.blocks);
  const chosen = Uint8Array.from(outline.blocks, ({ text }) => (text.includes("(out)") ? 0 : 1));
  rule(outline, chosen);
  return outline.blocks.filter((_block, at) => chosen[at] === 1).map(({ text }) => text.replace("(out)", "").trim());
}
