import { isCommonWord, isPhraseAround } from "./boilerplate.ts";
import { type Block, FLAGS, type Outline } from "./outline.ts";

/** Elements in which a label is data. */
const DATA = FLAGS.table | FLAGS.code;

/** Drops lines that consist of labels of buttons, such as "Share this article" or "Reply | Quote". */
export function dropLabels({ blocks }: Outline, chosen: Uint8Array): void {
  for (const [at, block] of blocks.entries()) if (chosen[at] === 1 && isOfLabels(block)) chosen[at] = 0;
}

/** Content may contain some of the words as well. Such a word must be a link outside of lists, or be in a button. */
function isOfLabels({ box, count, heading, texts, template }: Block): boolean {
  // A sign among words, such as "✓" in a comparison.
  if (count.words === 0 && (template?.words ?? 0) * 2 > (template?.count ?? 0)) return false;
  if (heading > 0 || (box.flags & DATA) !== 0) return false;
  const isLinked = count.linkWords >= count.words && (box.flags & FLAGS.item) === 0;
  const isControl = isLinked || (box.flags & FLAGS.button) !== 0;
  return texts.every(({ data }) => {
    if (!/[\p{L}\p{N}]/u.test(data)) return true;
    const label = data.replace(/\s+/g, " ").trim();
    return isPhraseAround(label) && (isControl || !isCommonWord(label));
  });
}
