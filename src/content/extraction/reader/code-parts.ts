import { shareBox } from "./box-around.ts";
import { type Block, FLAGS, type Outline } from "./outline.ts";

/** Maximum number of words of a label between a text and its code, such as "Copy" or the name of a tab. */
const MAX_WORDS_OF_A_LABEL = 3;
/** Levels from the text, and from the code, to the box that contains both. */
const LEVELS_OF_TEXT = 5;
const LEVELS_OF_CODE = 8;

/** Adds code that follows a chosen text of the same section. Other code, as in tabs, and labels may be between. */
export function fitCode({ blocks }: Outline, chosen: Uint8Array): void {
  let text: Block | undefined;
  for (const [at, block] of blocks.entries()) {
    const { box, count, heading } = block;
    const isCode = (box.flags & FLAGS.code) !== 0;
    const isAround = (box.flags & (FLAGS.form | FLAGS.button | FLAGS.hidden)) !== 0;
    if (isCode && !isAround && text !== undefined) {
      if (shareBox([text.box, LEVELS_OF_TEXT], [box, LEVELS_OF_CODE])) chosen[at] = 1;
    }
    if (chosen[at] === 1) text = block;
    else if (!isCode && (count.words > MAX_WORDS_OF_A_LABEL || heading > 0)) text = undefined;
  }
}
