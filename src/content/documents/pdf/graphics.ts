import { type HiddenText, RECTANGLE } from "./hidden.ts";
import { type Box, common, type Placed } from "./shapes.ts";

/** The drawing operators of a page, each with its arguments at the same index. */
export interface OperatorList {
  readonly fnArray: readonly number[];
  readonly argsArray: readonly unknown[];
}

/** The names of pdf.js's operators. */
export type OperatorNames = ReadonlyMap<number, string>;

/** A matrix of PDF: a, b, c, d, e, f. */
type Matrix = readonly [number, number, number, number, number, number];

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
const EVERYWHERE: Box = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };

const FIRST = {
  matrix: IDENTITY,
  clip: EVERYWHERE,
  /** The colour. Empty for a pattern. */
  fill: "#000000",
  alpha: 1,
  /** The opacity of the group around it. */
  group: 1,
  isPlain: true,
  mode: 0,
  font: "",
  size: 0,
  leading: 0,
  charSpacing: 0,
  wordSpacing: 0,
  stretch: 1,
};

/** The graphics state (ISO 32000-1 §8.4.1, §9.3), as far as it decides which text is visible. */
type Graphics = Readonly<typeof FIRST>;

/** The height of a text's box, in font sizes: less than the width of a letter, and below the middle of the letters. */
const LETTER = 0.2;

/** Saved graphics states of a PDF page. Deeper ones are ignored. */
const MAX_SAVED = 200;

/** The operators that change one number of the graphics state. */
const NUMBERS = new Map<string, keyof Graphics>([
  ["setTextRenderingMode", "mode"],
  ["setLeading", "leading"],
  ["setCharSpacing", "charSpacing"],
  ["setWordSpacing", "wordSpacing"],
]);

/** Follows the operators of a page, and tells the painter what is painted at which places of the upright page. */
export class GraphicsWalk {
  readonly #painter: HiddenText;
  readonly #placed: Placed;
  readonly #scaleOf: (font: string) => number;
  readonly #saved: Graphics[] = [];
  #now: Graphics = FIRST;
  #isClip = false;
  /** Whether no text of the text object was painted yet. */
  #isFirst = false;
  /** Whether a matrix was set, and nothing was painted since. pdf.js leaves large pictures out. */
  #isPlace = false;
  #line: Matrix = IDENTITY;
  #text: Matrix = IDENTITY;

  /** `scaleOf`: the size of a unit of a font's glyphs. */
  constructor(painter: HiddenText, placed: Placed, scaleOf: (font: string) => number) {
    this.#painter = painter;
    this.#placed = placed;
    this.#scaleOf = scaleOf;
  }

  run({ fnArray, argsArray }: OperatorList, names: OperatorNames): void {
    for (const [index, operator] of fnArray.entries()) {
      const args: unknown = argsArray[index];
      // Annotations are drawn after the page. They have their own places, and the values of form fields.
      if (names.get(operator) === "beginAnnotation") break;
      this.#step(names.get(operator) ?? "", Array.isArray(args) ? args : [], args, names);
    }
    this.#picture();
  }

