import { type Dot } from "./bullets.ts";
import { type Rule } from "./shapes.ts";

/** Drawn lines of a PDF page. A page with more lines has a drawing, and its lines are ignored. */
const MAX_RULES = 4_000;
/** Maximum thickness and minimum length of a drawn line, in points. A thicker shape is a filled rectangle. */
const MAX_THICKNESS = 3;
const MIN_LENGTH = 6;
/** Dots of a PDF page. A page with more dots has a drawing, and its dots are ignored. */
const MAX_DOTS = 1_000;
/** Minimum and maximum width of a dot, in points, and the maximum number of points of its outline. */
const MIN_DOT = 1;
const MAX_DOT = 8;
const MAX_CORNERS = 64;

/** Converts a position in units of the file to a position on the upright page. */
export type Placed = (x: number, y: number) => readonly [x: number, y: number];

/** Operators by name, with pdf.js's numbers. */
export interface Operators {
  readonly save: number;
  readonly restore: number;
  readonly transform: number;
  readonly paintFormXObjectBegin: number;
  readonly paintFormXObjectEnd: number;
  readonly constructPath: number;
  readonly endPath: number;
}

/** The drawing operators of a page, each with its arguments at the same index. */
export interface OperatorList {
  readonly fnArray: readonly number[];
  readonly argsArray: readonly unknown[];
}

/** A matrix of PDF: a, b, c, d, e, f. */
type Matrix = readonly [number, number, number, number, number, number];

/** Saved matrices of a PDF page. Deeper ones are ignored. */
const MAX_SAVED = 200;

/** The straight lines, including thin rectangles, and the dots that a page draws. */
export interface Drawn {
  readonly rules: Rule[];
  readonly dots: Dot[];
}

/** The lines and dots of a page. Empty if it draws more than `MAX_RULES` lines, and without dots if it draws more than `MAX_DOTS`. */
export function drawnOf({ fnArray, argsArray }: OperatorList, operators: Operators, placed: Placed): Drawn {
  const drawn: Drawn = { rules: [], dots: [] };
  const saved: Matrix[] = [];
  let matrix: Matrix = [1, 0, 0, 1, 0, 0];
  for (const [index, operator] of fnArray.entries()) {
    const args = argsArray[index];
    if (operator === operators.save || operator === operators.paintFormXObjectBegin) {
      if (saved.length < MAX_SAVED) saved.push(matrix);
      // A form has its own matrix.
      if (operator === operators.paintFormXObjectBegin && Array.isArray(args)) matrix = multiplied(matrix, args[0]);
    } else if (operator === operators.restore || operator === operators.paintFormXObjectEnd) {
      matrix = saved.pop() ?? matrix;
    } else if (operator === operators.transform) {
      matrix = multiplied(matrix, args);
    } else if (operator === operators.constructPath && Array.isArray(args) && args[0] !== operators.endPath) {
      const [a, b, c, d, e, f] = matrix;
      addShapes(drawn, args[1], (x, y) => placed(a * x + c * y + e, b * x + d * y + f));
      if (drawn.rules.length > MAX_RULES) return { rules: [], dots: [] };
    }
  }
  return drawn.dots.length > MAX_DOTS ? { ...drawn, dots: [] } : drawn;
}

/** A matrix after another one. Returns the first one if the second is not a matrix. */
function multiplied(matrix: Matrix, by: unknown): Matrix {
  const numbers: unknown[] = Array.isArray(by) || ArrayBuffer.isView(by) ? Array.from(by as ArrayLike<number>) : [];
  const [a, b, c, d, e, f] = numbers.map(Number);
  if (a === undefined || b === undefined || c === undefined || d === undefined) return matrix;
  const [ma, mb, mc, md, me, mf] = matrix;
  const [x, y] = [e ?? 0, f ?? 0];
  const across = [ma * a + mc * b, mb * a + md * b] as const;
  return [...across, ma * c + mc * d, mb * c + md * d, ma * x + mc * y + me, mb * x + md * y + mf];
}

type Place = readonly [x: number, y: number];

/** Number of coordinates after each step of a path: move, line, curve, shorter curve, close. */
const LENGTHS = [2, 2, 6, 4, 0];

/** Reads a path of pdf.js: numbers of steps, each followed by its coordinates. */
function addShapes(drawn: Drawn, path: unknown, placed: Placed): void {
  const data: unknown = Array.isArray(path) ? path[0] : undefined;
  if (!(data instanceof Float32Array)) return;
  let places: Place[] = [];
  let isCurved = false;
  const end = () => {
    if (!addDot(drawn.dots, places) && !isCurved) addPolygon(drawn.rules, places);
    places = [];
    isCurved = false;
  };
  for (let at = 0; at < data.length; ) {
    const step = data[at] ?? 4;
    if (step === 0) end();
    if (step === 2 || step === 3) isCurved = true;
    const length = LENGTHS[step] ?? 0;
    for (let from = at + 1; from < at + length; from += 2) places.push(placed(data[from] ?? 0, data[from + 1] ?? 0));
    at += 1 + length;
    if (drawn.rules.length > MAX_RULES) return;
  }
  end();
}

/** Adds a small shape that is about as high as wide. False if the shape is larger or longer. */
function addDot(dots: Dot[], places: readonly Place[]): boolean {
  if (places.length < 4 || places.length > MAX_CORNERS) return false;
  const [xs, ys] = [places.map(([x]) => x), places.map(([, y]) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [width, height] = [Math.max(...xs) - left, Math.max(...ys) - top];
  const isDot = width >= MIN_DOT && width <= MAX_DOT && Math.abs(width - height) <= width * 0.15;
  if (isDot && dots.length <= MAX_DOTS) dots.push({ x: left, y: top + height / 2, width });
  return isDot;
}

/** Adds a line, a thin rectangle, or the upright and level sides of a larger shape. */
function addPolygon(rules: Rule[], places: readonly Place[]): void {
  if (places.length < 2 || places.length > 6) return;
  if (addLine(rules, places)) return;
  const [first] = places;
  const sides = first !== undefined && places.length >= 4 ? [...places, first] : places;
  for (const [at, place] of sides.entries()) {
    const before = sides[at - 1];
    if (before !== undefined) addLine(rules, [before, place]);
  }
}

/** Adds the line that these places form. False if they form none. */
function addLine(rules: Rule[], places: readonly Place[]): boolean {
  const xs = places.map(([x]) => x);
  const ys = places.map(([, y]) => y);
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
  const isAcross = bottom - top <= MAX_THICKNESS;
  if (isAcross && right - left >= MIN_LENGTH) rules.push({ isAcross, at: (top + bottom) / 2, from: left, to: right });
  else if (!isAcross && right - left <= MAX_THICKNESS && bottom - top >= MIN_LENGTH)
    rules.push({ isAcross, at: (left + right) / 2, from: top, to: bottom });
  else return isAcross;
  return true;
}
