import { columnsOf } from "./columns.ts";
import { labelOf } from "./labels.ts";
import { rowsOf, type Segment } from "./segments.ts";
import { median } from "./shapes.ts";
import { isEntry } from "./tables.ts";

/** Maximum number of levels of nested columns on a page of a PDF. */
const MAX_DEPTH = 5;
/** The minimum width of the gutter between columns, in heights of the letters. */
const MIN_GUTTER = 0.8;
/** The minimum number of lines on each side of a gutter. With fewer it may be a table. */
const MIN_LINES = 3;
/**
 * Minimum letters of a line of running text, or its minimum length in heights of its letters. The line fills at least
 * this part of its column, and at least this share of the lines are such lines.
 */
const MIN_LETTERS = 18;
const MIN_EMS = 9;
const MIN_FILLED = 0.7;
const MIN_LONG = 0.3;
/**
 * Two texts that are not running text are columns if fewer than this share of their lines stand beside one another.
 * The lines of cells do.
 */
const MAX_BESIDE = 0.5;
/** The minimum share of lines beside one another in rows of cells. */
const MIN_BESIDE = 0.9;
/** The minimum number of lines of such texts, and the minimum gap between them in heights of the letters. */
const MIN_LIST_LINES = 4;
const MIN_LIST_GUTTER = 1.5;
/** The minimum numbers of rows of two texts that are cells, and of those below a head in bold letters. */
const MIN_ROWS = 5;
const MIN_HEADED_ROWS = 3;
/** The minimum ratio of the distance between rows to that between the lines of a text. */
const ROW_FACTOR = 1.1;
/** The minimum share of such rows whose texts are aligned, and by how much those may miss each other, in heights of the letters. */
const MIN_ALIGNED = 0.8;
const ALIGNED = 0.3;
/** The minimum number of rows of three or more cells. */
const MIN_SHEET_ROWS = 3;
const MIN_WIDE = 0.5;
/** Maximum number of positions on a PDF page that are tested as the gap between two columns. */
const MAX_GUTTERS = 8;

interface Gutter {
  readonly from: number;
  readonly to: number;
}

interface Band {
  readonly segments: Segment[];
  /** Whether its text is written in columns on both sides. */
  readonly isColumns: boolean;
}

/** The parts of a page in reading order: column after column, with the parts that span columns between them. */
export function regionsOf(segments: readonly Segment[], isRtl: boolean, depth = 0): Segment[][] {
  if (segments.length < MIN_LINES * 2 || depth >= MAX_DEPTH) return segments.length === 0 ? [] : [[...segments]];
  const gutters = guttersOf(segments);
  const rows = cellsIn(segments, gutters);
  if (rows !== undefined) {
    const [top, bottom] = [Math.min(...rows.map(({ y }) => y)), Math.max(...rows.map(({ y }) => y))];
    const [above, below] = [segments.filter(({ y }) => y < top), segments.filter(({ y }) => y > bottom)];
    const inside = segments.filter(({ y }) => y >= top && y <= bottom);
    return [...regionsOf(above, isRtl, depth + 1), inside, ...regionsOf(below, isRtl, depth + 1)];
  }
  const gutter = bestGutter(segments, gutters);
  if (gutter === undefined) return [[...segments]];
  return bandsOf(segments, gutter).flatMap((band) => {
    if (!band.isColumns) return [band.segments];
    const sides = sidesOf(band.segments, gutter);
    const inOrder = isRtl ? sides.toReversed() : sides;
    return inOrder.flatMap((side) => regionsOf(side, isRtl, depth + 1));
  });
}

/** The gutter that separates the most lines of running text. */
function bestGutter(segments: readonly Segment[], gutters: readonly Gutter[]): Gutter | undefined {
  let best: { gutter: Gutter; parted: number } | undefined;
  for (const gutter of gutters) {
    const bands = bandsOf(segments, gutter).filter(({ isColumns }) => isColumns);
    const parted = bands.reduce((sum, band) => sum + band.segments.length, 0);
    if (parted > (best?.parted ?? 0)) best = { gutter, parted };
  }
  return best?.gutter;
}

