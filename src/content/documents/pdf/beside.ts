import { labelOf } from "./labels.ts";
import { type Row, rowsOf, type Segment } from "./segments.ts";

/** The minimum gap between two texts beside one another, in heights of the letters. */
const BESIDE_GAP = 3;
/** Maximum number of lines of two texts beside one another. Further lines are read after them. */
const MAX_BESIDE_ROWS = 60;
/** The maximum distance between lines of such a text, in heights of the letters. */
const LINE_GAP = 2.2;
/** The minimum size of a heading beside an address, in sizes of the address's letters. */
const HEAD_FACTOR = 1.3;
/** Maximum number of lines of an address above the middle of a heading in a PDF. */
const MAX_ADDRESS_ROWS = 8;

/** Two texts beside one another. `length` counts rows. */
interface Beside {
  readonly sides: readonly Segment[][];
  readonly length: number;
}

/** Two texts beside one another from a row on, such as a heading and an address. */
export function textsBeside(rows: readonly Row[], at: number): Beside | undefined {
  const found = sidesFrom(rows, at);
  if (found === undefined) return undefined;
  const { left, right, length } = found;
  // A label and the lines of its value.
  if (left.length === 1 && left[0]?.line?.text.endsWith(":") === true) return undefined;
  const paired = left.length + right.length - length;
  return paired > length / 2 ? undefined : { sides: [left, right], length };
}

/** A list with bullets and a text beside it from a row on: the text also stands beside the second line of an item. */
export function listBeside(rows: readonly Row[], at: number): Beside | undefined {
  const [first] = rows[at]?.segments ?? [];
  const found = first !== undefined && isBullet(first) ? sidesFrom(rows, at) : undefined;
  if (found === undefined) return undefined;
  const { left, right, below, length } = found;
  const isBesideLine = left.some((segment) => !isBullet(segment) && right.some(({ y }) => Math.abs(y - segment.y) < 1));
  return isBesideLine ? { sides: [[...left, ...below], right], length: length + below.length } : undefined;
}

interface Sides {
  readonly left: Segment[];
  readonly right: Segment[];
  /** The lines at the left below the last one at the right. */
  readonly below: Segment[];
  readonly length: number;
}

function sidesFrom(rows: readonly Row[], at: number): Sides | undefined {
  const [first, second, ...others] = rows[at]?.segments ?? [];
  if (first === undefined || second === undefined || others.length > 0) return undefined;
  const [left, right] = [[first], [second]];
  let gap = { from: first.right, to: second.x };
  let below: Segment[] = [];
  let length = 1;
  for (let next = at + 1; next < Math.min(rows.length, at + MAX_BESIDE_ROWS); next += 1) {
    const [row, above] = [rows[next], rows[next - 1]];
    if (row === undefined || above === undefined || row.y - above.y > row.size * LINE_GAP) break;
    const [before, ...more] = row.segments.filter(({ x }) => x < gap.from);
    const [after, ...further] = row.segments.filter(({ x }) => x >= gap.from);
    if (row.segments.some(({ block }) => block !== undefined) || more.length + further.length > 0) break;
    gap = { from: Math.max(gap.from, before?.right ?? 0), to: Math.min(gap.to, after?.x ?? gap.to) };
    if (gap.to - gap.from < row.size * BESIDE_GAP) break;
    if (before !== undefined) below.push(before);
    if (after === undefined) continue;
    right.push(after);
    left.push(...below);
    below = [];
    length = next - at + 1;
  }
  if (right.some(({ line }) => !/\p{L}/u.test(line?.text ?? ""))) return undefined;
  return { left, right, below, length };
}

function isBullet({ line }: Segment): boolean {
  const label = labelOf(line?.text ?? "");
  return label !== undefined && label.length > 0 && label.number === undefined;
}

/** Moves a heading at the left of the middle of an address above the first line of the address. */
export function withHeadsFirst(rows: readonly Row[]): Row[] {
  const ordered: Row[] = [];
  for (const row of rows) {
    const [head, line, ...others] = row.segments;
    const isHead = head !== undefined && line !== undefined && head.size > line.size * HEAD_FACTOR;
    let from = ordered.length;
    if (isHead && others.length === 0) {
      while (ordered.length - from < MAX_ADDRESS_ROWS && isAbove(ordered[from - 1], ordered[from] ?? row, head, line))
        from -= 1;
    }
    if (from === ordered.length || head === undefined || line === undefined) ordered.push(row);
    else {
      ordered.splice(from, 0, ...rowsOf([head]));
      ordered.push(...rowsOf([line]));
    }
  }
  return ordered;
}

/** Whether a row is the line of an address above a line that stands beside a heading. */
function isAbove(row: Row | undefined, below: Row, head: Segment, line: Segment): boolean {
  const [only, ...others] = row?.segments ?? [];
  if (row === undefined || only?.line === undefined || others.length > 0) return false;
  const { size } = line;
  const isAligned = Math.abs(only.right - line.right) < size / 2 || Math.abs(only.x - line.x) < size / 2;
  const isNear = below.y - row.y < size * LINE_GAP && Math.abs(only.size - size) < size * 0.1;
  return isAligned && isNear && only.x > head.right + size * BESIDE_GAP;
}
