import { hasLeader } from "./labels.ts";
import { type Line, lineOf, paragraphOf } from "./pieces.ts";
import { type TextRow, rowsOf, type Segment, segmentsOf } from "./segments.ts";
import { type Block, type Piece, type Rule, type Run } from "./shapes.ts";

/** Points by which lines of a grid may miss each other. */
const TOUCH = 3;
/** Maximum number of columns and rows of a table in a PDF. The text of a larger table is read as paragraphs. */
const MAX_COLUMNS = 40;
const MAX_ROWS = 1_000;
/** Drawn lines of a PDF page in which tables are searched. A page with more lines is a drawing. */
const MAX_GRID_RULES = 2_000;
/** The minimum share of a grid's cells with text. Charts have less. */
const MIN_FILLED = 0.35;
/** The minimum share of a grid's texts that stand in rows with lines between columns. Slides with frames have less. */
const MIN_PARTED = 0.5;
/** The maximum distance between rows of a table without lines, in heights of the letters. */
const ROW_GAP = 2.6;
/** The minimum gaps of a table of two rows without lines, in heights of the letters. */
const FAR = 1.6;
/** The maximum distance between lines of cells that stand at different heights of a row, in heights of the letters. */
const CLOSE = 0.8;

type Table = Extract<Block, { kind: "table" }>;

interface Grid {
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  /** The lines between columns. */
  readonly down: readonly Rule[];
}

/** Takes the runs that are in grids of drawn lines. Returns a block for each grid, and the runs that are left. */
export function ruledTables(runs: readonly Run[], rules: readonly Rule[]): { tables: Segment[]; rest: readonly Run[] } {
  const tables: Segment[] = [];
  let rest = runs;
  for (const grid of gridsOf(rules)) {
    const inside = rest.filter((run) => isInside(run, grid));
    const table = inside.length === 0 ? undefined : tableOfGrid(inside, grid);
    if (table === undefined) continue;
    tables.push(segmentOfTable(table, grid));
    const taken = new Set(inside);
    rest = rest.filter((run) => !taken.has(run));
  }
  return { tables, rest };
}

function segmentOfTable(block: Table, { xs, ys }: Grid): Segment {
  const [x = 0, right = 0, top = 0, bottom = 0] = [xs[0], xs.at(-1), ys[0], ys.at(-1)];
  return { x, right, top, bottom, y: (top + bottom) / 2, size: 10, line: undefined, block };
}

function isInside({ x, y, width, size }: Run, { xs, ys }: Grid): boolean {
  const [middle, height] = [x + width / 2, y - size * 0.3];
  return middle > (xs[0] ?? 0) && middle < (xs.at(-1) ?? 0) && height > (ys[0] ?? 0) && height < (ys.at(-1) ?? 0);
}

/** Groups of lines that touch each other and form at least two rows and two columns. */
function gridsOf(rules: readonly Rule[]): Grid[] {
  const across = rules.filter(({ isAcross }) => isAcross);
  const down = rules.filter(({ isAcross }) => !isAcross);
  if (across.length < 2 || down.length < 2 || rules.length > MAX_GRID_RULES) return [];
  const groups = new Map<Rule, Rule[]>(rules.map((rule) => [rule, [rule]]));
  for (const a of across) {
    for (const b of down) {
      const isTouching =
        b.at >= a.from - TOUCH && b.at <= a.to + TOUCH && a.at >= b.from - TOUCH && a.at <= b.to + TOUCH;
      const [one = [], other = []] = [groups.get(a), groups.get(b)];
      if (!isTouching || one === other) continue;
      const [large, small] = one.length >= other.length ? [one, other] : [other, one];
      for (const rule of small) groups.set(rule, large);
      large.push(...small);
    }
  }
  return [...new Set(groups.values())].flatMap((group) => {
    const ys = placesOf(group.filter(({ isAcross }) => isAcross));
    const sides = group.filter(({ isAcross }) => !isAcross);
    const xs = placesOf(sides);
    const fits = xs.length >= 3 && ys.length >= 2 && xs.length <= MAX_COLUMNS && ys.length <= MAX_ROWS;
    return fits ? [{ xs, ys, down: sides }] : [];
  });
}

function placesOf(rules: readonly Rule[]): number[] {
  const places: number[] = [];
  for (const at of rules.map((rule) => rule.at).toSorted((a, b) => a - b)) {
    if (places.length === 0 || at - (places.at(-1) ?? 0) > TOUCH) places.push(at);
  }
  return places;
}

function tableOfGrid(runs: readonly Run[], grid: Grid): Table | undefined {
  const columns = grid.xs.length - 1;
  const rows: Run[][][] = [];
  let parted = 0;
  for (let band = 0; band + 1 < grid.ys.length; band += 1) {
    const [top = 0, bottom = 0] = [grid.ys[band], grid.ys[band + 1]];
    const inBand = runs.filter(({ y, size }) => y - size * 0.3 > top && y - size * 0.3 <= bottom);
    if (inBand.length === 0) continue;
    const cells = cellsOf(inBand, grid.xs);
    if (isParted(grid, (top + bottom) / 2)) parted += inBand.length;
    rows.push(cells);
  }
  const filled = rows.reduce((sum, row) => sum + row.filter((cell) => cell.length > 0).length, 0);
  if (parted < runs.length * MIN_PARTED || rows.length < 2 || filled < rows.length * columns * MIN_FILLED || filled < 4)
    return undefined;
  return { kind: "table", caption: [], rows: rows.map((row) => row.map(cellText)) };
}

