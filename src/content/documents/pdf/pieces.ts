import { type Piece, type Run } from "./shapes.ts";

/** The minimum gap between two words, in heights of the letters. */
const WORD_GAP = 0.17;
/** The maximum size of raised and lowered letters, in sizes of those beside them. */
export const RAISED = 0.88;
/** The letters at the end of a paragraph that decide how the next line is joined, and those of half a compound word. */
const TAIL = 3;
const COMPOUND = 40;
const CJK = /[\u2E80-\u30FF\u3400-\u9FFF\uF900-\uFAFF\uFF00-\uFFEF]|[\uD840-\uD87F][\uDC00-\uDFFF]/;
const CJK_START = new RegExp(`^(?:${CJK.source})`);
const CJK_END = new RegExp(`(?:${CJK.source})$`);
const SPACE_IN_CJK = new RegExp(`(?<=${CJK.source}) (?=${CJK.source})`, "g");

/** Runs of one line, in reading order. */
export interface Line extends Pick<Run, "text" | "x" | "y" | "size" | "isBold" | "isMono" | "isRtl"> {
  readonly runs: readonly Run[];
  readonly right: number;
  /** Whether it has wide gaps, as between a label and its amount. */
  readonly isWide?: boolean;
}

/** A line of runs with about the same baseline, in any order. */
export function lineOf(unordered: readonly Run[]): Line {
  const isRtl = isMostly(unordered, (run) => run.isRtl);
  const runs = ordered(unordered, isRtl);
  const base = baseOf(unordered);
  return {
    runs,
    x: unordered.reduce((least, { x }) => Math.min(least, x), Number.POSITIVE_INFINITY),
    right: unordered.reduce((most, { x, width }) => Math.max(most, x + width), 0),
    y: base.y,
    size: base.size,
    isBold: runs.every((run) => run.isBold || !/[\p{L}\d]/u.test(run.text)) && runs.some((run) => run.isBold),
    isMono: runs.every((run) => run.isMono),
    isRtl,
    text: piecesOfLine(runs, base)
      .map(({ text }) => text)
      .join(""),
  };
}

function baseOf(runs: readonly Run[]): Pick<Run, "y" | "size"> {
  const letters = new Map<number, { chars: number; run: Run }>();
  for (const run of runs) {
    const key = Math.round(run.size * 2);
    letters.getOrInsert(key, { chars: 0, run }).chars += run.text.length * run.size;
  }
  let best: { chars: number; run: Run } | undefined;
  for (const found of letters.values()) if (best === undefined || found.chars > best.chars) best = found;
  return best?.run ?? { y: 0, size: 1 };
}

function isMostly(runs: readonly Run[], is: (run: Run) => boolean): boolean {
  return runs.reduce((sum, run) => sum + (is(run) ? run.text.length : -run.text.length), 0) > 0;
}

/**
 * Puts runs in order from left to right or from right to left, and reverses those of the other direction (UAX #9, L2).
 */
function ordered(runs: readonly Run[], isRtl: boolean): Run[] {
  const inFile = runs.toSorted((a, b) => a.x - b.x);
  if (!isRtl) return inFile;
  const across = inFile.map((run) => (isSigns(run.text) ? { ...run, text: reversed(run.text), isRtl: true } : run));
  const turned: Run[] = [];
  const left: Run[] = [];
  for (const run of across.toReversed()) {
    if (run.isRtl) turned.push(...left.splice(0).toReversed());
    if (run.isRtl) turned.push(run);
    else left.push(run);
  }
  turned.push(...left.splice(0).toReversed());
  return turned;
}

/** True for punctuation alone. It has no direction, so the file holds it in the page's order, not in that of a right-to-left line. */
function isSigns(text: string): boolean {
  return !/[\p{L}\p{N}]/u.test(text);
}

function reversed(text: string): string {
  return Array.from(text).toReversed().join("");
}

