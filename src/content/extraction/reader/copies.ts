import { type Block, type Box, FLAGS, type Outline } from "./outline.ts";
import { commonBox, MIN_ALIKE } from "./page-parts.ts";

/** Minimum number of words of two texts in a row that are dropped if they repeat two earlier ones. */
const MIN_WORDS = 5;
/** Minimum number of words of a quote that is dropped if it repeats an earlier text. */
const MIN_WORDS_OF_A_QUOTE = 12;
/** Minimum share of the words of a sibling that repeat earlier texts. A sibling with a smaller share is not a copy. */
const MIN_SHARE_REPEATED = 0.8;
/** Elements in which a text may repeat for a reason. */
const MAY_REPEAT = FLAGS.table | FLAGS.code | FLAGS.definition;

interface Shown {
  readonly block: Block;
  readonly at: number;
  /** The index of the first block with the same text. */
  readonly first: number;
}

/**
 * Drops copies. They are a text directly after the same text, such as a price that is shown twice, and quotes of an
 * earlier text. They are also texts that follow each other as they did before, as in a moving band or in a part for
 * narrow screens. A single text that occurs again at another place, such as a step of instructions, stays. Outside of
 * threads, so do the texts that similar siblings have in common, such as the features of two products.
 */
export function dropCopies({ blocks }: Outline, chosen: Uint8Array, isThread = false): void {
  const firsts = new Map<string, number>();
  const shown = blocks.flatMap((block, at): Shown[] =>
    chosen[at] === 1
      ? [{ block, at, first: firsts.getOrInsertComputed(block.text.replace(/\s+/g, " ").trim(), () => at) }]
      : [],
  );
  const repeated = repeatedWords(shown);
  const texts = new Map<number, Box>();
  /** Two texts that follow each other. */
  const pairs = new Set<string>();
  for (const [place, own] of shown.entries()) {
    const [before, after] = [shown[place - 1], shown[place + 1]];
    const { box } = own.block;
    const earlier = (box.flags & MAY_REPEAT) === 0 ? texts.get(own.first) : undefined;
    if (earlier !== undefined) {
      const isInOrder = isRepeated(before, own, pairs) || isRepeated(own, after, pairs);
      const isPassage = isInOrder && (isThread || isOfCopy(earlier, box, repeated));
      if (isPassage || isTwin(before, own) || isQuote(own)) chosen[own.at] = 0;
    }
    texts.set(own.first, box);
    if (before !== undefined) pairs.add(`${before.first} ${own.first}`);
  }
}

/** For each box, its words that repeat an earlier text. */
function repeatedWords(shown: readonly Shown[]): ReadonlyMap<Box, number> {
  const words = new Map<Box, number>();
  for (const { block, at, first } of shown) {
    let box: Box | undefined = first < at ? block.box : undefined;
    for (; box !== undefined; box = box.parent) words.set(box, (words.get(box) ?? 0) + block.count.words);
  }
  return words;
}

/** Whether the second of two boxes is not in a sibling of the same kind that has texts of its own. */
function isOfCopy(one: Box, other: Box, repeated: ReadonlyMap<Box, number>): boolean {
  const common = commonBox(one, other);
  if (common === one || common === other) return true;
  const [left, right] = [partWith(common, one), partWith(common, other)];
  return left.group !== right.group || (repeated.get(right) ?? 0) >= right.words * MIN_SHARE_REPEATED;
}

/** The child of a box that holds another box. */
function partWith(whole: Box, inner: Box): Box {
  let box = inner;
  while (box.parent !== undefined && box.parent !== whole) box = box.parent;
  return box;
}

function isRepeated(one: Shown | undefined, next: Shown | undefined, pairs: ReadonlySet<string>): boolean {
  if (one === undefined || next === undefined) return false;
  return one.block.count.words + next.block.count.words >= MIN_WORDS && pairs.has(`${one.first} ${next.first}`);
}

function isTwin(before: Shown | undefined, { block: { box, count }, first }: Shown): boolean {
  // Equal cells of a row are not copies. Boxes without words have no group.
  const isCell = count.words === 0 || (box.alike >= MIN_ALIKE && before?.block.box.group === box.group);
  if (before?.first !== first || isCell) return false;
  return box.element?.name !== "p" && (box.flags & FLAGS.quote) === 0;
}

function isQuote({ block: { box, count } }: Shown): boolean {
  return (box.flags & FLAGS.quote) !== 0 && count.words >= MIN_WORDS_OF_A_QUOTE;
}
