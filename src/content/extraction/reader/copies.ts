import { type Block, FLAGS, type Outline } from "./outline.ts";
import { MIN_ALIKE } from "./page-parts.ts";

/** Minimum number of words of two texts in a row that are dropped if they repeat two earlier ones. */
const MIN_WORDS = 5;
/** Minimum number of words of a quote that is dropped if it repeats an earlier text. */
const MIN_WORDS_OF_A_QUOTE = 12;
/** Elements in which a text may repeat for a reason. */
const MAY_REPEAT = FLAGS.table | FLAGS.code | FLAGS.definition;

interface Shown {
  readonly block: Block;
  readonly text: string;
  readonly at: number;
}

/**
 * Drops copies. They are a text directly after the same text, such as a price that is shown twice, and quotes of an
 * earlier text. They are also texts that follow each other as they did before, as in a moving band or in a part for
 * narrow screens. A single text that occurs again at another place, such as a step of instructions, stays.
 */
export function dropCopies({ blocks }: Outline, chosen: Uint8Array): void {
  const shown = blocks.flatMap((block, at): Shown[] =>
    chosen[at] === 1 ? [{ block, text: block.text.replace(/\s+/g, " ").trim(), at }] : [],
  );
  const texts = new Set<string>();
  /** Two texts that follow each other. */
  const pairs = new Set<string>();
  for (const [place, own] of shown.entries()) {
    const [before, after] = [shown[place - 1], shown[place + 1]];
    const isInOrder = isRepeated(before, own, pairs) || isRepeated(own, after, pairs);
    const mayRepeat = (own.block.box.flags & MAY_REPEAT) !== 0;
    if (!mayRepeat && texts.has(own.text) && (isInOrder || isTwin(before, own) || isQuote(own))) chosen[own.at] = 0;
    texts.add(own.text);
    if (before !== undefined) pairs.add(`${before.text}\n${own.text}`);
  }
}

function isRepeated(one: Shown | undefined, next: Shown | undefined, pairs: ReadonlySet<string>): boolean {
  if (one === undefined || next === undefined) return false;
  return one.block.count.words + next.block.count.words >= MIN_WORDS && pairs.has(`${one.text}\n${next.text}`);
}

function isTwin(before: Shown | undefined, { block: { box, count }, text }: Shown): boolean {
  // Equal cells of a row are not copies. Boxes without words have no group.
  const isCell = count.words === 0 || (box.alike >= MIN_ALIKE && before?.block.box.group === box.group);
  if (before?.text !== text || isCell) return false;
  return box.element?.name !== "p" && (box.flags & FLAGS.quote) === 0;
}

function isQuote({ block: { box, count } }: Shown): boolean {
  return (box.flags & FLAGS.quote) !== 0 && count.words >= MIN_WORDS_OF_A_QUOTE;
}