function piecesOfLine(runs: readonly Run[], base: Pick<Run, "y" | "size">): Piece[] {
  const pieces: Piece[] = [];
  let before: Run | undefined;
  for (const run of runs) {
    const isSmall = run.size < base.size * RAISED;
    const isRaised = isSmall && base.y - run.y > base.size * 0.15;
    const isLowered = isSmall && run.y - base.y > base.size * 0.08;
    const raised = isRaised ? 1 : isLowered ? -1 : 0;
    const isSpaced = run.isSpaced && raised === 0;
    const text = before !== undefined && isApart(before, { ...run, isSpaced }) ? ` ${run.text}` : run.text;
    append(pieces, { text, isBold: run.isBold, isMono: run.isMono, raised, href: run.href });
    before = run;
  }
  return pieces;
}

function isApart(before: Run, run: Run): boolean {
  if (/\s$/.test(before.text) || /^\s/.test(run.text)) return false;
  const gap = run.x >= before.x ? run.x - before.x - before.width : before.x - run.x - run.width;
  const size = Math.max(before.size, run.size);
  if (CJK_END.test(before.text) && CJK_START.test(run.text)) return gap > size;
  // For letters from right to left, the order of the file is not the reading order.
  const isInOrder = run.x >= before.x && !run.isRtl;
  return gap > size * WORD_GAP || (isInOrder && run.isSpaced && gap > -size);
}

/** Appends a piece. A piece with the same look is joined to the last one. */
function append(pieces: Piece[], piece: Piece): void {
  const last = pieces.at(-1);
  // A space belongs to the piece before it, so that marks enclose words.
  if (last !== undefined && isAlike(last, piece)) pieces[pieces.length - 1] = { ...last, text: last.text + piece.text };
  else pieces.push(piece);
}

function isAlike(a: Piece, b: Piece): boolean {
  return a.isBold === b.isBold && a.isMono === b.isMono && a.raised === b.raised && a.href === b.href;
}

/**
 * Joins lines into a paragraph. `compounds` are words that the document writes with a hyphen within a line. Before each
 * line in `breaks`, the text has a line break.
 */
export function paragraphOf(
  lines: readonly Line[],
  compounds: ReadonlySet<string> = new Set(),
  breaks: ReadonlySet<Line> = new Set(),
): Piece[] {
  let pieces: Piece[] = [];
  for (const [at, line] of lines.entries()) {
    const next = piecesOfLine(line.runs, line);
    const [first, ...others] = next;
    const isBroken = at > 0 && first !== undefined && breaks.has(line);
    const below = isBroken ? [{ ...first, text: `\n${first.text}` }, ...others] : next;
    pieces = at === 0 ? below : joined(pieces, below, compounds);
  }
  return pieces;
}

/** Joins two parts of a paragraph: with a space, or without one if a word is divided or the script has no spaces. */
export function joined(
  above: readonly Piece[],
  below: readonly Piece[],
  compounds: ReadonlySet<string> = new Set(),
): Piece[] {
  const pieces = [...above];
  const last = pieces.at(-1);
  const [first, ...others] = below;
  if (last === undefined || first === undefined) return [...above, ...below];
  if (first.text.startsWith("\n")) {
    for (const piece of below) append(pieces, piece);
    return pieces;
  }
  const start = first.text.trimStart();
  const end = last.text.trimEnd();
  // An expression that ends with $ is tried at each letter of a text, and a paragraph is joined once a line.
  const tail = end.slice(-TAIL);
  const isParted = /\p{Ll}[-\u00AD\u2010]$/u.test(tail) && /^\p{Ll}/u.test(start);
  const isSoft = tail.endsWith("\u00AD");
  if (isParted && (isSoft || !compounds.has(compoundOf(end, start)))) {
    pieces[pieces.length - 1] = { ...last, text: end.slice(0, -1) };
    append(pieces, { ...first, text: start });
  } else {
    const isHyphenated = /[\p{L}\p{N}][-\u2010]$/u.test(tail) && /^[\p{L}\p{N}]/u.test(start);
    const isClose = isHyphenated || (CJK_END.test(tail) && CJK_START.test(start)) || isSoft;
    pieces[pieces.length - 1] = { ...last, text: isSoft ? end.slice(0, -1) : end };
    append(pieces, { ...first, text: isClose ? start : ` ${start}` });
  }
  for (const piece of others) append(pieces, piece);
  return pieces;
}

