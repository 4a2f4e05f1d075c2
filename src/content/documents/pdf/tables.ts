import { type CellLine, groupedRows, isNumber } from "./cell-rows.ts";
import { type Column, columnsOf, MAX_COLUMNS, placesIn } from "./columns.ts";
import { hasLeader, labelOf } from "./labels.ts";
import { type Line, lineOf, paragraphOf, partsAt } from "./pieces.ts";
import { type TextRow } from "./segments.ts";
import { type Block, type Piece, type Rule } from "./shapes.ts";

/** Maximum number of rows of a table in a PDF. The text of a larger table is read as paragraphs. */
export const MAX_ROWS = 1_000;
/** The maximum distance between rows of a table without lines, in heights of the letters. */
const ROW_GAP = 2.6;
/** The minimum gaps of a table of two rows without lines, in heights of the letters. */
const FAR = 1.6;
/** The minimum share of rows with several cells, and of the width of a table that drawn lines between rows cover. */
const MIN_WIDE = 0.5;
const MIN_RULED = 0.5;

/** Maximum number of cells of addresses beside one another. */
const MAX_LABELS = 12;

export type Table = Extract<Block, { kind: "table" }>;

/** A table with the lines of its rows. */
export function tableOf(lines: readonly CellLine[]): Table {
  const rows = groupedRows(lines).map((row) => {
    return row[0]?.cells.map((_cell, at) => row.flatMap(({ cells }) => cells[at] ?? [])) ?? [];
  });
  return { kind: "table", caption: [], rows: textsOf(rows) };
}

/** The texts of cells, given by their lines from left to right. The first column is at the right in a right-to-left script. */
export function textsOf(rows: readonly (readonly (readonly Line[])[])[]): (readonly Piece[])[][] {
  const texts = rows.map((row) => row.map((lines) => paragraphOf(lines)));
  const letters = rows.flat(2).reduce((sum, { isRtl, text }) => {
    return /\p{L}/u.test(text) ? sum + (isRtl ? text.length : -text.length) : sum;
  }, 0);
  return letters > 0 ? texts.map((row) => row.toReversed()) : texts;
}

/** The table that begins at a row, if texts are aligned in columns. `length` counts rows. */
export function alignedTable(
  rows: readonly TextRow[],
  at: number,
  rules: readonly Rule[],
): { block: Table; length: number } | undefined {
  const block = rows.slice(at, at + blockLength(rows, at));
  const [above, below] = [rows[at - 1], rows[at + block.length]];
  if ((above !== undefined && isEntry(above)) || (below !== undefined && isEntry(below))) return undefined;
  const all = columnsOf(block.map(({ segments }) => segments));
  if (all.length < 2 || all.length > MAX_COLUMNS) return undefined;
  const taken = block.slice(0, fittingLength(block, all));
  const columns = columnsOf(taken.map(({ segments }) => segments));
  if (columns.length < 2 || columns.length > MAX_COLUMNS) return undefined;
  const lines = linesOf(taken, columns, rules);
  const table = tableOf(lines);
  const wide = table.rows.filter((row) => row.filter((cell) => cell.length > 0).length > 1).length;
  const isRuled = lines.some(({ isBelowRule }) => isBelowRule);
  const isCertain = columns.length > 2 && (isRuled || (taken.every(isWide) && taken.every(isCells)));
  const least = isCertain ? 2 : 3;
  if (wide < least || wide < table.rows.length * MIN_WIDE) return undefined;
  return isTable(lines) ? { block: table, length: taken.length } : undefined;
}

/** Number of rows from an index on that are close to one another and can be rows of a table. */
function blockLength(rows: readonly TextRow[], at: number): number {
  let length = 0;
  for (; at + length < rows.length && length < MAX_ROWS; length += 1) {
    const row = rows[at + length];
    const above = rows[at + length - 1];
    if (row === undefined || row.segments.some(({ block }) => block !== undefined) || isEntry(row)) break;
    if (length > 0 && above !== undefined && row.y - above.y > ROW_GAP * row.size) break;
  }
  return length;
}

/** Number of rows that fit the columns. One row with a text across columns may be between others, as a heading. */
function fittingLength(rows: readonly TextRow[], columns: readonly Column[]): number {
  let [length, fits] = [0, true];
  const last = rows.findLastIndex(isWide);
  for (const [at, row] of rows.entries()) {
    const isAcross = row.segments.length === 1 && columnsAt(columns, row) !== 1;
    if ((isAcross && !fits) || (at > last && isItem(row, columns))) break;
    fits = !isAcross;
    if (isWide(row) || (fits && isClose(row, rows[at - 1]))) length = at + 1;
  }
  return length;
}

