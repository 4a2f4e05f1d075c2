import { indexAt, partOf, plain } from "./pieces.ts";
import { Shapes } from "./rules.ts";
import { type Box, common, type Placed, type Run, type Start } from "./shapes.ts";

/** Texts of a PDF page that may be hidden, and painted areas in which they are searched. @bound */
const MAX_TEXTS = 20_000;
const MAX_AREAS = 2_000;
/** Pairs of texts on one line that are compared. On a page with more, lines with hidden text are left out. */
const MAX_FOUND = 1_000_000;
/** Areas that the light texts of a page are compared with: 10,000 texts with all areas. Light texts behind them are read. */
const MAX_COMPARED = 20_000_000;
/** The maximum difference of red, green and blue of a colour that is not seen on another, of 255, and of an opacity. */
const MAX_CONTRAST = 15;
const MAX_CLEAR = 0.05;
const PAPER = [255, 255, 255];
/** Numbers in the data of a rectangle. A path with more may have the shapes of letters. */
export const RECTANGLE = 13;

/** The graphics state in which something is painted. */
interface Paint {
  readonly clip: Box;
  readonly fill: string;
  readonly alpha: number;
  /** Whether the clip is a rectangle, and colours replace those below them. */
  readonly isPlain: boolean;
  /** The text rendering mode (ISO 32000-1 §9.3.6). */
  readonly mode: number;
}

interface Shown {
  readonly text: string;
  /** Whether it is the first one of a text object. */
  readonly isFirst: boolean;
  readonly box: Box;
  /** The number of areas that were painted before. */
  readonly above: number;
}

interface Ground {
  readonly box: Box;
  /** Undefined for a picture, for colours that mix with those below, and for a dark shape, which may have other parts. */
  readonly color: readonly number[] | undefined;
  /** Whether nothing is seen below it. */
  readonly covers: boolean;
}

/** Finds the text of a page that readers do not see, and the lines of the page. */
export class HiddenText {
  readonly shapes = new Shapes();
  readonly #isVisible: (group: unknown) => boolean;
  /** Whether each open marked content, or one around it, is hidden. */
  readonly #marks: boolean[] = [];
  readonly #grounds: Ground[] = [];
  readonly #pictures: { readonly box: Box }[] = [];
  readonly #invisible: Shown[] = [];
  readonly #hidden: Shown[] = [];
  readonly #seen: Shown[] = [];
  #compared = 0;

  /** `isVisible`: whether the document shows an optional content group. */
  constructor(isVisible: (group: unknown) => boolean) {
    this.#isVisible = isVisible;
  }