/** The compound word if the hyphen at a line's end belongs to it. */
function compoundOf(end: string, start: string): string {
  const first = /[\p{L}\d-]{1,40}$/u.exec(end.slice(0, -1).slice(-COMPOUND))?.[0] ?? "";
  const second = /^[\p{L}\d-]{1,40}/u.exec(start)?.[0] ?? "";
  return `${first}-${second}`.toLowerCase();
}

/** Maximum number of words with hyphens of a PDF that are remembered. */
const MAX_COMPOUNDS = 20_000;

/** The words that a document writes with a hyphen within a line. */
export function compoundsOf(runs: Iterable<Run>): Set<string> {
  const compounds = new Set<string>();
  for (const { text } of runs) {
    if (!text.includes("-")) continue;
    for (const [word] of text.matchAll(/(?<![\p{L}-])\p{L}{1,40}(?:-\p{L}{1,40}){1,4}(?![\p{L}-])/gu))
      compounds.add(word.toLowerCase());
    if (compounds.size > MAX_COMPOUNDS) break;
  }
  return compounds;
}

/**
 * The article before a word that begins with alef. pdf.js turns the two letters of a lam-alef ligature around, and no
 * Arabic word begins with two alefs.
 */
const TURNED_LAM_ALEF = /(?<![\u0621-\u064A])([\u0648\u0641\u0628\u0643]?)\u0627([\u0622\u0623\u0625\u0627])\u0644/g;

const CHARACTERS =
  "\u6C11\u738B\u897F\u89C1\u8D1D\u8F66\u957F\u95E8\u96E8\u9752\u97E6\u9875\u98CE\u98DE\u98DF\u9A6C" +
  "\u9AA8\u9B3C\u9C7C\u9E1F\u5364\u9EA6\u9EC4\u9EFE\u6589\u9F50\u6B6F\u9F7F\u7ADC\u9F99\u9F9C\u4E80";
/** Radicals that have no equivalent in Unicode's data, and the characters that look the same. */
const RADICALS = new Map(
  Array.from(
    "\u2EA0\u2EA9\u2EC4\u2EC5\u2EC9\u2ECB\u2ED3\u2ED4\u2ED7\u2ED8\u2ED9\u2EDA\u2EDB\u2EDC\u2EDD\u2EE2" +
      "\u2EE3\u2EE4\u2EE5\u2EE6\u2EE7\u2EE8\u2EE9\u2EEA\u2EEB\u2EEC\u2EED\u2EEE\u2EEF\u2EF0\u2EF1\u2EF2",
    (radical, at) => [radical, CHARACTERS.charAt(at)],
  ),
);

/** Replaces ligatures, radicals and forms of letters and vertical signs by the usual ones. Fonts use them in their maps. */
export function plain(text: string): string {
  if (/^[!-~]*(?: [!-~]+)* ?$/.test(text)) return text;
  return text
    .replace(/[\u2EA0-\u2EF2]/g, (radical) => RADICALS.get(radical) ?? radical)
    .replace(/[\u2E80-\u2FD5\uFB00-\uFB06\uFB1D-\uFDFF\uFE10-\uFE19\uFE30-\uFE48\uFE70-\uFEFC]/g, (character) =>
      character.normalize("NFKC"),
    )
    .replace(TURNED_LAM_ALEF, "$1\u0627\u0644$2")
    .replace(/[\s\u0000-\u001F]+/g, " ")
    .replace(SPACE_IN_CJK, "");
}