/** Whether a row is an item of a list with bullets, from the first column on. */
function isItem({ segments: [only] }: TextRow, [first]: readonly Column[]): boolean {
  const label = labelOf(only?.line?.text ?? "");
  return label !== undefined && label.number === undefined && label.length > 0 && (only?.x ?? 0) < (first?.to ?? 0);
}

function columnsAt(columns: readonly Column[], { segments: [only] }: TextRow): number {
  return columns.filter(({ from, to }) => only !== undefined && only.x < to && only.right > from).length;
}

/** Whether a row has cells: all gaps are too wide for words of a justified line. */
function isCells({ segments, size }: TextRow): boolean {
  return segments.every(({ x }, index) => index === 0 || x - (segments[index - 1]?.right ?? 0) > size * FAR);
}

/** Whether a line is as close to the one above as lines of one cell are. */
function isClose(row: TextRow, above: TextRow | undefined): boolean {
  return above !== undefined && row.y - above.y < row.size * 1.5;
}

function isWide(row: TextRow): boolean {
  return row.segments.length > 1;
}

/** Whether a row is an entry of a contents list. */
export function isEntry({ segments }: TextRow): boolean {
  const dots = segments.filter(({ line }) => /^[. ]+$/.test(line?.text ?? ""));
  return dots.length > 2 || segments.some(({ line }) => line !== undefined && hasLeader(line.text));
}

function linesOf(rows: readonly TextRow[], columns: readonly Column[], rules: readonly Rule[]): CellLine[] {
  const full = rows.findIndex(({ segments }) => segments.length === columns.length);
  const [left, right] = [columns[0]?.from ?? 0, columns.at(-1)?.to ?? 0];
  return rows.map(({ segments, y, size }, at) => {
    const cells: Line[][] = columns.map(() => []);
    const own = segments.flatMap(({ line }) => (line === undefined ? [] : [line]));
    const parts = own.length === 1 ? own : own.flatMap((line) => partsIn(columns, line));
    const places = placesIn(columns, parts, at < full);
    parts.forEach((line, index) => cells[places[index] ?? 0]?.push(line));
    const above = rows[at - 1]?.y ?? y;
    const covered = rules.reduce((sum, rule) => {
      const isBetween = rule.isAcross && rule.at > above && rule.at < y - size * 0.5;
      return isBetween ? sum + Math.max(0, Math.min(rule.to, right) - Math.max(rule.from, left)) : sum;
    }, 0);
    return { y, size, cells, isBelowRule: covered > (right - left) * MIN_RULED };
  });
}

function partsIn(columns: readonly Column[], line: Line): Line[] {
  const covered = columns.filter(({ from, to }) => line.x < to && line.right > from);
  const edges = covered.slice(1).map(({ from }, at) => (from + (covered[at]?.to ?? from)) / 2);
  if (edges.length === 0) return [line];
  const parts = line.runs.flatMap((run) => partsAt(run, edges));
  return [Number.NEGATIVE_INFINITY, ...edges].flatMap((edge, at) => {
    const own = parts.filter(
      ({ x, width }) => x + width / 2 > edge && !(x + width / 2 > (edges[at] ?? Number.POSITIVE_INFINITY)),
    );
    return own.length === 0 ? [] : [lineOf(own)];
  });
}

/** Whether aligned texts are cells: the columns are more than labels and the values or texts beside them. */
function isTable(lines: readonly CellLine[]): boolean {
  const [first] = lines;
  // Code with the numbers of its lines.
  if (
    lines.every(({ cells }) =>
      cells
        .slice(1)
        .flat()
        .every(({ isMono }) => isMono),
    )
  )
    return false;
  const isRuled = lines.some(({ isBelowRule }) => isBelowRule);
  const isHeaded =
    first?.cells.flat().every(({ isBold }) => isBold) === true &&
    !lines
      .at(-1)
      ?.cells.flat()
      .every(({ isBold }) => isBold);
  const numbers = lines.filter(({ cells }) => cells.some((cell, at) => at > 0 && isNumber(cell))).length;
  const columns = first?.cells.length ?? 0;
  const isLong = columns > 2 && lines.length * columns > MAX_LABELS;
  return isRuled || isHeaded || isLong || numbers >= lines.length / 3;
}
