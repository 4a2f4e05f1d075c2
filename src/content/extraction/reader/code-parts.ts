import { shareBox } from "./box-around.ts";
import { type Block, type Box, FLAGS, type Outline } from "./outline.ts";

/**
 * Maximum number of blocks between code and the chosen text beside it: other code, as in tabs, and labels such as
 * "Copy".
 */
const MAX_BLOCKS_BETWEEN = 24;
const MAX_WORDS_OF_A_LABEL = 3;
/** Levels from the text, and from the code, to the box that contains both. */
const LEVELS_OF_TEXT = 5;
const LEVELS_OF_CODE = 8;

/** The end of a text that announces the code after it. */
const ANNOUNCES = /[:：]\s*$/u;
/** Adds code between two chosen texts of the same section, or after one that ends with a colon. */
export function fitCode({ blocks }: Outline, chosen: Uint8Array): void {
  if (!blocks.some(isCode)) return;
  const around = FLAGS.form | FLAGS.button | FLAGS.hidden;
  for (const [at, block] of blocks.entries()) {
    if (!isCode(block) || chosen[at] === 1 || (block.box.flags & around) !== 0) continue;
    const [before, after] = [-1, 1].map((step) => blocks[chosenBeside(blocks, chosen, { at, step })]);
    if (before === undefined || !isNear(before.box, block.box)) continue;
    const isAnnounced = ANNOUNCES.test(before.text);
    if (isAnnounced || (after !== undefined && isNear(after.box, block.box))) chosen[at] = 1;
  }
}

function isCode(block: Block | undefined): boolean {
  return block !== undefined && (block.box.flags & FLAGS.code) !== 0;
}

/** The index of the next chosen block, across code and labels. -1 if other text is between. */
function chosenBeside(
  blocks: readonly Block[],
  chosen: Uint8Array,
  { at, step }: { readonly at: number; readonly step: number },
): number {
  for (let far = 1; far <= MAX_BLOCKS_BETWEEN; far += 1) {
    const index = at + far * step;
    const block = blocks[index];
    if (block === undefined) return -1;
    if (chosen[index] === 1) return index;
    if (!isCode(block) && (block.count.words > MAX_WORDS_OF_A_LABEL || block.heading !== 0)) return -1;
  }
  return -1;
}

function isNear(text: Box, code: Box): boolean {
  return shareBox([text, LEVELS_OF_TEXT], [code, LEVELS_OF_CODE]);
}
