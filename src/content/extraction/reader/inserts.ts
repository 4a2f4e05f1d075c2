import { innermostOf } from "./box-around.ts";
import { type Box, FLAGS, type Outline } from "./outline.ts";
import { isProse } from "./page-parts.ts";

/** Minimum number of pictures in a row, and maximum numbers of words and sentences of each caption. */
const MIN_SLIDES = 3;
const MAX_WORDS_OF_A_CAPTION = 40;
const MAX_SENTENCES_OF_A_CAPTION = 3;
/** Minimum and maximum number of words of a line that leads to another page. */
const MIN_WORDS_OF_A_LEAD = 3;
const MAX_WORDS_OF_A_LEAD = 25;
/** Number of words from which a hidden text is mostly one that readers open. */
const MANY_WORDS = 60;
/** Elements in which a link on its own line is content. */
const MAY_LINK = FLAGS.item | FLAGS.table | FLAGS.quote | FLAGS.definition;

/** Drops hidden elements with one short text that has no similar one, such as a note for language models. */
export function dropHidden({ blocks }: Outline, chosen: Uint8Array): void {
  for (const [at, { box, count, template }] of blocks.entries()) {
    if (chosen[at] !== 1 || (box.flags & FLAGS.hidden) === 0 || count.words >= MANY_WORDS) continue;
    const isAmongVisible = [blocks[at - 1], blocks[at + 1]].every(
      (beside) => beside?.template === template && ((beside?.box.flags ?? FLAGS.hidden) & FLAGS.hidden) === 0,
    );
    if (template !== undefined && template.count > 1 && !isAmongVisible) continue;
    let hidden = box;
    while (hidden.parent !== undefined && (hidden.parent.flags & FLAGS.hidden) !== 0) hidden = hidden.parent;
    if (hidden.blocks === 1 && hidden.element?.attribs["aria-hidden"] === undefined) chosen[at] = 0;
  }
}

/** Drops the captions of carousels: similar siblings with one picture and a short text each. */
export function dropSlides({ root, blocks }: Outline, chosen: Uint8Array): void {
  const slides = new Set<Box>();
  const visit = ({ children }: Box): void => {
    for (const child of children) {
      const { alikeIndex, group } = child;
      if (alikeIndex === 0 && group.length >= MIN_SLIDES && group.every(isSlide))
        for (const one of group) slides.add(one);
      visit(child);
    }
  };
  visit(root);
  const around = innermostOf(slides);
  for (const [at, { box }] of blocks.entries()) if (around(box) !== undefined) chosen[at] = 0;
}

function isSlide({ images, words, headings, sentences }: Box): boolean {
  return images === 1 && headings === 0 && words <= MAX_WORDS_OF_A_CAPTION && sentences <= MAX_SENTENCES_OF_A_CAPTION;
}

const LEAD =
  /^\s*(?:(?:read|see) (?:also|more|next)|related|lesen sie auch|mehr zum thema|(?:à )?lire aussi|le[ae] también|leia também|leggi anche|lees ook|читайте также|関連記事|相关阅读|관련 기사)\s*[:：]/iu;

/** Drops lines beside paragraphs that lead to another page: "Read also: ...", and in news also such lines without a label. */
export function dropLeads({ blocks }: Outline, chosen: Uint8Array, isNews = true): void {
  for (const [at, { box, count, heading, links, placeLinks, text }] of blocks.entries()) {
    if (chosen[at] !== 1 || heading > 0 || (box.flags & MAY_LINK) !== 0 || links !== 1 || placeLinks > 0) continue;
    const { words, linkWords, endsSentence } = count;
    if (words < MIN_WORDS_OF_A_LEAD || words > MAX_WORDS_OF_A_LEAD || linkWords * 2 < words || endsSentence) continue;
    if (!isNews && !LEAD.test(text)) continue;
    if (isProse(blocks[at - 1]) || isProse(blocks[at + 1])) chosen[at] = 0;
  }
}