/** Vertical strips of the page that few lines cover, the widest first. */
function guttersOf(segments: readonly Segment[]): Gutter[] {
  const left = Math.floor(segments.reduce((least, { x }) => Math.min(least, x), Number.POSITIVE_INFINITY));
  const right = Math.ceil(segments.reduce((most, segment) => Math.max(most, segment.right), 0));
  const width = Math.min(right - left, 20_000);
  if (width < 50) return [];
  const changes = new Float64Array(width + 2);
  for (const { x, right: end } of segments) {
    const from = Math.max(0, Math.floor(x - left));
    const to = Math.min(width, Math.ceil(end - left));
    changes[from] = (changes[from] ?? 0) + 1;
    changes[to] = (changes[to] ?? 0) - 1;
  }
  const covered = Array.from(changes);
  for (let at = 1; at < covered.length; at += 1) covered[at] = (covered[at] ?? 0) + (covered[at - 1] ?? 0);
  const size = median(segments.map((segment) => segment.size));
  const gutters: Gutter[] = [];
  // Titles, figures and tables span columns, but most lines do not.
  for (const share of [0, 0.06, 0.15, 0.3]) {
    const most = segments.length * share;
    let from = -1;
    for (let at = Math.floor(width * 0.12); at <= width * 0.88; at += 1) {
      const isFree = (covered[at] ?? 0) <= most;
      if (isFree && from === -1) from = at;
      if ((!isFree || at + 1 > width * 0.88) && from !== -1) {
        if (at - from >= size * MIN_GUTTER) gutters.push(emptiest(covered, from, at, size * MIN_GUTTER));
        from = -1;
      }
    }
  }
  return gutters
    .map(({ from, to }) => ({ from: left + from, to: left + to }))
    .toSorted((a, b) => b.to - b.from - (a.to - a.from))
    .slice(0, MAX_GUTTERS);
}

/** The part of a strip that the fewest lines cover, if it is wide enough. */
function emptiest(covered: readonly number[], from: number, to: number, least: number): Gutter {
  const fewest = Math.min(...covered.slice(from, to));
  const [first, last] = [covered.indexOf(fewest, from), covered.lastIndexOf(fewest, to - 1)];
  const isOne = covered.slice(first, last + 1).every((count) => count === fewest);
  return isOne && last + 1 - first >= least ? { from: first, to: last + 1 } : { from, to };
}

/** The parts of a page from top to bottom: lines and tables that span the gutter, and the parts between them. */
function bandsOf(segments: readonly Segment[], gutter: Gutter): Band[] {
  const bands: Band[] = [];
  let current: Segment[] = [];
  const end = () => {
    if (current.length > 0) bands.push({ segments: current, isColumns: isInColumns(current, gutter) });
    current = [];
  };
  for (const segment of segments.toSorted((a, b) => a.top - b.top)) {
    if (!spans(segment, gutter)) {
      current.push(segment);
      continue;
    }
    end();
    bands.push({ segments: [segment], isColumns: false });
  }
  end();
  // A part without columns is joined to the part above, so that a table is not split.
  return bands.reduce<Band[]>((joined, band) => {
    const last = joined.at(-1);
    if (last !== undefined && !last.isColumns && !band.isColumns) last.segments.push(...band.segments);
    else joined.push(band);
    return joined;
  }, []);
}

function spans({ x, right }: Segment, gutter: Gutter): boolean {
  return x < gutter.to && right > gutter.from;
}

function sidesOf(segments: readonly Segment[], { from, to }: Gutter): [left: Segment[], right: Segment[]] {
  return [segments.filter(({ right }) => right <= from), segments.filter(({ x }) => x >= to)];
}

function isInColumns(segments: readonly Segment[], gutter: Gutter): boolean {
  const sides = sidesOf(segments, gutter);
  if (sides.some((side) => side.length < MIN_LINES)) return false;
  return sides.every(isProse) || areLists(sides, gutter);
}

/** Whether texts are rows of three or more cells, most of which are shorter than lines of running text. */
function isSheet(segments: readonly Segment[]): boolean {
  const lines = rowsOf(segments);
  const rows = lines.map((row) => row.segments);
  const isList = segments.every(({ line }) => labelOf(line?.text ?? "") !== undefined);
  const wide = rows.filter(({ length }) => length > 2).length;
  if (isList || lines.some(isEntry) || wide < MIN_SHEET_ROWS || wide < rows.length * MIN_WIDE) return false;
  const columns = columnsOf(rows).map(({ from, to }) => segments.filter(({ x, right }) => x < to && right > from));
  return columns.length > 2 && !columns.some(isFilled);
}

/** Whether most lines of a column are words, and about as long as its longest one. */
function isFilled(column: readonly Segment[]): boolean {
  const widest = Math.max(...column.map(({ x, right }) => right - x));
  const long = column.filter(
    ({ x, right, line }) => /\S\s+\S+\s+\S/.test(line?.text ?? "") && right - x > widest * MIN_FILLED,
  );
  return long.length > column.length / 2;
}

/** The part of a page that has the cells of rows, which are as long as lines of running text. */
function cellsIn(segments: readonly Segment[], gutters: readonly Gutter[]): readonly Segment[] | undefined {
  for (const gutter of gutters) {
    for (const { segments: band, isColumns } of bandsOf(segments, gutter)) {
      const sides = sidesOf(band, gutter);
      if (isColumns && ((besideIn(sides) >= MIN_BESIDE && isSheet(band)) || areCells(sides))) return band;
    }
  }
  return undefined;
}

