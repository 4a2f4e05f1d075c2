import { isCommonWord, isPhraseAround } from "./boilerplate.ts";
import { type Block, type Box, FLAGS, type Outline } from "./outline.ts";

/** Elements in which a label is data. */
const DATA = FLAGS.table | FLAGS.code;

/** The counter of a gallery, such as "1/4", and maximum number of words in a gallery. */
const COUNTER = /^\s*\d{1,3}\s*\/\s*\d{1,3}\s*$/;
const MAX_WORDS_OF_A_GALLERY = 10;

/** Drops the counters of galleries, and lines that consist of labels of buttons, such as "Share this article" or "Reply | Quote". */
export function dropLabels({ blocks }: Outline, chosen: Uint8Array): void {
  for (const [at, block] of blocks.entries())
    if (chosen[at] === 1 && (isOfLabels(block) || isCounter(block))) chosen[at] = 0;
}

function isCounter({ box, text }: Block): boolean {
  let around: Box = box;
  while (around.images === 0 && around.parent !== undefined) around = around.parent;
  return around.words <= MAX_WORDS_OF_A_GALLERY && COUNTER.test(text);
}

/** Content may contain some of the words as well. Such a word must be a link outside of lists, or be in a button. */
function isOfLabels({ box, count, heading, texts, template }: Block): boolean {
  // A sign among words, such as "✓" in a comparison.
  if (count.words === 0 && (template?.words ?? 0) * 2 > (template?.count ?? 0)) return false;
  if (heading > 0 || (box.flags & DATA) !== 0) return false;
  const isLinked = count.linkWords >= count.words && (box.flags & FLAGS.item) === 0;
  const isControl = isLinked || (box.flags & FLAGS.button) !== 0;
  const labels = texts.map(({ data }) => data.replace(/\s+/g, " ").trim()).filter((text) => /[\p{L}\p{N}]/u.test(text));
  return labels.every((label) => isPhraseAround(label) && (isControl || !isCommonWord(label)));
}
