import { type CellLine } from "./cell-rows.ts";
import { MAX_COLUMNS } from "./columns.ts";
import { type Line, partsAt } from "./pieces.ts";
import { rowsOf, type Segment, segmentsOf } from "./segments.ts";
import { type Rule, type Run } from "./shapes.ts";
import { MAX_ROWS, type Table, tableOf } from "./tables.ts";

/** Points by which lines of a grid may miss each other. */
const TOUCH = 3;
/** Drawn lines of a PDF page in which tables are searched. A page with more lines is a drawing. */
const MAX_GRID_RULES = 2_000;
/** The minimum share of a grid's cells with text. Charts have less. */
const MIN_FILLED = 0.35;
/** The minimum share of a grid's texts that stand in rows with lines between columns. Slides with frames have less. */
const MIN_PARTED = 0.5;

/** Places of drawn lines, and the lines at each place. */
interface Grid {
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  readonly down: readonly (readonly Rule[])[];
  readonly across: readonly (readonly Rule[])[];
}

/** Takes the runs that are in grids of drawn lines. Returns a block for each grid, and the runs that are left. */
export function ruledTables(runs: readonly Run[], rules: readonly Rule[]): { tables: Segment[]; rest: readonly Run[] } {
  const tables: Segment[] = [];
  let rest = runs;
  for (const grid of gridsOf(rules)) {
    const inside = rest.filter((run) => isInside(run, grid));
    const table = tableOfGrid(inside, grid);
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

function isInside(run: Run, { xs, ys }: Grid): boolean {
  const [middle, height] = [run.x + run.width / 2, heightOf(run)];
  return middle > (xs[0] ?? 0) && middle < (xs.at(-1) ?? 0) && height > (ys[0] ?? 0) && height < (ys.at(-1) ?? 0);
}

/** About the middle of the small letters of a run. */
function heightOf({ y, size }: Run): number {
  return y - size * 0.3;
}

/** Groups of lines that touch each other. */
function gridsOf(rules: readonly Rule[]): Grid[] {
  const across = rules.filter(({ isAcross }) => isAcross);
  const down = rules.filter(({ isAcross }) => !isAcross);
  if (rules.length > MAX_GRID_RULES) return [];
  const groups = new Map<Rule, Rule[]>(rules.map((rule) => [rule, [rule]]));
  for (const a of across) {
    for (const b of down) {
      const isTouching =
        b.at >= a.from - TOUCH && b.at <= a.to + TOUCH && a.at >= b.from - TOUCH && a.at <= b.to + TOUCH;
      const [one = [], other = []] = [groups.get(a), groups.get(b)];
      if (!isTouching || one === other) continue;
      for (const rule of other) groups.set(rule, one);
      one.push(...other);
    }
  }
  return [...new Set(groups.values())].flatMap((group) => {
    const lines = placesOf(group.filter(({ isAcross }) => isAcross));
    const sides = placesOf(group.filter(({ isAcross }) => !isAcross));
    if (sides.length > MAX_COLUMNS || lines.length > MAX_ROWS) return [];
    return [{ xs: sides.map(placeOfRule), ys: lines.map(placeOfRule), down: sides, across: lines }];
  });
}

function placeOfRule([first]: readonly Rule[]): number {
  return first?.at ?? 0;
}

/** Groups of lines at the same place. */
function placesOf(rules: readonly Rule[]): Rule[][] {
  const places: Rule[][] = [];
  for (const rule of rules.toSorted((a, b) => a.at - b.at)) {
    if (rule.at - (places.at(-1)?.[0]?.at ?? Number.NEGATIVE_INFINITY) > TOUCH) places.push([]);
    places.at(-1)?.push(rule);
  }
  return places;
}

function isCrossed(rules: readonly Rule[] | undefined, place: number): boolean {
  return rules?.some(({ from, to }) => from < place && to > place) === true;
}

/** A line of a grid's cells, which are filled in later. */
type OpenLine = Omit<CellLine, "cells" | "isBelowRule"> & { readonly cells: Line[][] };

function tableOfGrid(runs: readonly Run[], grid: Grid): Table | undefined {
  const { xs, ys, down } = grid;
  const bands: OpenLine[][] = [];
  let parted = 0;
  for (const [band, bottom] of ys.slice(1).entries()) {
    const top = ys[band] ?? 0;
    const inBand = runs.filter((run) => heightOf(run) > top && heightOf(run) <= bottom);
    const starts = xs
      .slice(0, -1)
      .flatMap((_x, at) => (at === 0 || isCrossed(down[at], (top + bottom) / 2) ? [at] : []));
    if (starts.length > 1) parted += inBand.length;
    bands.push(linesOfBand(inBand, xs, starts));
    raiseCells(bands, grid, starts);
  }
  const lines = bands.flatMap((band) => {
    const filled = band.filter(({ cells }) => cells.some((cell) => cell.length > 0));
    return filled.map((line, at) => ({ ...line, isBelowRule: at === 0 }));
  });
  const written = tableOf(lines);
  const cells = written.rows.flat();
  const filled = cells.filter((cell) => cell.length > 0).length;
  if (parted < runs.length * MIN_PARTED || written.rows.length < 2 || filled < cells.length * MIN_FILLED || filled < 4)
    return undefined;
  return written;
}

/** The lines between two lines across a grid. `starts` are the columns that have a line at their left. */
function linesOfBand(runs: readonly Run[], xs: readonly number[], starts: readonly number[]): OpenLine[] {
  const edges = starts.map((start) => xs[start] ?? 0);
  const parts = runs.flatMap((run) => partsAt(run, edges));
  const columns = new Map<Segment, number>();
  for (const [at, start] of starts.entries()) {
    const [from = 0, to = Number.POSITIVE_INFINITY] = [at === 0 ? Number.NEGATIVE_INFINITY : edges[at], edges[at + 1]];
    const segments = segmentsOf(parts.filter((run) => placeOf(run) >= from && placeOf(run) < to));
    // Texts side by side are cells, even if no line is between them.
    const isOne = rowsOf(segments).every((row) => row.segments.length === 1);
    for (const segment of segments) {
      columns.set(
        segment,
        isOne
          ? start
          : Math.max(
              start,
              xs.findLastIndex((x) => x <= segment.x + 1),
            ),
      );
    }
  }
  return rowsOf([...columns.keys()]).map(({ segments, y, size }) => {
    const cells: Line[][] = xs.slice(1).map(() => []);
    for (const segment of segments) {
      if (segment.line !== undefined) cells[columns.get(segment) ?? 0]?.push(segment.line);
    }
    return { y, size, cells };
  });
}

/** The place of the first letter of a run. */
function placeOf({ x, width, isRtl }: Run): number {
  return isRtl ? x + width - 1 : x + 1;
}

/** Moves the texts of the last band into the cell above if no line is between both. */
function raiseCells(bands: readonly OpenLine[][], { xs, across }: Grid, starts: readonly number[]): void {
  const last = bands.length - 1;
  for (const [at, start] of starts.entries()) {
    const middle = ((xs[start] ?? 0) + (xs[starts[at + 1] ?? xs.length - 1] ?? 0)) / 2;
    let band = last;
    while (band > 0 && !isCrossed(across[band], middle)) band -= 1;
    const home = bands[band]?.find(({ cells }) => (cells[start]?.length ?? 0) > 0) ?? bands[band]?.[0];
    if (band === last || home === undefined) continue;
    for (const { cells } of bands[last] ?? []) home.cells[start]?.push(...(cells[start]?.splice(0) ?? []));
  }
}
