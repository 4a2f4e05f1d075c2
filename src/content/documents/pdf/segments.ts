import { cellEdges, firstFrom } from "./edges.ts";
import { type Line, lineOf, partsFrom, RAISED } from "./pieces.ts";
import { type Block, type Run } from "./shapes.ts";

/** The minimum gap between columns within a line, in heights of the letters. */
const COLUMN_GAP = 0.85;
/** The minimum gap between two numbers in columns, in heights of the letters. */
const AMOUNT_GAP = 0.45;
/** The maximum distance between baselines of one line, in heights of the letters. */
const BASELINE_SPREAD = 0.25;

/** The maximum gap between words of justified lines, in heights of the letters. */
const MAX_WORD_GAP = 4;
/** The maximum distance between the edges of texts in one column, in heights of the letters. */
const MAX_SHIFT = 0.25;
/** Maximum number of lines of a PDF above and below a gap with which it is compared. */
const MAX_NEIGHBOURS = 4;

/** Maximum number of runs of a line of a PDF in which raised letters are searched. */
const MAX_RAISED = 500;

/** A part of a line without wide gaps, or a finished block at its position. */
export interface Segment {
  readonly x: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly y: number;
  readonly size: number;
  readonly line: Line | undefined;
  readonly block: Block | undefined;
}

/** Segments on one line, from left to right. */
export interface TextRow extends Pick<Segment, "y" | "top" | "bottom" | "size"> {
  readonly segments: readonly Segment[];
}

/** Runs as lines from top to bottom, each split at wide gaps and between cells. */
export function segmentsOf(runs: readonly Run[]): Segment[] {
  const lines = joinedRaised(linesOfRuns(runs));
  const edges = cellEdges(lines);
  return lines.flatMap((line, at) => partsOf(line, edges[at] ?? new Set()));
}

function linesOfRuns(runs: readonly Run[]): Run[][] {
  const lines: Run[][] = [];
  let line: Run[] = [];
  let base: Run | undefined;
  for (const run of runs.toSorted((a, b) => a.y - b.y)) {
    if (base !== undefined && run.y - base.y > BASELINE_SPREAD * Math.max(base.size, run.size)) {
      lines.push(line);
      line = [];
      base = undefined;
    }
    line.push(run);
    if (base === undefined || run.size > base.size) base = run;
  }
  if (line.length > 0) lines.push(line);
  return lines;
}

/** Moves raised and lowered letters, which have their own baselines, into the line that they touch. */
function joinedRaised(lines: readonly Run[][]): Run[][] {
  const joined: Run[][] = [];
  for (const [at, line] of lines.entries()) {
    const above = joined.at(-1);
    const below = lines[at + 1];
    if (line.length > MAX_RAISED) {
      joined.push([...line]);
      continue;
    }
    const rest = line.filter((run) => {
      const home = [below, above].find((other) => other?.some((neighbour) => isRaisedAt(run, neighbour)) === true);
      home?.push(run);
      return home === undefined;
    });
    if (rest.length > 0) joined.push(rest);
  }
  return joined;
}

function isRaisedAt(run: Run, neighbour: Run): boolean {
  const { size } = neighbour;
  if (run.size > size * RAISED || run.y < neighbour.y - size * 0.75 || run.y > neighbour.y + size * 0.5) return false;
  const gap = Math.max(run.x - neighbour.x - neighbour.width, neighbour.x - run.x - run.width);
  return gap < size * 0.4 && gap > -size;
}

function partsOf(line: readonly Run[], edges: ReadonlySet<number>): Segment[] {
  const runs = edges.size === 0 ? line : line.flatMap((run) => partsFrom(run, edges));
  const segments: Segment[] = [];
  let part: Run[] = [];
  let right = Number.NEGATIVE_INFINITY;
  for (const run of runs.toSorted((a, b) => a.x - b.x)) {
    const size = part.at(-1)?.size ?? run.size;
    // A heading may stand beside a line of the next column, which has smaller letters.
    const least = isAmount(run) && isAmount(part.at(-1)) ? AMOUNT_GAP : COLUMN_GAP;
    const isWide = run.x - right > least * Math.max(Math.min(run.size, size), size * 0.7);
    if (part.length > 0 && (isWide || edges.has(run.x))) {
      segments.push(segmentOf(part));
      part = [];
      right = Number.NEGATIVE_INFINITY;
    }
    part.push(run);
    right = Math.max(right, run.x + run.width);
  }
  if (part.length > 0) segments.push(segmentOf(part));
  return segments;
}

