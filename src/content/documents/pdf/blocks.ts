import { textsBeside } from "./beside.ts";
import { withLeaders } from "./contents.ts";
import { hasLeader, isLabel, type Label, labelOf, withoutLeader } from "./labels.ts";
import { type Line, paragraphOf } from "./pieces.ts";
import { joinedSegments, lineOfRow, type TextRow, rowsOf, type Segment } from "./segments.ts";
import { type Block, type ListItem, type Look, median, type PageBlocks, type Piece, type Rule } from "./shapes.ts";
import { alignedTable } from "./tables.ts";

export interface Setting {
  /** The size of most letters, in points. */
  readonly bodySize: number;
  /** Whether most letters are monospaced, so that such letters do not mean code. */
  readonly isTypewritten: boolean;
  /** Words that are written with a hyphen within a line. */
  readonly compounds: ReadonlySet<string>;
}

/** The minimum ratio of a heading's letter size to the body's, unless the heading is bold. */
export const HEADING_FACTOR = 1.12;
/** The maximum ratio of a footnote's letter size to the body's. */
const NOTE_FACTOR = 0.93;
const NOTE_START = /^(?:\d{1,3}|[*\u2020\u2021\u00A7]{1,3})(?=[\s\p{L}.)])/u;
/** The minimum ratio of a gap to the usual gap at which a paragraph begins. */
const PARAGRAPH_GAP = 1.3;

interface Paragraph {
  readonly lines: Line[];
  label: Label | undefined;
  /** Whether its only line is a numbered or capitalised heading above a text. */
  readonly isHead: boolean;
  /** The lines before which the text has a line break. */
  readonly breaks: Set<Line>;
}

interface Measure {
  readonly right: number;
  readonly left: number;
  readonly setting: Setting;
}

interface Place {
  readonly setting: Setting;
  /** The height below which footnotes may begin. */
  readonly noteTop: number;
  /** The drawn lines of the page. */
  readonly rules: readonly Rule[];
  /** The right edge of the region, if its texts may end before it. */
  readonly right?: number;
}

/** Reads the blocks of a region and appends them to those of its page. */
export function readRegion(region: readonly Segment[], place: Place, page: PageBlocks): void {
  const { setting } = place;
  const rows = withLeaders(rowsOf(region)).map(withLabels);
  const edge = region.reduce((most, { right }) => Math.max(most, right), place.right ?? 0);
  let lines: Line[] = [];
  const flush = () => {
    readLines(lines, place, edge, page);
    lines = [];
  };
  for (let at = 0; at < rows.length; ) {
    const row = rows[at];
    const made = row?.segments[0]?.block;
    const code = setting.isTypewritten ? 0 : codeLength(rows, at);
    const table =
      made !== undefined || code > 0 || row?.segments.length === 1 ? undefined : alignedTable(rows, at, place.rules);
    if (made !== undefined || code > 0 || table !== undefined) flush();
    if (made !== undefined) page.blocks.push(made);
    else if (code > 0) page.blocks.push({ kind: "code", text: codeOf(rows.slice(at, at + code).map(lineOfRow)) });
    else if (table !== undefined) page.blocks.push(table.block);
    const isRest = made === undefined && code === 0 && table === undefined;
    const beside = isRest ? textsBeside(rows, at) : undefined;
    if (beside !== undefined) {
      flush();
      for (const side of beside.sides) readRegion(side, { ...place, right: edge }, page);
    } else if (isRest && row !== undefined) {
      const line = lineOfRow(row);
      lines.push(row.segments.length > 1 ? { ...line, isWide: true } : line);
    }
    at += Math.max(1, code, table?.length ?? 0, beside?.length ?? 0);
  }
  flush();
}

/** Joins a label and its item into one text, whatever the gap between them. */
function withLabels(row: TextRow): TextRow {
  const [label, item] = row.segments;
  if (row.segments.length !== 2) return row;
  const isOfItem = isLabel(label?.line?.text ?? "") && /\p{L}/u.test(item?.line?.text ?? "");
  const isOne = isOfItem || hasLeader(lineOfRow(row).text);
  return isOne ? { ...row, segments: [joinedSegments(row.segments)] } : row;
}

/** Number of rows of code from here on: two or more rows in a monospaced font. */
function codeLength(rows: readonly TextRow[], at: number): number {
  let length = 0;
  for (let above: TextRow | undefined; at + length < rows.length; length += 1) {
    const row = rows[at + length];
    if (row === undefined || !isCode(row)) break;
    if (above !== undefined && row.y - above.y > row.size * 3.2) break;
    above = row;
  }
  return length >= 2 ? length : 0;
}

