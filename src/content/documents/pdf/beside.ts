import { type TextRow, type Segment } from "./segments.ts";

/** The minimum gap between two texts beside one another, in heights of the letters. */
const BESIDE_GAP = 3;
/** Maximum number of lines of two texts beside one another. Further lines are read after them. */
const MAX_BESIDE_ROWS = 60;
/** The maximum distance between lines of such a text, in heights of the letters. */
const LINE_GAP = 2.2;

/** Two texts beside one another. `length` counts rows. */
interface Beside {
  readonly sides: readonly Segment[][];
  readonly length: number;
}

/** Two texts beside one another from a row on, such as a heading and an address. */
export function textsBeside(rows: readonly TextRow[], at: number): Beside | undefined {
  const found = sidesFrom(rows, at);
  if (found === undefined) return undefined;
  const { left, right, length } = found;
  // A label and the lines of its value.
  if (left.length === 1 && left[0]?.line?.text.endsWith(":") === true) return undefined;
  const paired = left.length + right.length - length;
  return paired > length / 2 ? undefined : { sides: [left, right], length };
}

interface Sides {
  readonly left: Segment[];
  readonly right: Segment[];
  readonly length: number;
}

function sidesFrom(rows: readonly TextRow[], at: number): Sides | undefined {
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
  return { left, right, length };
}
