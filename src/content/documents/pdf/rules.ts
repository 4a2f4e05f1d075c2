import { type Dot } from "./bullets.ts";
import { type Placed, type Rule } from "./shapes.ts";

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

/** The straight lines, including thin rectangles, and the dots that a page draws. */
export interface Drawn {
  readonly rules: Rule[];
  readonly dots: Dot[];
}

/** Collects the lines and dots of a page. No lines and dots if there are more than `MAX_RULES` lines, and no dots if there are more than `MAX_DOTS`. */
export class Shapes {
  readonly #drawn: Drawn = { rules: [], dots: [] };

  /** Adds a path of pdf.js: numbers of steps, each followed by its coordinates. */
  add(data: Float32Array, placed: Placed): void {
    if (this.#drawn.rules.length <= MAX_RULES) addShapes(this.#drawn, data, placed);
  }

  get drawn(): Drawn {
    const { rules, dots } = this.#drawn;
    if (rules.length > MAX_RULES) return { rules: [], dots: [] };
    return { rules, dots: dots.length > MAX_DOTS ? [] : dots };
  }
}

type Place = readonly [x: number, y: number];

/** Number of coordinates after each step of a path: move, line, curve, shorter curve, close. */
const LENGTHS = [2, 2, 6, 4, 0];

function addShapes(drawn: Drawn, data: Float32Array, placed: Placed): void {
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