function isCode({ segments }: TextRow): boolean {
  return segments.every(({ line }) => line?.isMono === true);
}

/** Lines of code with their indentation and blank lines. */
export function codeOf(lines: readonly Line[]): string {
  const runs = lines.flatMap((line) => line.runs);
  const left = runs.reduce((least, { x }) => Math.min(least, x), Number.POSITIVE_INFINITY);
  const letter = Math.max(1, median(runs.map(({ width, text }) => width / text.length)));
  const gaps = lines.slice(1).map((line, at) => line.y - (lines[at]?.y ?? 0));
  const leading = Math.max(1, Math.min(...gaps));
  let above: Line | undefined;
  const written: string[] = [];
  for (const line of lines) {
    if (above !== undefined && line.y - above.y > leading * 1.7) written.push("");
    let text = "";
    for (const { x, text: part } of line.runs) {
      const column = Math.min(200, Math.round((x - left) / letter));
      text = text.padEnd(column) + part;
    }
    written.push(text);
    above = line;
  }
  return written.join("\n");
}

function readLines(
  lines: readonly Line[],
  { setting, noteTop, right: least = 0 }: Place,
  edge: number,
  page: PageBlocks,
): void {
  const left = median(lines.map(({ x }) => x));
  const right = lines.reduce((most, line) => Math.max(most, line.right), least);
  const paragraphs = paragraphsOf(lines, { left, right, setting });
  for (const { lines: own, breaks } of paragraphs) findBreaks(own, breaks, right, edge);
  const isNote = ({ lines: [first] }: Paragraph) =>
    first !== undefined &&
    first.y > noteTop &&
    first.size < setting.bodySize * NOTE_FACTOR &&
    NOTE_START.test(first.text);
  const from = paragraphs.findIndex(isNote);
  const [text, notes] = from === -1 ? [paragraphs, []] : [paragraphs.slice(0, from), paragraphs.slice(from)];
  page.blocks.push(...blocksOf(text, setting));
  page.notes.push(...notes.map((note) => textBlock(note, setting)));
}

function paragraphsOf(lines: readonly Line[], measure: Measure): Paragraph[] {
  const leading = leadingOf(lines);
  const paragraphs: Paragraph[] = [];
  let number: number | undefined;
  for (const [at, line] of lines.entries()) {
    const current = paragraphs.at(-1);
    const label = hasLeader(line.text) ? { number: undefined, length: 0 } : labelOf(line.text);
    const goesOn = current !== undefined && !isParted(current, line, lines[at + 1], { ...measure, leading });
    const isNext =
      label !== undefined && (label.length === 0 ? current?.label?.length === 0 : isExpected(label, number));
    if (goesOn && !current.isHead && !isNext && !hasLeader(current.lines.at(-1)?.text ?? "")) current.lines.push(line);
    else {
      number = label?.number ?? number;
      const isHead = isHeadLine(line, lines[at - 1], lines[at + 1], { ...measure, leading });
      paragraphs.push({ lines: [line], label: isHead ? undefined : label, isHead, breaks: new Set() });
    }
  }
  return paragraphs;
}

/** A number with several parts before capitals or a word with a capital letter, or a text in capitals. */
const HEAD = /^(?:\d{1,2}(?:\.\d{1,2}){1,3}\.?\s+\p{Lu}|(?=\P{Ll}*\p{Lu}{4})\P{Ll}*$)/u;
/** Maximum number of letters of a heading whose letters are as large as those of the text. */
const MAX_HEAD = 70;

/** Whether a line with letters as large as those of the text is a heading: numbered or in capitals, ended early, and after a gap. */
function isHeadLine(
  line: Line,
  above: Line | undefined,
  below: Line | undefined,
  { right, leading }: Measure & { leading: number },
): boolean {
  if (below === undefined || line.text.length > MAX_HEAD || !HEAD.test(line.text) || /[.,;:]$/.test(line.text))
    return false;
  const isAfterGap = above === undefined || line.y - above.y > leading * 1.15;
  const isText = /\p{Ll}/u.test(below.text) && below.text.length > line.text.length && !HEAD.test(below.text);
  const gap = below.y - line.y;
  return isAfterGap && isText && gap > 0 && gap < leading * 2 && endsEarly(line, below, right, 0);
}

