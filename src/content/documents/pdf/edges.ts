import { type Span } from "./columns.ts";
import { type Run } from "./shapes.ts";

/** Lines above and below a gap with which it is compared. */
const NEIGHBOURS = 5;
/** The maximum distance between lines of a table, and that between the edges of cells in one column, in heights of the letters. */
const MAX_LEADING = 2.6;
const NEAR = 0.08;
/** The minimum number of other lines with the same gap, and of those whose texts begin or end at the same place. */
const MIN_OPEN = 3;
const MIN_ALIGNED = 2;
/** Maximum number of texts of a line of a PDF between which close cells are searched. */
const MAX_TEXTS = 500;

/** A text that the page writes by itself. */
interface Written extends Span {
  /** Whether it is a sign, such as the bullet before an item. */
  readonly isMark: boolean;
}

interface Row {
  readonly y: number;
  readonly size: number;
  /** From left to right. */
  readonly texts: readonly Written[];
}

/**
 * For each line, the left edges of cells that may be as close to the ones before as words are. At the same place, the
 * lines around have gaps too, and texts begin or end there.
 */
export function cellEdges(lines: readonly (readonly Run[])[]): ReadonlySet<number>[] {
  const rows = lines.map(rowOf);
  const sure = rows.map(({ texts }, at) => {
    return texts.filter((_text, index) => {
      const { aligned, open, covered } = around(rows, at, index);
      return aligned >= MIN_ALIGNED && open >= MIN_OPEN && covered * MIN_OPEN <= open;
    });
  });
  const places = sure.map((texts) => new Set(texts.map(({ x }) => x)));
  const isSure = new Set(sure.flat());
  return rows.map(({ texts }, at) => {
    // A row of cells has three or more. A label and the text beside it are two.
    if (!sure.slice(Math.max(0, at - NEIGHBOURS), at + NEIGHBOURS).some(({ length }) => length > 1)) return new Set();
    // The names of columns may be aligned in another way.
    const named = texts.filter(({ x }, index) => {
      const { next, covered } = around(rows, at, index);
      return !places[at]?.has(x) && covered === 0 && next.filter((one) => isSure.has(one)).length >= MIN_OPEN;
    });
    return new Set([...(places[at] ?? []), ...named.map(({ x }) => x)]);
  });
}

function rowOf(line: readonly Run[]): Row {
  const runs = line.length > MAX_TEXTS || line.some(({ isRtl, isMono }) => isRtl || isMono) ? [] : line;
  const texts = runs.flatMap(({ text, x, width, starts = [] }) => {
    return [...starts, { at: text.length, end: x + width }].map(({ at: to, end }, at) => {
      const from = starts[at - 1];
      const isMark = !/[\p{L}\p{N}]/u.test(text.slice(from?.at ?? 0, to));
      return { x: from?.x ?? x, right: end, isMark };
    });
  });
  return {
    y: line[0]?.y ?? 0,
    size: line.reduce((most, { size }) => Math.max(most, size), 0),
    texts: texts.toSorted((a, b) => a.x - b.x),
  };
}

/** Counts the lines around that have a gap before the same place, aligned texts beside it, or a text across it. */
function around(rows: readonly Row[], at: number, index: number) {
  const found = { aligned: 0, open: 0, covered: 0, next: [] as Written[] };
  const row = rows[at];
  const [left, right] = [row?.texts[index - 1], row?.texts[index]];
  if (row === undefined || left === undefined || right === undefined || left.isMark || right.isMark) return found;
  const near = row.size * NEAR;
  const middle = (left.right + right.x) / 2;
  for (const step of [-1, 1]) {
    for (let away = 1; away <= NEIGHBOURS; away += 1) {
      const [other, before] = [rows[at + away * step], rows[at + (away - 1) * step]];
      if (other === undefined || Math.abs(other.y - (before?.y ?? other.y)) > row.size * MAX_LEADING) break;
      const next = firstFrom(other.texts, right.x - near);
      const [a, b] = [other.texts[next - 1], other.texts[next]];
      if (a === undefined) continue;
      if (a.right > middle + near) found.covered += 1;
      else if (b !== undefined) {
        found.open += 1;
        found.next.push(b);
        const isEdge = Math.abs(b.x - right.x) < near;
        if (isEdge || (isAligned(a, left, near) && isAligned(b, right, near))) found.aligned += 1;
      }
    }
  }
  return found;
}

/** Whether two texts have the same left edge, right edge or middle. */
function isAligned(a: Written, b: Written, near: number): boolean {
  const [left, right] = [a.x - b.x, a.right - b.right];
  return [left, right, (left + right) / 2].some((away) => Math.abs(away) < near);
}

/** The index of the first text that begins at a place or after it. */
export function firstFrom(texts: readonly Span[], place: number): number {
  let [low, high] = [0, texts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((texts[middle]?.x ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}