/** Whether a line between columns crosses a height. Frames around a page have no such line. */
function isParted({ xs, down }: Grid, y: number): boolean {
  const [first = 0, last = 0] = [xs[0], xs.at(-1)];
  return down.some(({ at, from, to }) => at > first + TOUCH && at < last - TOUCH && from < y && to > y);
}

function cellsOf(runs: readonly Run[], xs: readonly number[]): Run[][] {
  const cells: Run[][] = Array.from({ length: xs.length - 1 }, () => []);
  for (const run of runs) {
    const place = run.isRtl ? run.x + run.width - 1 : run.x + 1;
    const after = xs.findIndex((x) => x > place);
    cells[Math.min(Math.max(after - 1, 0), cells.length - 1)]?.push(run);
  }
  return cells;
}

function linesOfCell(runs: readonly Run[]): Line[] {
  return rowsOf(segmentsOf(runs)).map(({ segments }) => lineOf(segments.flatMap(({ line }) => line?.runs ?? [])));
}

const NO_COMPOUNDS: ReadonlySet<string> = new Set();

function cellText(runs: readonly Run[]): Piece[] {
  return paragraphOf(linesOfCell(runs), NO_COMPOUNDS);
}

interface Column {
  from: number;
  to: number;
}

/** The table that begins at a row, if texts are aligned in columns. `length` counts rows. */
export function alignedTable(rows: readonly TextRow[], at: number): { block: Table; length: number } | undefined {
  const columns: Column[] = [];
  let length = 0;
  const taken: TextRow[] = [];
  for (; at + length < rows.length && length < MAX_ROWS; length += 1) {
    const row = rows[at + length];
    const above = rows[at + length - 1];
    if (row === undefined || row.segments.some(({ block }) => block !== undefined) || isEntry(row)) break;
    if (length > 0 && above !== undefined && row.y - above.y > ROW_GAP * row.size) break;
    if (!takesRow(columns, row)) break;
    taken.push(row);
  }
  while (length > 0 && !isWide(taken.at(-1)) && !isClose(taken.at(-1), taken.at(-2))) {
    taken.pop();
    length -= 1;
  }
  const wide = taken.filter(isWide).length;
  const least = columns.length > 2 && taken.length === wide && taken.every(isCells) ? 2 : 3;
  if (columns.length < 2 || wide < least || wide < taken.length * 0.5) return undefined;
  return { block: { kind: "table", caption: [], rows: joinedRows(taken, columns) }, length };
}

/** Whether a row has cells: some are numbers, or all gaps are too wide for words of a justified line. */
function isCells({ segments, size }: TextRow, at: number): boolean {
  const numbers = segments.filter(({ line }) => /\d/.test(line?.text ?? "") && !/\p{L}/u.test(line?.text ?? ""));
  if (at > 0 && numbers.length > 1) return true;
  return segments.every(({ x }, index) => index === 0 || x - (segments[index - 1]?.right ?? 0) > size * FAR);
}

/** Whether a line is closer to the one above than lines of one text are, as beside a cell in the middle of its row. */
function isClose(row: TextRow | undefined, above: TextRow | undefined): boolean {
  return row !== undefined && above !== undefined && row.y - above.y < row.size * CLOSE;
}

function isWide(row: TextRow | undefined): boolean {
  return row !== undefined && row.segments.length > 1;
}

/** Whether a row is an entry in a table of contents. */
function isEntry({ segments }: TextRow): boolean {
  return segments.some(({ line }) => line !== undefined && hasLeader(line.text));
}

/** Extends the columns by a row. Rejects a row with text across two columns. */
function takesRow(columns: Column[], { segments }: TextRow): boolean {
  const widened = columns.map((column) => ({ ...column }));
  for (const { x, right, size } of segments) {
    const near = widened.filter(({ from, to }) => x < to + size * 0.3 && right > from - size * 0.3);
    const [only] = near;
    if (near.length > 1 || (columns.length > 0 && segments.length === 1 && only === undefined)) return false;
    if (only === undefined) widened.push({ from: x, to: right });
    else {
      only.from = Math.min(only.from, x);
      only.to = Math.max(only.to, right);
    }
  }
  if (widened.length > MAX_COLUMNS) return false;
  widened.sort((a, b) => a.from - b.from);
  if (widened.some(({ to }, index) => to > (widened[index + 1]?.from ?? Number.POSITIVE_INFINITY))) return false;
  columns.splice(0, columns.length, ...widened);
  return true;
}

/** The cells of the rows. A row with an empty first column continues the cells above. */
function joinedRows(rows: readonly TextRow[], columns: readonly Column[]): (readonly Piece[])[][] {
  const cells: Line[][][] = [];
  let above: TextRow | undefined;
  for (const row of rows) {
    const lines: Line[][] = columns.map(() => []);
    for (const { x, right, line } of row.segments) {
      const at = columns.findIndex(({ from, to }) => x < to && right > from);
      if (line !== undefined) lines[at]?.push(line);
    }
    const last = cells.at(-1);
    const goesOn =
      isClose(row, above) || (above !== undefined && lines[0]?.length === 0 && row.y - above.y < row.size * 1.5);
    if (goesOn && last !== undefined) lines.forEach((cell, at) => last[at]?.push(...cell));
    else cells.push(lines);
    above = row;
  }
  return cells.map((row) => row.map((lines) => paragraphOf(lines, NO_COMPOUNDS)));
}