/** Whether the first word of the next line would have fit into a line, with `spare` more heights of the letters. */
function endsEarly(line: Line, next: Line, right: number, spare: number): boolean {
  const letters = /^\S{1,60}/.exec(next.text)?.[0].length ?? 1;
  const word = (letters * (next.right - next.x)) / Math.max(1, next.text.length);
  return line.right + word + line.size * (1 + spare) < right;
}

/** Maximum length of a line that ends with a line break, as in addresses, in heights of its letters. */
const MAX_BROKEN = 25;

/** The minimum length of the lines of a running text that ends before its region, in heights of its letters. */
const MIN_MEASURE = 12;

/** The beginning of a line that is not the middle of a sentence. */
const BEGINNING = /^[\p{Lu}\p{N}+("\u201C\u201E]/u;

/**
 * Finds the lines of a paragraph that follow a line break: most lines end early, as in addresses and verses. They end at
 * `right` if they begin inside sentences, otherwise at `edge`, the right edge of the text around them.
 */
export function findBreaks(lines: readonly Line[], breaks: Set<Line>, right: number, edge: number): void {
  const own = lines.reduce((most, line) => Math.max(most, line.right), 0);
  const ended = lines.slice(0, -1);
  const full = ended.filter((line) => line.right > own - line.size * 3).length;
  const isBlock = own - Math.min(...lines.map(({ x }) => x)) > (lines[0]?.size ?? 0) * MIN_MEASURE;
  if (isBlock && full > 1 && full > ended.length * 0.6) return;
  const begun = lines.slice(1).filter(({ text }) => BEGINNING.test(text)).length;
  const end = begun < ended.length / 2 ? right : edge;
  const isBroken = (line: Line, at: number) => {
    const next = lines[at + 1];
    return next !== undefined && endsEarly(line, next, end, 1);
  };
  for (const [at, line] of lines.entries()) {
    const above = lines[at - 1];
    if (above?.isWide === true && line.isWide === true) breaks.add(line);
  }
  const early = ended.filter(isBroken).length;
  const isLong = lines.some((line) => {
    return line.isRtl || /[-\u00AD\u2010]$/.test(line.text) || line.right - line.x > line.size * MAX_BROKEN;
  });
  if (isLong || early < Math.max(1, ended.length / 2)) return;
  for (const line of lines.slice(1)) breaks.add(line);
}

/** Whether a label in closely spaced lines begins an item. It may be a number in the text. */
function isExpected(label: Label, last: number | undefined): boolean {
  return label.number === undefined || label.number === 1 || label.number === (last ?? 0) + 1;
}

/** The usual distance between lines. */
function leadingOf(lines: readonly Line[]): number {
  const gaps = lines.slice(1).flatMap((line, at) => {
    const gap = line.y - (lines[at]?.y ?? 0);
    return gap > 0 && gap < line.size * 2.2 ? [gap] : [];
  });
  return gaps.length === 0 ? (lines[0]?.size ?? 10) * 1.25 : median(gaps);
}

function isParted(
  { lines, label }: Paragraph,
  line: Line,
  next: Line | undefined,
  { left, right, leading, setting }: Measure & { leading: number },
): boolean {
  const above = lines.at(-1);
  if (above === undefined) return true;
  const size = Math.max(above.size, line.size);
  const gap = line.y - above.y;
  const usual = Math.abs(size - setting.bodySize) < 1 ? leading : size * 1.3;
  if (gap < 0 || gap > Math.max(usual * PARAGRAPH_GAP, size * 1.25) || Math.abs(above.size - line.size) > size * 0.08)
    return true;
  if (above.isBold !== line.isBold) return true;
  const [start] = line.runs;
  if (start !== undefined && start.size < line.size * 0.85 && NOTE_START.test(line.text) && start.y < line.y - 1)
    return true;
  // The first word would have fit into the line above, so that line was ended on purpose.
  const word = ((/^\S{1,60}/.exec(line.text)?.[0].length ?? 1) * (line.right - line.x)) / Math.max(1, line.text.length);
  const isShort = line.isRtl ? above.x - word > left + size * 2 : endsEarly(above, line, right, 0);
  if (isShort && /[.!?:;\u3002\uFF01\uFF1F\u061F]["'\u201D\u2019)]?$/.test(above.text)) return true;
  if (line.isRtl) return false;
  const indent = line.x - above.x;
  const isTerm = lines.length === 1 && label === undefined && indent > size && indent < size * 6;
  if (
    isTerm &&
    !above.text.endsWith(":") &&
    endsEarly(above, line, right, 2) &&
    (next === undefined || next.x > line.x - size * 0.3)
  )
    return true;
  const isFirst = lines.length === 1;
  if (indent > size * 0.7 && indent < size * 5 && label === undefined && !isFirst) {
    return next === undefined || next.x < line.x - size * 0.5;
  }
  return indent < -size * 0.7 && (!isFirst || label !== undefined);
}

function blocksOf(paragraphs: readonly Paragraph[], setting: Setting): Block[] {
  const blocks: Block[] = [];
  const lists = new Lists();
  for (const [at, paragraph] of paragraphs.entries()) {
    const { label, lines } = paragraph;
    const [first] = lines;
    if (first === undefined) continue;
    const place = first.isRtl ? -first.right : first.x;
    if (label !== undefined && isItem(paragraph, paragraphs[at - 1], paragraphs[at + 1], setting)) {
      const list = lists.add(place, label.number, textBlock(paragraph, setting, label.length));
      if (list !== undefined) blocks.push(list);
    } else if (!lists.goesOn(place, first, textBlock(paragraph, setting))) {
      lists.end();
      blocks.push(textBlock(paragraph, setting));
    }
  }
  return blocks;
}

/** A number before a heading belongs to it. A single letter or number may be an initial of a name. */
function isItem(
  { label, lines }: Paragraph,
  before: Paragraph | undefined,
  after: Paragraph | undefined,
  setting: Setting,
): boolean {
  const [first] = lines;
  if (label === undefined || first === undefined) return false;
  const isBullet = label.number === undefined && label.length > 0;
  if (isBullet || hasLeader(first.text)) return true;
  if (first.size > setting.bodySize * HEADING_FACTOR || (first.isBold && lines.length < 3)) return false;
  return label.number !== undefined || before?.label?.length === 0 || after?.label?.length === 0;
}

function textBlock(paragraph: Paragraph, { compounds }: Setting, skipped = 0): Extract<Block, { kind: "text" }> {
  const { lines, isHead, breaks } = paragraph;
  const pieces = withoutStart(paragraphOf(lines, compounds, breaks), skipped);
  const leaded = pieces.map((piece) => (hasLeader(piece.text) ? { ...piece, text: withoutLeader(piece.text) } : piece));
  return { kind: "text", pieces: leaded, look: { ...lookOf(lines), isHead }, level: 0 };
}

/** The look of a block: the largest size of its lines, their number, and whether all of them are bold. */
export function lookOf(lines: readonly Line[]): Look {
  return {
    size: Math.max(...lines.map(({ size }) => size)),
    isBold: lines.every(({ isBold }) => isBold),
    lines: lines.length,
  };
}

/** The pieces without the letters of a label. */
export function withoutStart(pieces: readonly Piece[], letters: number): Piece[] {
  let left = letters;
  return pieces.flatMap((piece) => {
    const skipped = Math.min(left, piece.text.length);
    left -= skipped;
    const text = piece.text.slice(skipped);
    return text === "" ? [] : [{ ...piece, text }];
  });
}

/** Builds nested lists from the positions of their labels. */
class Lists {
  readonly #open: { place: number; isNumbered: boolean; items: ListItem[] }[] = [];

  end(): void {
    this.#open.length = 0;
  }

  /** Adds an item. Returns the list if it is new and not nested in another list. */
  add(place: number, number: number | undefined, block: Block): Block | undefined {
    const near = 4;
    while ((this.#open.at(-1)?.place ?? Number.NEGATIVE_INFINITY) > place + near) this.#open.pop();
    const item: ListItem = { number, blocks: [block] };
    const isNumbered = number !== undefined;
    const last = this.#open.at(-1);
    if (last !== undefined && Math.abs(last.place - place) <= near && last.isNumbered === isNumbered) {
      last.items.push(item);
      return undefined;
    }
    if (last !== undefined && Math.abs(last.place - place) <= near) this.#open.pop();
    const list: Block = { kind: "list", items: [item] };
    const around = this.#open.at(-1)?.items.at(-1);
    this.#open.push({ place, isNumbered, items: list.items });
    if (around === undefined) return list;
    around.blocks.push(list);
    return undefined;
  }

  /** Adds a paragraph below an item's text to the item. False if it does not belong to the item. */
  goesOn(place: number, line: Line, block: Block): boolean {
    const last = this.#open.at(-1);
    const item = last?.items.at(-1);
    if (last === undefined || item === undefined || line.isBold) return false;
    if (place < last.place + line.size * 0.8 || place > last.place + line.size * 5) return false;
    item.blocks.push(block);
    return true;
  }
}
