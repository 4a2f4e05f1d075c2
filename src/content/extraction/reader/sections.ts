import { isTrailerHeading } from "./boilerplate.ts";
import { shareBox } from "./box-around.ts";
import { FLAGS, type Outline } from "./outline.ts";

/** Parts of a page whose headings are not added. */
const AROUND = FLAGS.nav | FLAGS.footer | FLAGS.aside | FLAGS.form | FLAGS.button | FLAGS.hidden | FLAGS.dialog;
/** Maximum number of words of a heading. A longer text is not only a heading. */
const MAX_WORDS_OF_A_HEADING = 25;
/** Levels from a heading, and from the text below it, to the box that contains both. */
const LEVELS_TO_SECTION = 4;

/** Adds the headings of chosen texts: those directly before a chosen block of the same section, or before the heading of its first part. */
export function keepHeadings({ blocks }: Outline, chosen: Uint8Array): void {
  for (const [at, block] of [...blocks.entries()].toReversed()) {
    if (block.heading === 0 || chosen[at] === 1 || (block.box.flags & AROUND) !== 0) continue;
    if (block.count.words > MAX_WORDS_OF_A_HEADING || isTrailerHeading(block.text)) continue;
    let below = at + 1;
    while (blocks[below]?.box === block.box) below += 1;
    const next = blocks[below];
    if (next === undefined || chosen[below] !== 1) continue;
    if (next.heading > 0 && next.heading <= block.heading) continue;
    if (shareBox([block.box, LEVELS_TO_SECTION], [next.box, LEVELS_TO_SECTION])) chosen[at] = 1;
  }
}
