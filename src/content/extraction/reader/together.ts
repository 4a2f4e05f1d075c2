import { type Block, type Box, FLAGS, type Outline, type Template } from "./outline.ts";

/** Minimum number of blocks of a template that are kept or dropped together, and maximum number of words of each. */
const MIN_BLOCKS = 4;
const MAX_WORDS = 12;
const AROUND = FLAGS.button | FLAGS.form | FLAGS.hidden | FLAGS.nav | FLAGS.footer;
/** Minimum number of texts of a template that have its mean score, and minimum number of words of each. */
const MIN_TEXTS = 5;
const MIN_WORDS_OF_A_TEXT = 8;
/** Elements that are kept or dropped as a whole. */
const WHOLE = new Set(["table", "pre", "dl"]);
/** Maximum number of blocks of a table. A table with more blocks is the page's layout, and is not kept as a whole. */
const MAX_BLOCKS_OF_A_TABLE = 400;
/** Maximum average number of words of a cell. A table with longer cells contains text. */
const MAX_WORDS_OF_A_CELL = 12;
/** Blocks are kept if their average score is at least this share of the lowest score that is chosen. */
const MIN_SHARE_OF_THRESHOLD = 0.6;

/** The scores of blocks, and the lowest one that is chosen. */
export interface Ranking {
  readonly scores: Float32Array;
  readonly threshold: number;
}

/**
 * The scores, with the mean of the template for its texts, such as the posts of a thread: scores of blocks that look the
 * same differ by chance.
 */
export function shareScores(blocks: readonly Block[], own: Float32Array): Float32Array {
  const scores = own.slice();
  for (const [of, set] of Map.groupBy(blocks.keys(), (at) => textTemplate(blocks[at]))) {
    if (of === undefined || set.length < MIN_TEXTS) continue;
    const words = set.map((at) => blocks[at]?.count.words ?? 0);
    const all = words.reduce((sum, count) => sum + count, 0);
    const mean = set.reduce((sum, at, place) => sum + ((own[at] ?? 0) * (words[place] ?? 0)) / all, 0);
    for (const at of set) scores[at] = mean;
  }
  return scores;
}

function textTemplate(block: Block | undefined): Template | undefined {
  return block === undefined || block.count.words < MIN_WORDS_OF_A_TEXT ? undefined : block.template;
}

/**
 * Keeps or drops blocks together if some of them are chosen: the short texts of one template, such as the names of a list
 * of products, and the blocks of a table, of code or of a definition list. The average score decides, because scores of
 * blocks that look the same differ by chance.
 */
export function keepTogether({ blocks }: Outline, chosen: Uint8Array, { scores, threshold }: Ranking): void {
  for (const find of FINDERS) {
    for (const [of, set] of Map.groupBy(blocks.keys(), (at) => find(blocks[at]))) {
      if (of === undefined || !belongsTogether(of, set.length)) continue;
      const number = set.filter((at) => chosen[at] === 1).length;
      if (number === 0 || number === set.length) continue;
      let [words, expected] = [0, 0];
      for (const at of set) {
        const own = blocks[at]?.count.words ?? 0;
        words += own;
        expected += own * (scores[at] ?? 0);
      }
      const isContent = expected >= words * threshold * MIN_SHARE_OF_THRESHOLD;
      for (const at of set) chosen[at] = isContent ? 1 : 0;
    }
  }
}

/** Functions that find the template or the element with which a block belongs together. */
const FINDERS: readonly ((block: Block | undefined) => Template | Box | undefined)[] = [shortTemplate, wholeBox];

/** The template of a short block outside of menus and forms. */
function shortTemplate(block: Block | undefined): Template | undefined {
  if (block === undefined || block.count.words > MAX_WORDS || (block.box.flags & AROUND) !== 0) return undefined;
  return block.template;
}

/** The innermost table, code block or definition list that holds a block. */
function wholeBox(block: Block | undefined): Box | undefined {
  if (block === undefined || (block.box.flags & (FLAGS.table | FLAGS.code | FLAGS.definition)) === 0) return undefined;
  for (let at: Box | undefined = block.box; at !== undefined; at = at.parent) {
    if (WHOLE.has(at.element?.name ?? "")) return at;
  }
  return undefined;
}

function belongsTogether(of: Template | Box, blocks: number): boolean {
  if (!("element" in of)) return blocks >= MIN_BLOCKS;
  if (blocks > MAX_BLOCKS_OF_A_TABLE || of.words > blocks * MAX_WORDS_OF_A_CELL) return false;
  return of.element?.name !== "table" || isOfData(of);
}

/** A table that contains sections, lists or other tables is the page's layout. */
function isOfData(box: Box): boolean {
  return box.headings === 0 && box.children.every((child) => !LAYOUT.has(child.element?.name ?? "") && isOfData(child));
}

const LAYOUT = new Set(["table", "ul", "ol", "form", "section", "article", "main", "nav", "blockquote"]);
