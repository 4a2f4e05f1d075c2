import { innermostOf } from "./box-around.ts";
import { dateIn } from "./dates.ts";
import { type Block, type Box, type Outline } from "./outline.ts";

/** Minimum number of chosen words of a story, and the minimum share of all chosen words. */
const MIN_WORDS = 80;
const MIN_SHARE = 0.2;
/** Number of blocks after a story's heading that may have its date or author, and maximum number of words of these. */
const MAX_BLOCKS_TO_LINE = 5;
const MAX_WORDS_OF_A_LINE = 14;
/** Maximum number of words of a summary between the heading and these. */
const MAX_WORDS_OF_A_LEAD = 40;

/** Maximum number of stories below the first one. */
const MAX_OTHERS = 4;

/** Whether a heading of level 1 has its own date or author below it. */
export function beginsStory(blocks: readonly Block[], at: number): boolean {
  if (blocks[at]?.heading !== 1) return false;
  const below = blocks.slice(at + 1, at + 1 + MAX_BLOCKS_TO_LINE);
  const end = below.findIndex((block) => block.heading === 1 || block.count.words > MAX_WORDS_OF_A_LEAD);
  return (end === -1 ? below : below.slice(0, end)).some(isLine);
}

function isLine({ box, count, heading, text }: Block): boolean {
  if (heading > 0 || count.words > MAX_WORDS_OF_A_LINE) return false;
  return box.times > 0 || box.element?.name === "address" || dateIn(text, "en") !== undefined;
}

/**
 * Drops the stories below the one with the page's title, if each of them has its own date or author. A page with many
 * stories is a list.
 */
export function dropNextStories({ blocks }: Outline, chosen: Uint8Array, title: number): void {
  if (!beginsStory(blocks, title)) return;
  const own = blocks[title]?.text.trim();
  const others = [...blocks.keys()].filter(
    (at) => at > title && beginsStory(blocks, at) && blocks[at]?.text.trim() !== own,
  );
  const [next] = others;
  if (next !== undefined && others.length <= MAX_OTHERS) chosen.fill(0, next);
}

/** Drops what is outside of the smallest box around the title that has enough of the chosen words. */
export function dropOutside({ blocks }: Outline, chosen: Uint8Array, title: number): void {
  const story = storyBox(blocks, chosen, title);
  if (story === undefined) return;
  const around = innermostOf(new Set([story]));
  for (const [at, { box }] of blocks.entries()) if (around(box) === undefined) chosen[at] = 0;
}

function storyBox(blocks: readonly Block[], chosen: Uint8Array, title: number): Box | undefined {
  const inside = new Map<Box, number>();
  for (let box = blocks[title]?.box; box !== undefined; box = box.parent) inside.set(box, 0);
  let all = 0;
  for (const [at, { box, count }] of blocks.entries()) {
    if (chosen[at] !== 1) continue;
    all += count.words;
    if (at <= title) continue;
    let around: Box | undefined = box;
    while (around !== undefined && !inside.has(around)) around = around.parent;
    if (around !== undefined) inside.set(around, (inside.get(around) ?? 0) + count.words);
  }
  let sum = 0;
  for (const [box, words] of inside) {
    sum += words;
    if (sum >= Math.max(MIN_WORDS, all * MIN_SHARE)) return box;
  }
  return undefined;
}
