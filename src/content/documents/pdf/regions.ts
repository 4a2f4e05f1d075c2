import { type Segment } from "./segments.ts";
import { median } from "./shapes.ts";

/** Maximum number of levels of nested columns on a page of a PDF. */
const MAX_DEPTH = 5;
/** The minimum width of the gutter between columns, in heights of the letters. */
const MIN_GUTTER = 0.8;
/** The minimum number of lines on each side of a gutter. With fewer it may be a table. */
const MIN_LINES = 3;
/**
 * Minimum letters of a line of running text, or its minimum length in heights of its letters, and the minimum share of
 * such lines.
 */
const MIN_LETTERS = 18;
const MIN_EMS = 9;
const MIN_LONG = 0.25;
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
  const gutter = bestGutter(segments);
  if (gutter === undefined) return [[...segments]];
  return bandsOf(segments, gutter).flatMap((band) => {
    if (!band.isColumns) return [band.segments];
    const sides = [
      band.segments.filter(({ right }) => right <= gutter.from),
      band.segments.filter(({ x }) => x >= gutter.to),
    ];
    const inOrder = isRtl ? sides.toReversed() : sides;
    return inOrder.flatMap((side) => regionsOf(side, isRtl, depth + 1));
  });
}

/** The gutter that separates the most lines of running text. */
function bestGutter(segments: readonly Segment[]): Gutter | undefined {
  let best: { gutter: Gutter; parted: number } | undefined;
  for (const gutter of guttersOf(segments)) {
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
        if (at - from >= size * MIN_GUTTER) gutters.push({ from: left + from, to: left + at });
        from = -1;
      }
    }
  }
  return gutters.toSorted((a, b) => b.to - b.from - (a.to - a.from)).slice(0, MAX_GUTTERS);
}

/** The parts of a page from top to bottom: lines that span the gutter, and the parts between them. */
function bandsOf(segments: readonly Segment[], gutter: Gutter): Band[] {
  const bands: Band[] = [];
  let current: Segment[] = [];
  const end = () => {
    if (current.length > 0) bands.push({ segments: current, isColumns: isInColumns(current, gutter) });
    current = [];
  };
  for (const segment of segments.toSorted((a, b) => a.top - b.top)) {
    const spans = segment.x < gutter.to && segment.right > gutter.from;
    if (!spans) {
      current.push(segment);
      continue;
    }
    end();
    const last = bands.at(-1);
    if (last !== undefined && !last.isColumns) last.segments.push(segment);
    else bands.push({ segments: [segment], isColumns: false });
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

function isInColumns(segments: readonly Segment[], { from, to }: Gutter): boolean {
  const left = segments.filter(({ right }) => right <= from);
  const right = segments.filter(({ x }) => x >= to);
  return [left, right].every((side) => side.length >= MIN_LINES && isProse(side));
}

/** Whether lines are filled with words, unlike the lines of cells. */
function isProse(side: readonly Segment[]): boolean {
  const left = side.reduce((least, { x }) => Math.min(least, x), Number.POSITIVE_INFINITY);
  const width = side.reduce((most, segment) => Math.max(most, segment.right), 0) - left;
  const long = side.filter(({ x, right, size, line }) => {
    const isLong = (line?.text.length ?? 0) >= MIN_LETTERS || (right - x) / size >= MIN_EMS;
    return isLong && (right - x) / width > 0.5;
  });
  return long.length >= 2 && long.length >= side.length * MIN_LONG;
}