/** The edge of a word that is nearest to an index in a text, within 4 letters. */
export function boundary(text: string, place: number): number {
  const at = Math.min(text.length, Math.max(0, Math.round(place)));
  const isWord = (index: number) => /[\p{L}\p{N}/#&=_-]/u.test(text.charAt(index));
  for (let away = 0; away <= 4; away += 1) {
    for (const found of [at - away, at + away]) {
      if (found <= 0) return 0;
      if (found >= text.length) return text.length;
      if (isWord(found) !== isWord(found - 1)) return found;
    }
  }
  return at;
}

/** Widths of letters in most fonts, in widths of a usual one. */
const WIDTHS: readonly (readonly [RegExp, number])[] = [
  [/[iljftr.,:;'|!()[\] -]/, 0.55],
  [/[mwMW@%]/, 1.6],
  [/\p{Lu}/u, 1.25],
];

/** The distances from the left edge of a run to each of its letters and to its end, by the usual widths of letters. */
function placesIn({ text, x, width, starts = [] }: Run): number[] {
  const sums = [0];
  for (let at = 0; at < text.length; at += 1) {
    const own = WIDTHS.find(([letters]) => letters.test(text.charAt(at)))?.[1] ?? 1;
    sums.push((sums.at(-1) ?? 0) + own);
  }
  // The places that are known.
  const known = starts.flatMap(({ at, x: place, end }) => [
    { at: text.slice(0, at).trimEnd().length, place: end - x },
    { at, place: place - x },
  ]);
  let from = { at: 0, place: 0 };
  const places: number[] = [];
  for (const to of [...known, { at: text.length, place: width }]) {
    const [first = 0, last = 0] = [sums[from.at], sums[to.at]];
    const factor = (to.place - from.place) / (last - first || 1);
    for (let at = places.length; at < to.at; at += 1) places.push(from.place + ((sums[at] ?? 0) - first) * factor);
    from = to;
  }
  return [...places, width];
}

/** The index of the letter of a run at a place. */
export function indexAt(run: Run, place: number): number {
  const at = placesIn(run).findIndex((left) => run.x + left > place);
  return at === -1 ? run.text.length : Math.max(0, at - 1);
}

/** A part of a run, without spaces at its ends. Empty if it is blank. */
export function partOf(run: Run, from: number, to: number): Run[] {
  const text = run.text.slice(from, to).trim();
  if (text === "") return [];
  const start = run.text.indexOf(text, from);
  const end = start + text.length;
  const isSpaced = start === 0 ? run.isSpaced : /\s/.test(run.text.charAt(start - 1));
  const places = placesIn(run);
  const [left = 0, right = run.width] = [places[start], places[end]];
  const x = run.starts?.find(({ at }) => at === start)?.x ?? run.x + left;
  const part = { ...run, text, x, width: right - left, isSpaced };
  if (run.starts === undefined) return [part];
  const starts = run.starts.filter(({ at }) => at > start && at < end);
  return [{ ...part, starts: starts.map((one) => ({ ...one, at: one.at - start })) }];
}

/** Splits a run at the texts inside it that begin at one of these places. */
export function partsFrom(run: Run, edges: ReadonlySet<number>): Run[] {
  const places = (run.starts ?? []).filter(({ x }) => edges.has(x)).map(({ at }) => at);
  if (places.length === 0) return [run];
  return [0, ...places].flatMap((from, at) => partOf(run, from, places[at] ?? run.text.length));
}

/** Splits a run at the edges between columns that cross it near a space. */
export function partsAt(run: Run, edges: readonly number[]): Run[] {
  for (const edge of edges) {
    if (edge < run.x + run.size || edge > run.x + run.width - run.size * 0.3 || run.isRtl) continue;
    const at = boundary(run.text, indexAt(run, edge));
    if (at === 0 || at === run.text.length || !/\s/.test(run.text.slice(at - 1, at + 1))) continue;
    return [...partOf(run, 0, at), ...partOf(run, at, run.text.length).flatMap((part) => partsAt(part, edges))];
  }
  return [run];
}