/** Whether a run is a number with two or more digits, as in columns of amounts. */
function isAmount(run: Run | undefined): boolean {
  return run !== undefined && /^[-+\u2212(]?[\p{Sc}\s]*\d[\d.,'\u2019]+\s?[\p{Sc}%)]?$/u.test(run.text);
}

function segmentOf(runs: readonly Run[]): Segment {
  const line = lineOf(runs);
  const { x, right, y, size } = line;
  return { x, right, top: y - size * 0.8, bottom: y + size * 0.2, y, size, line, block: undefined };
}

/**
 * Joins the parts of justified lines: a gap between columns is also there in the line above or below, and a wide gap
 * between words is not.
 */
export function joinedWords(segments: readonly Segment[]): Segment[] {
  const rows = rowsOf(segments);
  return rows.flatMap((row, at) => {
    const parts: Segment[] = [];
    for (const segment of row.segments) {
      const last = parts.at(-1);
      if (last !== undefined && isWordGap(rows, at, last, segment))
        parts[parts.length - 1] = joinedSegments([last, segment]);
      else parts.push(segment);
    }
    return parts;
  });
}

/** One segment with the text of several segments of a line. */
export function joinedSegments(segments: readonly Segment[]): Segment {
  return segmentOf(segments.flatMap(({ line }) => line?.runs ?? []));
}

function isWordGap(rows: readonly TextRow[], at: number, left: Segment, right: Segment): boolean {
  const row = rows[at];
  const size = Math.min(left.size, right.size);
  const isText = [left, right].every(({ line }) => /\p{L}/u.test(line?.text ?? ""));
  if (row === undefined || !isText) return false;
  if (right.x - left.right > size * MAX_WORD_GAP || Math.abs(left.size - right.size) > size * 0.1) return false;
  const sides = [-1, 1].map((step) => neighbourAt(rows, at, step, [left, right]));
  return sides.includes("closed") && !sides.includes("open");
}

/**
 * The nearest line above or below a gap: `closed` if its text covers the gap, `open` if it has text on both sides of
 * about the same gap.
 */
function neighbourAt(
  rows: readonly TextRow[],
  at: number,
  step: number,
  [left, right]: readonly [Segment, Segment],
): "closed" | "open" | undefined {
  const row = rows[at];
  if (row === undefined) return undefined;
  const [from, to] = [left.right, right.x];
  for (let away = 1; away <= MAX_NEIGHBOURS; away += 1) {
    const other = rows[at + away * step];
    if (other === undefined || Math.abs(other.y - row.y) > row.size * 2) return undefined;
    const { segments } = other;
    const next = firstFrom(segments, from + row.size * MAX_SHIFT);
    const before = segments[next - 1];
    if (before !== undefined && before.right > to && isWords(before)) return "closed";
    const after = segments[next];
    // Texts of columns begin or end at the same place. Words of justified lines do not.
    const near = row.size * MAX_SHIFT;
    const isAligned = (place: number | undefined, edge: number) => Math.abs((place ?? Infinity) - edge) < near;
    if (before === undefined) continue;
    if (isAligned(before.right, from) || isAligned(after?.x, to)) return "open";
  }
  return undefined;
}

function isWords({ line }: Segment): boolean {
  return /\p{L}\P{L}+\p{L}/u.test(line?.text ?? "");
}

/** Rows of segments, from top to bottom. The segments may have any order. */
export function rowsOf(segments: readonly Segment[]): TextRow[] {
  const rows: TextRow[] = [];
  let row: Segment[] = [];
  const end = () => {
    if (row.length > 0) rows.push(rowOf(row));
    row = [];
  };
  for (const segment of segments.toSorted((a, b) => a.y - b.y)) {
    const [first] = row;
    const isNear = first !== undefined && segment.y - first.y <= 0.4 * Math.min(first.size, segment.size);
    if (!isNear || segment.block !== undefined || first.block !== undefined) end();
    row.push(segment);
  }
  end();
  return rows;
}

function rowOf(segments: readonly Segment[]): TextRow {
  return {
    segments: segments.toSorted((a, b) => a.x - b.x),
    y: segments.reduce((most, { y }) => Math.max(most, y), Number.NEGATIVE_INFINITY),
    top: segments.reduce((least, { top }) => Math.min(least, top), Number.POSITIVE_INFINITY),
    bottom: segments.reduce((most, { bottom }) => Math.max(most, bottom), Number.NEGATIVE_INFINITY),
    size: segments.reduce((most, { size }) => Math.max(most, size), 0),
  };
}

/** All the text in a row as one line. */
export function lineOfRow({ segments }: TextRow): Line {
  const [only] = segments;
  if (segments.length === 1 && only?.line !== undefined) return only.line;
  return lineOf(segments.flatMap(({ line }) => line?.runs ?? []));
}
