import { type Run } from "./shapes.ts";

/** Maximum number of initials of a PDF page that are as high as several lines. The rest is ignored. */
const MAX_INITIALS = 20;
/** The minimum size of such an initial, in sizes of the text's letters. */
const INITIAL_FACTOR = 1.8;

/** Moves initials that are as high as several lines into the first of the lines beside them. */
export function withInitials(runs: readonly Run[]): readonly Run[] {
  const initials = runs.filter(({ text }) => /^\p{Lu}$/u.test(text)).slice(0, MAX_INITIALS);
  const moved = new Map<Run, Run>();
  for (const initial of initials) {
    const beside = runs.filter((run) => isBeside(run, initial));
    const first = beside.reduce<Run | undefined>(
      (top, run) => (top !== undefined && top.y <= run.y ? top : run),
      undefined,
    );
    if (first === undefined || !/^\p{L}/u.test(first.text)) continue;
    const isLow = beside.some(({ y, size }) => y > first.y + size * 0.8);
    const width = Math.min(initial.width, first.size * 0.6);
    if (isLow) moved.set(initial, { ...initial, x: first.x - width, y: first.y, width, size: first.size });
  }
  return moved.size === 0 ? runs : runs.map((run) => moved.get(run) ?? run);
}

/** Whether a text begins at the right of an initial, at its height, in smaller letters. */
function isBeside(run: Run, { x, y, width, size }: Run): boolean {
  const isNear = run.x > x && run.x < x + width + size * 0.4;
  return isNear && run.size * INITIAL_FACTOR < size && run.y < y + run.size * 0.5 && run.y > y - size * 1.1;
}
