import { HEADING_FACTOR } from "./blocks.ts";
import { type Block, plainOf } from "./shapes.ts";

const MAX_LEVEL = 6;
/** Maximum number of lines and letters of a heading in a PDF. A longer text in large letters is a paragraph. */
const MAX_LINES = 4;
const MAX_LETTERS = 220;
const MAX_BOLD_LETTERS = 110;
/** The minimum size of a bold heading, in sizes of the text's letters. */
const MIN_BOLD_SIZE = 0.89;
/**
 * The maximum share of a PDF's texts that may be headings because of bold letters. If the share is higher, bold letters
 * make no headings.
 */
const MAX_BOLD_SHARE = 0.4;

/** The maximum size of sentences that are not headings, in sizes of the text's letters. */
const SENTENCE_FACTOR = 1.5;
const SENTENCE = /\p{Ll}[.;:,]["'\u201D\u2019)]?$/u;

/** Maximum number of letters of the text below an author: the addresses of an office. */
const MAX_AFFILIATION = 250;

/** The first words of a caption below a figure or above a table. */
const CAPTION =
  /^(?:fig(?:ure|\.)|table|tab\.|listing|abb(?:ildung|\.)|tabelle|tableau|\u0440\u0438\u0441\.|\u56F3|\u56FE|\u8868)\s?(?:\d|[A-Z]\b)/iu;

type Text = Extract<Block, { kind: "text" }>;

/** Sets the levels of headings. Letters larger than the body's come first, then bold letters of its size. */
export function setHeadings(blocks: readonly Block[], bodySize: number): void {
  const texts = blocks.filter((block): block is Text => block.kind === "text" && block.level === 0);
  const large = texts.filter((text) => isLarge(text, bodySize));
  const bold = texts.filter((text) => !isLarge(text, bodySize) && isBoldHeading(text, bodySize));
  const isFew = bold.length <= Math.max(2, texts.length * MAX_BOLD_SHARE);
  const heads = texts.filter((text) => text.look.isHead === true && !large.includes(text) && !bold.includes(text));
  const headings = [...large, ...(isFew ? bold : []), ...(heads.length > 1 ? heads : [])];
  const classOf = (text: Text): number => {
    // Sizes that differ by less than half a point count as equal.
    if (text.look.size > bodySize * HEADING_FACTOR) return Math.round(text.look.size * 2) / 2;
    if (text.look.isHead === true && !text.look.isBold) return -partsOf(text) - 2;
    return 0;
  };
  const classes = [...new Set(headings.map(classOf))].toSorted((a, b) => b - a);
  for (const heading of headings) heading.level = Math.min(MAX_LEVEL, classes.indexOf(classOf(heading)) + 1);
  for (const text of authorsOf(blocks)) text.level = 0;
}

/** Several names, with their initials and marks. */
const NAMES = /^(?:\p{Lu}[[\p{L}.'\u2019\-]--\p{Lu}]*[\d*\u2020\u2021]{0,3}(?:,? and |, | & | )?){3,}$/v;

/**
 * The lines between a title and the first heading that are as large or bold as headings: authors and dates. Only short
 * texts follow them, and they look unlike all later headings, or are names.
 */
function authorsOf(blocks: readonly Block[]): Text[] {
  const headings = blocks.filter((block): block is Text => block.kind === "text" && block.level > 0);
  const [title] = headings;
  const found: Text[] = [];
  if (title === undefined || blocks.indexOf(title) > 1) return found;
  for (const [at, heading] of headings.entries()) {
    if (heading === title) continue;
    const next = headings[at + 1];
    if (next === undefined || heading.level <= title.level) break;
    const below = blocks.slice(blocks.indexOf(heading) + 1, blocks.indexOf(next));
    const isShort = below.every((block) => block.kind === "text" && plainOf(block.pieces).length < MAX_AFFILIATION);
    if (!isShort) break;
    const { size, isBold } = heading.look;
    const isOwn = headings
      .slice(at + 1)
      .every(({ look }) => look.isBold !== isBold || Math.abs(look.size - size) > 0.5);
    const text = plainOf(heading.pieces);
    if (isOwn ? below.length > 0 || NAMES.test(text) : NAMES.test(text) && /,| and /.test(text)) found.push(heading);
  }
  return found;
}

/** The number of parts of a heading's number: 2 in "3.1 Roads". 1 without a number. */
function partsOf({ pieces }: Text): number {
  return /^\d{1,2}(?:\.\d{1,2})*/.exec(plainOf(pieces))?.[0].split(".").length ?? 1;
}

function isHeadingText(text: string, letters: number): boolean {
  return text.length <= letters && !/^(?:-|https?:)/.test(text) && /\p{L}{2}|\p{Lo}/u.test(text) && !CAPTION.test(text);
}

function isLarge({ look, pieces }: Text, bodySize: number): boolean {
  if (look.size <= bodySize * HEADING_FACTOR || look.lines > MAX_LINES) return false;
  const text = plainOf(pieces);
  // A document may have more letters in tables or notes than in its paragraphs.
  if (look.size < bodySize * SENTENCE_FACTOR && !look.isBold && SENTENCE.test(text)) return false;
  return isHeadingText(text, MAX_LETTERS);
}

function isBoldHeading({ look, pieces }: Text, bodySize: number): boolean {
  if (!look.isBold || look.size < bodySize * MIN_BOLD_SIZE || look.lines > 2) return false;
  const text = plainOf(pieces);
  return isHeadingText(text, MAX_BOLD_LETTERS) && !/[.,;:]$/.test(text);
}