  /** A path is painted. `placed` converts the positions of its data, and `paint` is given if it is filled. */
  path(data: Float32Array, placed: Placed, box: Box | undefined, paint: Paint | undefined): void {
    this.shapes.add(data, placed);
    if (box === undefined) return;
    const isShape = !isRectangle(data, placed, box);
    if (data.length > RECTANGLE) add(this.#pictures, { box }, MAX_AREAS);
    if (paint === undefined || this.#marks.at(-1) === true) return;
    const parts = paint.isPlain && paint.alpha > 1 - MAX_CLEAR ? colorOf(paint.fill) : undefined;
    const color = isShape && !isNear(parts, PAPER) ? undefined : parts;
    add(this.#grounds, { box: common(box, paint.clip), color, covers: !isShape && color !== undefined }, MAX_AREAS);
  }

  image(box: Box): void {
    add(this.#pictures, { box }, MAX_AREAS);
    add(this.#grounds, { box, color: undefined, covers: false }, MAX_AREAS);
  }

  /** Marked content begins. `group` are the properties of its optional content group, if it has one. */
  mark(group: unknown): void {
    this.#marks.push(this.#marks.at(-1) === true || (group !== undefined && !this.#isVisible(group)));
  }

  unmark(): void {
    this.#marks.pop();
  }

  /** A text is painted. `isFirst`: whether it is the first one of a text object (ISO 32000-1 §9.4). */
  text(text: string, box: Box, { mode, fill, alpha, clip, isFirst }: Paint & { isFirst: boolean }): void {
    const isLost = this.#marks.at(-1) === true || !overlap(box, clip);
    const isFilled = mode === 0 || mode === 4;
    const shown = { text, box, isFirst, above: this.#grounds.length };
    if (isLost || (isFilled && (alpha <= MAX_CLEAR || this.#isOnSame(box, colorOf(fill)))))
      add(this.#hidden, shown, MAX_TEXTS);
    else if (mode === 3 || mode === 7) add(this.#invisible, shown, MAX_TEXTS);
    else add(this.#seen, shown, MAX_TEXTS);
  }

  /** Removes hidden text from runs. */
  remover(): (run: Run) => readonly Run[] {
    // Text over a picture is the text in it, as programs recognised it.
    const isOverPicture = ({ box }: Shown) =>
      this.#pictures.length > MAX_AREAS || this.#pictures.some((picture) => isIn(box, picture.box));
    const covered = new Set(this.#seen.filter((one) => this.#isCovered(one)));
    const hidden = [...this.#hidden, ...covered, ...this.#invisible.filter((shown) => !isOverPicture(shown))];
    const seen = rowsOf(this.#seen.filter((one) => !covered.has(one)));
    const written = rowsOf(this.#seen);
    const rows = rowsOf(hidden.filter((shown) => !isShadow(shown, seen(shown.box.bottom))));
    return (run) => {
      const near = rows(run.y);
      return near === undefined
        ? []
        : near.reduce<Run[]>(
            (parts, shown) => parts.flatMap((part) => partsWithout(part, shown)),
            [withStarts(run, written(run.y))],
          );
    };
  }

  /** Whether the last area that was painted below a text, or the paper, has its colour. */
  #isOnSame(box: Box, color: readonly number[] | undefined): boolean {
    if (!this.#mayCompare(this.#grounds.length)) return false;
    const ground = this.#grounds.findLast((one) => isIn(box, one.box));
    return isNear(color, ground === undefined ? PAPER : ground.color);
  }

  /** Whether an area was painted over a text later. */
  #isCovered({ box, above }: Shown): boolean {
    if (!this.#mayCompare(this.#grounds.length - above)) return false;
    return this.#grounds.slice(above).some(({ covers, box: area }) => covers && isIn(box, area));
  }

  #mayCompare(areas: number): boolean {
    this.#compared += areas;
    return this.#grounds.length <= MAX_AREAS && this.#compared <= MAX_COMPARED;
  }
}

function add<Item>(list: Item[], item: Item, most: number): void {
  if (list.length <= most) list.push(item);
}

/** Whether a path has the corners of a box. */
function isRectangle(data: Float32Array, placed: Placed, { left, right, top, bottom }: Box): boolean {
  if (data.length > RECTANGLE) return false;
  return [1, 4, 7, 10].every((at) => {
    const [x, y] = placed(data[at] ?? Number.NaN, data[at + 1] ?? Number.NaN);
    return (
      Math.min(Math.abs(x - left), Math.abs(x - right)) < 1 && Math.min(Math.abs(y - top), Math.abs(y - bottom)) < 1
    );
  });
}

/** Red, green and blue. Undefined for a pattern. */
function colorOf(fill: string): number[] | undefined {
  return /^#(..)(..)(..)$/
    .exec(fill)
    ?.slice(1)
    .map((part) => Number.parseInt(part, 16));
}

function isNear(color: readonly number[] | undefined, other: readonly number[] | undefined): boolean {
  return color?.every((part, at) => Math.abs(part - (other?.[at] ?? Infinity)) <= MAX_CONTRAST) === true;
}

/** Whether the middle of a box is in an area. */
function isIn({ left, right, top, bottom }: Box, area: Box): boolean {
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  return x >= area.left && x <= area.right && y >= area.top && y <= area.bottom;
}

/** Whether two areas overlap, or are less than a point apart. */
function overlap(a: Box, b: Box): boolean {
  return a.left < b.right + 1 && a.right > b.left - 1 && a.top < b.bottom + 1 && a.bottom > b.top - 1;
}

/** Finds the texts whose baselines are near one of a page. Undefined if it has some, but has found `MAX_FOUND` before. */
function rowsOf(texts: readonly Shown[]): (y: number) => readonly Shown[] | undefined {
  const rows = new Map<number, Shown[]>();
  for (const shown of texts) {
    const { top, bottom } = shown.box;
    // Rotated text begins at one of two ends.
    for (const y of isRotated(shown.box) ? [top, bottom] : [bottom]) rows.getOrInsert(Math.round(y), []).push(shown);
  }
  let found = 0;
  return (y) => {
    const near = [-1, 0, 1].map((away) => rows.get(Math.round(y) + away)).filter((row) => row !== undefined);
    if (near.length > 0 && found > MAX_FOUND) return undefined;
    found += near.reduce((sum, row) => sum + row.length, 0);
    return near.flat();
  };
}

/** Whether half of the letters of a hidden text are also in visible texts at its place, whose shadow it is. */
function isShadow({ text, box }: Shown, visible: readonly Shown[] = []): boolean {
  const near = visible.filter((one) => overlap(one.box, box));
  const same = near.filter((one) => text.includes(one.text)).reduce((sum, one) => sum + one.text.length, 0);
  return same * 2 > text.length || near.some((one) => one.text.includes(text));
}

/** A run with the places in it at which a text object begins. pdf.js joins texts that are close to one another. */
function withStarts(run: Run, written: readonly Shown[] = []): Run {
  const inside = written.filter(({ box }) => box.left > run.x - 1 && box.right < run.x + run.width + 1);
  const starts: Start[] = [];
  let [at, end] = [0, run.x];
  for (const { text, box, isFirst } of inside.toSorted((a, b) => a.box.left - b.box.left)) {
    const own = plain(text);
    const found = run.text.indexOf(own, at);
    if (found === -1 || run.text.slice(at, found).trim() !== "") return run;
    if (found > 0 && isFirst) starts.push({ at: found, x: box.left, end });
    [at, end] = [found + own.length, box.right];
  }
  return starts.length === 0 ? run : { ...run, starts };
}

function isRotated({ left, right, top, bottom }: Box): boolean {
  return bottom - top > right - left;
}

/** The parts of a run beside a hidden text. */
function partsWithout(run: Run, { text, box }: Shown): Run[] {
  if (isRotated(box)) return run.x > box.left - 1 && run.x < box.right + 1 ? [] : [run];
  const [left, right] = [Math.max(box.left, run.x), Math.min(box.right, run.x + run.width)];
  if (right - left < run.size * 0.1) return [run];
  if (right - left > run.width * 0.95) return [];
  const at = run.text.indexOf(text);
  const [start, end] = at === -1 ? [indexAt(run, left), indexAt(run, right)] : [at, at + text.length];
  return [...partOf(run, 0, start), ...partOf(run, end, run.text.length)];
}
