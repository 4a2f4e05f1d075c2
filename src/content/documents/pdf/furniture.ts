import { HEADING_FACTOR } from "./blocks.ts";
import { lineOfRow, type TextRow, rowsOf, segmentsOf } from "./segments.ts";
import { type PdfPage, type Run, usualSize } from "./shapes.ts";

/** Maximum number of rows at the top and at the bottom of a PDF page that may be running headers and footers. */
const MAX_ROWS = 3;
/** The part of the page's height, from each edge, in which they are. */
const MARGIN = 0.14;
/** The minimum distance to the text, in heights of the letters. */
const GAP = 1.7;
/** Points by which the baselines of one header may differ. */
const PLACE_STEP = 4;

interface Candidate {
  readonly page: number;
  readonly runs: readonly Run[];
  /** Position and text of a row, with each number masked. */
  readonly key: string;
  /** The position of a row, and the page numbers that its text may be. */
  readonly place: string;
  readonly numbers: readonly number[];
  readonly isNumberOnly: boolean;
  /** Whether it is in letters larger than those of the text, as headings are. */
  readonly isLarge: boolean;
}

/**
 * Removes running headers, footers and page numbers from pages: rows that are repeated on other pages at the same
 * position.
 */
export function withoutFurniture(pages: readonly PdfPage[]): PdfPage[] {
  if (pages.length < 2) return [...pages];
  const bodySize = usualSize(pages);
  const candidates = pages.flatMap((page, at) => candidatesOf(page, at, bodySize));
  const repeated = pagesBy(candidates.map(({ key, page }) => [key, page]));
  const numbered = pagesBy(
    candidates.flatMap(({ place, numbers, page }) =>
      numbers.map((number): [string, number] => [`${place} ${number - page}`, page]),
    ),
  );
  const least = pages.length < 4 ? 2 : 3;
  const dropped = new Set<Run>();
  for (const { key, place, numbers, page, runs, isNumberOnly, isLarge } of candidates) {
    // "Chapter 2" in large letters is a heading.
    if (isLarge && numbers.length > 0 && !isNumberOnly) continue;
    const isNumbered = numbers.some((number) => (numbered.get(`${place} ${number - page}`)?.size ?? 0) >= least);
    const isRepeated = (repeated.get(key)?.size ?? 0) >= least && (!isNumberOnly || isNumbered);
    if (isRepeated || isNumbered) for (const run of runs) dropped.add(run);
  }
  return pages.map((page) => ({ ...page, runs: page.runs.filter((run) => !dropped.has(run)) }));
}

function pagesBy(found: readonly (readonly [key: string, page: number])[]): Map<string, Set<number>> {
  const pages = new Map<string, Set<number>>();
  for (const [key, page] of found) pages.set(key, (pages.get(key) ?? new Set()).add(page));
  return pages;
}

function candidatesOf({ runs, width, height }: PdfPage, page: number, bodySize: number): Candidate[] {
  const edge = height * MARGIN;
  const rows = rowsOf(segmentsOf(runs.filter(({ y }) => y < edge * 2 || y > height - edge * 2)));
  const head = apart(rows.filter(({ y }) => y < edge * 2)).filter(({ y }) => y < edge);
  const foot = apart(rows.filter(({ y }) => y > height - edge * 2).toReversed()).filter(({ y }) => y > height - edge);
  return [...head, ...foot].map((row) => candidateOf(row, page, width, bodySize));
}

/**
 * The rows before the first gap. Empty if the text begins with the first row, like the head of a table that continues.
 */
function apart(rows: readonly TextRow[]): TextRow[] {
  const gap = rows.findIndex((row, at) => {
    const next = rows[at + 1];
    return next === undefined ? at === 0 : Math.abs(next.y - row.y) > GAP * Math.max(row.size, next.size);
  });
  return gap < MAX_ROWS ? rows.slice(0, gap + 1) : [];
}

function candidateOf(row: TextRow, page: number, width: number, bodySize: number): Candidate {
  const { text, runs } = lineOfRow(row);
  const place = `${Math.round(row.y / PLACE_STEP)} ${Math.round(width)}`;
  const masked = text.toLowerCase().replace(/\d+|(?<!\S)[ivxlc]{1,7}$/g, "#");
  const edges = /^\D{0,12}?(\d{1,4})(?!\d)|(?<!\d)(\d{1,4})\D{0,12}$/g;
  const numbers = [...text.matchAll(edges)].map((match) => Number(match[1] ?? match[2]));
  const roman = /(?<!\S)([ivxlc]{1,7})$/i.exec(text)?.[1];
  if (roman !== undefined) numbers.push(numberOfRoman(roman));
  const isNumberOnly = /^(?=[^#]*#)[\W_]*$/.test(masked);
  const isLarge = row.size > bodySize * HEADING_FACTOR;
  return {
    page,
    runs,
    key: `${place} ${masked}`,
    place: isNumberOnly ? "" : place,
    numbers,
    isNumberOnly,
    isLarge,
  };
}

const ROMAN: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 };

function numberOfRoman(text: string): number {
  let sum = 0;
  let after = 0;
  for (const letter of text.toLowerCase().split("").toReversed()) {
    const value = ROMAN[letter] ?? 0;
    sum += value < after ? -value : value;
    after = Math.max(after, value);
  }
  return sum;
}
