import { type Line } from "./pieces.ts";

/** A line of text in a table: the texts of its cells by column. */
export interface CellLine {
  readonly y: number;
  readonly size: number;
  readonly cells: readonly (readonly Line[])[];
  /** Whether a drawn line is above it. */
  readonly isBelowRule: boolean;
}

/** The maximum distance between lines of cells that stand at different heights of a row, in heights of the letters. */
const CLOSE = 0.8;
/** The minimum and maximum distances between lines of one cell, in heights of the letters. */
const MIN_LEADING = 0.9;
const MAX_LEADING = 1.5;
/** The minimum ratio of the distance between rows to that between lines of a cell. */
const ROW_FACTOR = 1.1;
/** The maximum share of further lines of rows that have a text in the first column. */
const MAX_FIRST = 0.5;
/** The maximum share of such lines that have a number below a number. */
const MAX_STACKED = 0.25;
/** The maximum share of such lines that have as many texts as the line above. */
const MAX_FULL = 0.5;

/** Groups the lines of a table into rows. */
export function groupedRows(lines: readonly CellLine[]): CellLine[][] {
  const startsRow = rowStarts(lines);
  const rows: CellLine[][] = [];
  for (const [at, line] of lines.entries()) {
    if (at === 0 || startsRow(at)) rows.push([line]);
    else rows.at(-1)?.push(line);
  }
  return rows;
}

function rowStarts(lines: readonly CellLine[]): (at: number) => boolean {
  const isBelowRule = (at: number) => lines[at]?.isBelowRule === true;
  const isRow = (at: number) => isBelowRule(at) || hasStackedNumbers(lines[at - 1], lines[at]);
  const parts = lines.flatMap((_line, at) => (at > 0 && !isBelowRule(at) ? [at] : []));
  const stacked = parts.filter(isRow).length;
  const full = parts.filter((at) => filledOf(lines[at]) > 1 && filledOf(lines[at]) >= filledOf(lines[at - 1])).length;
  const bands = lines.filter(({ isBelowRule: isFirst }) => isFirst).length;
  if (bands > 1 && stacked <= parts.length * MAX_STACKED && full <= parts.length * MAX_FULL) return isBelowRule;
  const gapOf = (at: number) => ((lines[at]?.y ?? 0) - (lines[at - 1]?.y ?? 0)) / (lines[at]?.size ?? 1);
  const leading = leadingIn(lines) * ROW_FACTOR;
  const isInside = (at: number) => gapOf(at) <= leading;
  const inside = parts.filter(isInside);
  // The lowest line of a row may be the only one with a text in the first column.
  let hasFirst = false;
  const hasSecond = lines.map(({ cells }, at) => {
    const isFirst = isFilled(cells[0]);
    const isSecond = isFirst && hasFirst && isInside(at);
    hasFirst = isFirst || (hasFirst && isInside(at));
    return isSecond;
  });
  const filled = inside.filter((at) => hasSecond[at] === true || isRow(at));
  // Values beside the lowest line of a label.
  const isBelowLabel = (at: number) => !isRow(at) && filledOf(lines[at - 1]) === 1 && isFilled(lines[at - 1]?.cells[0]);
  const isParted = leading < MAX_LEADING * ROW_FACTOR && inside.length < parts.length;
  if (isParted && (filled.length <= inside.length * MAX_FIRST || filled.every(isBelowLabel)))
    return (at) => isRow(at) || !isInside(at);
  return (at) => isRow(at) || (gapOf(at) >= CLOSE && (isFilled(lines[at]?.cells[0]) || gapOf(at) > MAX_LEADING));
}

function filledOf(line: CellLine | undefined): number {
  return line?.cells.filter(isFilled).length ?? 0;
}

/** The least distance between two lines of a column, in heights of the letters. */
function leadingIn(lines: readonly CellLine[]): number {
  const last: number[] = [];
  let least = Number.POSITIVE_INFINITY;
  for (const { y, size, cells } of lines) {
    for (const [column, cell] of cells.entries()) {
      if (cell.length === 0) continue;
      const gap = (y - (last[column] ?? Number.NEGATIVE_INFINITY)) / size;
      if (gap > MIN_LEADING) least = Math.min(least, gap);
      last[column] = y;
    }
  }
  return least;
}

function isFilled(cell: readonly Line[] | undefined): boolean {
  return cell !== undefined && cell.length > 0;
}

/** Whether a number stands directly below another one in a column. Texts are wrapped, but numbers are not. */
function hasStackedNumbers(above: CellLine | undefined, below: CellLine | undefined): boolean {
  return below?.cells.some((cell, column) => isNumber(cell) && isNumber(above?.cells[column])) === true;
}

/** Whether a cell is a number, with or without a short unit. */
export function isNumber(cell: readonly Line[] | undefined): boolean {
  const text = cell?.map((line) => line.text).join(" ") ?? "";
  return /\d/.test(text) && !/\p{L}{3}/u.test(text) && text.length < 20;
}
