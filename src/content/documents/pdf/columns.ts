export interface Span {
  readonly x: number;
  readonly right: number;
}

/** The horizontal extent of a column's texts. */
export interface Column {
  from: number;
  to: number;
}

/** Maximum number of columns of a table in a PDF. The text of a larger table is read as paragraphs. */
export const MAX_COLUMNS = 40;
/** Points by which the left edges of a cell and of its column may differ. */
const ALIGNED = 2;

/**
 * The columns of rows of cells, from left to right. Rows with the most cells come first. Cells above these rows, and
 * cells across several columns, form no columns.
 */
export function columnsOf(rows: readonly (readonly Span[])[]): Column[] {
  const most = rows.reduce((length, row) => Math.max(length, row.length), 0);
  const head = rows.findIndex((row) => row.length === most);
  const columns: Column[] = [];
  const order = rows
    .map((cells, at) => ({ cells, isHead: at < head }))
    .toSorted((a, b) => b.cells.length - a.cells.length);
  for (const { cells, isHead } of order) {
    if (columns.length > MAX_COLUMNS) break;
    for (const { x, right } of cells) {
      const near = columns.filter(({ from, to }) => x < to && right > from);
      const [only] = near;
      if (near.length > 1) continue;
      if (only !== undefined) {
        only.from = Math.min(only.from, x);
        only.to = Math.max(only.to, right);
      } else if (!isHead) columns.push({ from: x, to: right });
    }
  }
  const sorted = columns.toSorted((a, b) => a.from - b.from);
  return sorted.length > most ? joinedNames(sorted, rows[head] ?? [], rows) : sorted;
}

/** Joins the name of a column with its values beside it, which may be aligned in another way. */
function joinedNames(columns: readonly Column[], names: readonly Span[], rows: readonly (readonly Span[])[]): Column[] {
  const isIn = (cells: readonly Span[], { from, to }: Column) => cells.some(({ x, right }) => x < to && right > from);
  const kinds = columns.map((column) => {
    const cells = rows.filter((row) => isIn(row, column)).length;
    return isIn(names, column) ? (cells === 1 ? "name" : "both") : cells > 1 ? "values" : "one";
  });
  const joined: Column[] = [];
  for (const [at, column] of columns.entries()) {
    const last = joined.at(-1);
    const pair = new Set(kinds.slice(at === 0 ? 0 : at - 1, at + 1));
    if (last !== undefined && pair.has("name") && pair.has("values")) {
      last.to = column.to;
      kinds[at] = "both";
    } else joined.push({ ...column });
  }
  return joined;
}

/**
 * The column of each cell of a row, which is the first one of a cell across several columns. A cell above the first full
 * row is the head of those free columns beside it that have the same middle.
 */
export function placesIn(columns: readonly Column[], cells: readonly Span[], isHead: boolean): number[] {
  const ranges = cells.map((cell) => rangeOf(columns, cell));
  return cells.map((cell, at) => {
    const [first, last] = ranges[at] ?? [0, 0];
    if (!isHead || Math.abs((columns[first]?.from ?? 0) - cell.x) < ALIGNED) return first;
    const middle = cell.x + cell.right;
    const awayOf = (from: number, to: number) => Math.abs((columns[from]?.from ?? 0) + (columns[to]?.to ?? 0) - middle);
    let [best, least] = [first, awayOf(first, last) - 2 * ALIGNED];
    for (let from = (ranges[at - 1]?.[1] ?? -1) + 1; from <= first; from += 1) {
      for (let to = last; to < (ranges[at + 1]?.[0] ?? columns.length); to += 1) {
        const away = awayOf(from, to);
        if (away < least) [best, least] = [from, away];
      }
    }
    return best;
  });
}

/** The first and the last column that a cell covers, or the two beside it. */
function rangeOf(columns: readonly Column[], { x, right }: Span): readonly [first: number, last: number] {
  const first = columns.findIndex(({ to }) => to > x);
  const last = columns.findLastIndex(({ from }) => from < right);
  if (first === -1 || last === -1) return [Math.max(last, 0), Math.max(last, 0)];
  return [Math.min(first, last), Math.max(first, last)];
}
