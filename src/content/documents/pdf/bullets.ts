import { type Run } from "./shapes.ts";

/** A small drawn shape, such as the bullet that browsers draw before an item. Its place is the middle of its left edge. */
export interface Dot {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** The maximum width of a bullet and its minimum and maximum distance from the text, in heights of the letters. */
const MAX_WIDTH = 0.6;
const MIN_GAP = 0.15;
const MAX_GAP = 2.5;

/** Bullets as text: the dots at the middle of the letters of a line, before its first word. */
export function bulletRuns(dots: readonly Dot[], runs: readonly Run[]): Run[] {
  return dots.flatMap((dot) => {
    const line = runs.filter(({ y, size }) => dot.y > y - size * 0.7 && dot.y < y - size * 0.1);
    const after = line.filter(({ x }) => x > dot.x).toSorted((a, b) => a.x - b.x)[0];
    if (after === undefined || dot.width > after.size * MAX_WIDTH) return [];
    const gap = (after.x - dot.x - dot.width) / after.size;
    const isFirst = !line.some(({ x, width }) => x <= dot.x && x + width > dot.x - after.size);
    if (gap < MIN_GAP || gap > MAX_GAP || !isFirst) return [];
    return [{ ...after, text: "\u2022", x: dot.x, width: dot.width, isBold: false, isMono: false, href: "" }];
  });
}