  #step(name: string, args: readonly unknown[], whole: unknown, names: OperatorNames): void {
    const [first, second] = args;
    const number = NUMBERS.get(name);
    if (number !== undefined) this.#now = { ...this.#now, [number]: Number(first) };
    else if (name === "save") this.#save();
    else if (/^(?:restore|paintFormXObjectEnd|endGroup)$/.test(name)) this.#restore();
    else if (name === "beginGroup") this.#save({ group: this.#now.alpha });
    else if (name === "transform") {
      this.#now = { ...this.#now, matrix: multiplied(this.#now.matrix, whole) };
      this.#isPlace = true;
    } else if (name === "paintFormXObjectBegin") {
      this.#save({ matrix: multiplied(this.#now.matrix, first) });
      this.#clip(boxOf(second, this.#toPage(this.#now.matrix)));
    } else if (name === "clip" || name === "eoClip") this.#isClip = true;
    else if (name === "constructPath") this.#path(names.get(Number(first)) ?? "", second, args[2]);
    else if (name === "setFillRGBColor") this.#now = { ...this.#now, fill: String(first) };
    else if (name === "setFillColorN") this.#now = { ...this.#now, fill: "" };
    else if (name === "setGState") this.#state(first);
    else if (name === "shadingFill") this.#painter.image(this.#now.clip);
    else if (name === "beginMarkedContentProps") this.#painter.mark(first === "OC" ? second : undefined);
    else if (name === "beginMarkedContent") this.#painter.mark(undefined);
    else if (name === "endMarkedContent") this.#painter.unmark();
    else this.#textStep(name, args);
  }

  #textStep(name: string, args: readonly unknown[]): void {
    const [first, second] = args;
    if (name === "beginText") {
      this.#text = this.#line = IDENTITY;
      this.#isFirst = true;
    } else if (name === "setFont") this.#now = { ...this.#now, font: String(first), size: Number(second) };
    else if (name === "setHScale") this.#now = { ...this.#now, stretch: Number(first) / 100 };
    else if (name === "setTextMatrix") this.#text = this.#line = multiplied(IDENTITY, first);
    else if (name === "moveText") this.#move(Number(first), Number(second));
    else if (name === "setLeadingMoveText") {
      this.#now = { ...this.#now, leading: -Number(second) };
      this.#move(Number(first), Number(second));
    } else if (name === "nextLine") this.#move(0, -this.#now.leading);
    else if (name === "showText" && Array.isArray(first)) this.#show(first);
  }

  #move(x: number, y: number): void {
    this.#text = this.#line = multiplied(this.#line, [1, 0, 0, 1, x, y]);
  }

  #show(glyphs: readonly unknown[]): void {
    const { font, size, stretch, charSpacing, wordSpacing, matrix } = this.#now;
    const scale = this.#scaleOf(font);
    let [text, width] = ["", 0];
    for (const glyph of glyphs) {
      if (typeof glyph === "number") width -= (glyph * size) / 1_000;
      else if (isGlyph(glyph)) {
        text += glyph.unicode;
        // Vertical writing has no width here, so it is not taken for hidden.
        if (glyph.vmetric === undefined)
          width += glyph.width * scale * size + charSpacing + (glyph.isSpace ? wordSpacing : 0);
      }
    }
    const length = width * stretch;
    const box = boxOf([0, 0, length, size * LETTER], this.#toPage(multiplied(matrix, this.#text)));
    this.#text = multiplied(this.#text, [1, 0, 0, 1, length, 0]);
    this.#isPlace = false;
    if (text.trim() === "" || box === undefined) return;
    this.#painter.text(text.trim(), box, { ...this.#now, isFirst: this.#isFirst });
    this.#isFirst = false;
  }

  #path(paint: string, paths: unknown, bounds: unknown): void {
    const placed = this.#toPage(this.#now.matrix);
    const box = boxOf(bounds, placed);
    const data: unknown = Array.isArray(paths) ? paths[0] : undefined;
    if (paint !== "endPath" && data instanceof Float32Array) {
      this.#painter.path(data, placed, box, /fill/i.test(paint) ? this.#now : undefined);
      this.#isPlace = false;
    }
    if (this.#isClip) {
      this.#clip(box);
      if (data instanceof Float32Array && data.length > RECTANGLE) this.#now = { ...this.#now, isPlain: false };
    }
    this.#isClip = false;
  }

  #clip(box: Box | undefined): void {
    if (box === undefined) return;
    this.#now = { ...this.#now, clip: common(this.#now.clip, box) };
  }

  #state(entries: unknown): void {
    for (const entry of Array.isArray(entries) ? entries : []) {
      const [key, value]: readonly unknown[] = Array.isArray(entry) ? entry : [];
      if (key === "ca") this.#now = { ...this.#now, alpha: Number(value) * this.#now.group };
      else if (key === "BM" || key === "SMask")
        this.#now = { ...this.#now, isPlain: this.#now.isPlain && (value === "source-over" || value === false) };
    }
  }

  #save(inner: Partial<Graphics> = {}): void {
    if (this.#saved.length < MAX_SAVED) this.#saved.push(this.#now);
    this.#now = { ...this.#now, ...inner };
    this.#isPlace = false;
  }

  #restore(): void {
    this.#picture();
    this.#now = this.#saved.pop() ?? this.#now;
  }

  /** A picture fills the unit square (ISO 32000-1 §8.9.5.1). */
  #picture(): void {
    const box = this.#isPlace ? boxOf([0, 0, 1, 1], this.#toPage(this.#now.matrix)) : undefined;
    if (box !== undefined) this.#painter.image(box);
    this.#isPlace = false;
  }

  #toPage([a, b, c, d, e, f]: Matrix): Placed {
    return (x, y) => this.#placed(a * x + c * y + e, b * x + d * y + f);
  }
}

interface Glyph {
  readonly unicode: string;
  readonly width: number;
  readonly isSpace: boolean;
  readonly vmetric?: unknown;
}

function isGlyph(glyph: unknown): glyph is Glyph {
  return typeof glyph === "object" && glyph !== null && "unicode" in glyph && "width" in glyph;
}

/** The box around a rectangle. Undefined if the bounds are not those of a rectangle. */
export function boxOf(bounds: unknown, placed: Placed): Box | undefined {
  const [x0, y0, x1, y1] = numbersOf(bounds);
  if (x0 === undefined || y0 === undefined || x1 === undefined || y1 === undefined) return undefined;
  const corners = [placed(x0, y0), placed(x1, y0), placed(x0, y1), placed(x1, y1)];
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}

function numbersOf(list: unknown): number[] {
  return Array.isArray(list) || ArrayBuffer.isView(list) ? Array.from(list as ArrayLike<number>, Number) : [];
}

/** A matrix after another one. Returns the first one if the second is not a matrix. */
function multiplied(matrix: Matrix, by: unknown): Matrix {
  const [a, b, c, d, e, f] = numbersOf(by);
  if (a === undefined || b === undefined || c === undefined || d === undefined) return matrix;
  const [ma, mb, mc, md, me, mf] = matrix;
  const [x, y] = [e ?? 0, f ?? 0];
  const across = [ma * a + mc * b, mb * a + md * b] as const;
  return [...across, ma * c + mc * d, mb * c + md * d, ma * x + mc * y + me, mb * x + md * y + mf];
}