/** Whether two texts are the cells of rows: strips without text part both of them at the same heights. */
function areCells(sides: readonly (readonly Segment[])[]): boolean {
  const leading = Math.max(...sides.map((side) => median(gapsOf(side))));
  const lines = sides.flatMap((side, at) => side.map((segment) => ({ segment, side: at })));
  const bands: (typeof lines)[] = [];
  for (const line of lines.toSorted((a, b) => a.segment.y - b.segment.y)) {
    const above = bands.at(-1)?.at(-1)?.segment.y ?? Number.NEGATIVE_INFINITY;
    if (line.segment.y - above > leading * ROW_FACTOR) bands.push([]);
    bands.at(-1)?.push(line);
  }
  const rows = bands.filter((band) => new Set(band.map(({ side }) => side)).size > 1);
  if (rows.filter(isAligned).length < rows.length * MIN_ALIGNED) return false;
  const isBold = rows.map((row) => row.every(({ segment }) => segment.line?.isBold === true));
  // A head in bold letters, and no headings below it.
  return rows.length >= (isBold.lastIndexOf(true) === 0 ? MIN_HEADED_ROWS : MIN_ROWS);
}

/** Whether the texts on both sides of a row begin at the same height or have the same middle, as those of cells. */
function isAligned(row: readonly { readonly segment: Segment; readonly side: number }[]): boolean {
  const places = [0, 1].map((at) => {
    const ys = row.filter(({ side }) => side === at).map(({ segment }) => segment.y);
    const top = Math.min(...ys);
    return { top, middle: (top + Math.max(...ys)) / 2 };
  });
  const [left, right] = places;
  const near = (row[0]?.segment.size ?? 0) * ALIGNED;
  const isNear = (a = 0, b = 0) => Math.abs(a - b) < near;
  return isNear(left?.top, right?.top) || isNear(left?.middle, right?.middle);
}

/** The distances between the lines of a text. */
function gapsOf(side: readonly Segment[]): number[] {
  const ys = side.map(({ y }) => y).toSorted((a, b) => a - b);
  return ys.map((y, at) => y - (ys[at - 1] ?? y)).filter((gap) => gap > 1);
}

/** Whether two texts in short lines are independent: their lines do not share baselines. */
function areLists([left, right]: [Segment[], Segment[]], { from, to }: Gutter): boolean {
  const [few, many] = left.length < right.length ? [left, right] : [right, left];
  if (few.length < MIN_LIST_LINES || to - from < MIN_LIST_GUTTER * median(few.map(({ size }) => size))) return false;
  const ys = many.map(({ y }) => y).toSorted((a, b) => a - b);
  const [top = 0, bottom = 0] = [ys[0], ys.at(-1)];
  // Such as the address of a sender above that of the recipient.
  if (few.filter(({ y }) => y >= top - 1 && y <= bottom + 1).length < few.length / 2) return false;
  return besideIn([left, right]) < MAX_BESIDE;
}

/** The share of the lines of the shorter of two texts that stand beside a line of the other one. */
function besideIn([left, right]: [Segment[], Segment[]]): number {
  const [few, many] = left.length < right.length ? [left, right] : [right, left];
  const ys = many.map(({ y }) => y).toSorted((a, b) => a - b);
  let [beside, at] = [0, 0];
  for (const { y, size } of few.toSorted((a, b) => a.y - b.y)) {
    while ((ys[at] ?? Number.POSITIVE_INFINITY) < y - size * 0.15) at += 1;
    if ((ys[at] ?? Number.POSITIVE_INFINITY) <= y + size * 0.15) beside += 1;
  }
  return beside / few.length;
}

/** About where a line begins. Lines of one column begin at the same place. */
function placeOf({ x, size }: Segment): number {
  return Math.round(x / (size * 3));
}

/** Whether lines are filled with words, unlike the lines of cells. */
function isProse(side: readonly Segment[]): boolean {
  // A side may have several columns.
  const widths = new Map<number, number>();
  for (const segment of side) {
    const place = placeOf(segment);
    widths.set(place, Math.max(widths.get(place) ?? 0, segment.right - segment.x));
  }
  const long = side.filter((segment) => {
    const { x, right, size, line } = segment;
    const isLong = (line?.text.length ?? 0) >= MIN_LETTERS || (right - x) / size >= MIN_EMS;
    return isLong && right - x > (widths.get(placeOf(segment)) ?? 0) * MIN_FILLED;
  });
  return long.length >= 2 && long.length >= side.length * MIN_LONG;
}
