import { type Line, lineOf } from "./pieces.ts";
import { type Block, type Run } from "./shapes.ts";

/** The minimum gap between columns within a line, in heights of the letters. */
const COLUMN_GAP = 0.85;
/** The maximum distance between baselines of one line, in heights of the letters. */
const BASELINE_SPREAD = 0.25;

/** Maximum number of runs of a line of a PDF in which raised letters are searched. */
const MAX_RAISED = 500;

/** A part of a line without wide gaps, or a finished block at its position. */
export interface Segment {
  readonly x: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** The baseline. */
  readonly y: number;
  readonly size: number;
  readonly line: Line | undefined;
  readonly block: Block | undefined;
}

/** Segments on one line, from left to right. */
export interface Row {
  readonly segments: readonly Segment[];
  readonly y: number;
  readonly top: number;
  readonly bottom: number;
  readonly size: number;
}

/** Runs as lines from top to bottom, each split at wide gaps. */
export function segmentsOf(runs: readonly Run[]): Segment[] {
  return joinedRaised(linesOfRuns(runs)).flatMap(partsOf);
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
  if (run.size > size * 0.85 || run.y < neighbour.y - size * 0.75 || run.y > neighbour.y + size * 0.4) return false;
  const gap = Math.max(run.x - neighbour.x - neighbour.width, neighbour.x - run.x - run.width);
  return gap < size * 0.4 && gap > -size;
}

function partsOf(runs: readonly Run[]): Segment[] {
  const segments: Segment[] = [];
  let part: Run[] = [];
  let right = Number.NEGATIVE_INFINITY;
  for (const run of runs.toSorted((a, b) => a.x - b.x)) {
    if (part.length > 0 && run.x - right > COLUMN_GAP * Math.max(run.size, part[0]?.size ?? 0)) {
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

function segmentOf(runs: readonly Run[]): Segment {
  const line = lineOf(runs);
  const { x, right, y, size } = line;
  return { x, right, top: y - size * 0.8, bottom: y + size * 0.2, y, size, line, block: undefined };
}

/** Rows of segments, from top to bottom. The segments may have any order. */
export function rowsOf(segments: readonly Segment[]): Row[] {
  const rows: Row[] = [];
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

function rowOf(segments: readonly Segment[]): Row {
  return {
    segments: segments.toSorted((a, b) => a.x - b.x),
    y: segments.reduce((most, { y }) => Math.max(most, y), Number.NEGATIVE_INFINITY),
    top: segments.reduce((least, { top }) => Math.min(least, top), Number.POSITIVE_INFINITY),
    bottom: segments.reduce((most, { bottom }) => Math.max(most, bottom), Number.NEGATIVE_INFINITY),
    size: segments.reduce((most, { size }) => Math.max(most, size), 0),
  };
}

/** All the text in a row as one line. */
export function lineOfRow({ segments }: Row): Line {
  const [only] = segments;
  if (segments.length === 1 && only?.line !== undefined) return only.line;
  return lineOf(segments.flatMap(({ line }) => line?.runs ?? []));
}
