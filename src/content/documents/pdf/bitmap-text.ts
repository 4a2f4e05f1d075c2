import { type Matrix, multiplied, type OperatorList } from "./rules.ts";

/** Maximum number of glyphs in bitmap fonts on one page of a PDF that are read. The rest is ignored. */
const MAX_GLYPHS = 100_000;
/** Saved text positions of a PDF page. Deeper ones are ignored. */
const MAX_SAVED = 200;
/** The usual width of letters, in sizes: of all letters, of letters that have the same width, and of signs. */
const USUAL_WIDTH = 0.47;
const MONO_WIDTH = 0.525;
const USUAL_SIGN = 0.6;
/** Letters that have different widths in most fonts. */
const NARROW = ["i", "j", "l", "f", "t"];
const WIDE = ["m", "w", "a", "g", "d"];
/** The maximum distance of letters in one word from their usual place, in widths of the letter before it. */
const MAX_KERN = 0.2;

/** A font of Type 3: its characters are drawings, mostly bitmaps. */
export interface BitmapFont {
  /** Its characters' width for a width of 1 in the file. */
  readonly scale: number;
}

/** A text in the form of pdf.js's text items. */
export interface BitmapText {
  readonly str: string;
  readonly dir: "ltr";
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly fontName: string;
}

/** Operators of texts by name, with pdf.js's numbers. */
export interface TextOperators {
  readonly save: number;
  readonly restore: number;
  readonly transform: number;
  readonly paintFormXObjectBegin: number;
  readonly paintFormXObjectEnd: number;
  readonly beginText: number;
  readonly setFont: number;
  readonly setTextMatrix: number;
  readonly moveText: number;
  readonly setLeadingMoveText: number;
  readonly showText: number;
}

interface State {
  matrix: Matrix;
  font: string;
  size: number;
}

/** The widths of a font's letters on the pages so far. */
interface Letters {
  width: number;
  count: number;
  /** The same of all glyphs, also those that are not letters. */
  all: number;
  glyphs: number;
  readonly widths: Map<string, number>;
}

/**
 * Reads texts in bitmap fonts from the drawing operators. pdf.js reads the codes 9 to 13 of such fonts as white space,
 * but TeX has ligatures there. It also reads glyphs named CR so, which PostScript converters use for any letter.
 */
export class BitmapTexts {
  readonly #operators: TextOperators;
  readonly #fonts = new Map<string, Letters>();
  #isLossy = false;

  constructor(operators: TextOperators) {
    this.#operators = operators;
  }

  /** The texts of a page in these fonts. Empty if pdf.js reads all their letters. */
  read({ fnArray, argsArray }: OperatorList, fontOf: (name: string) => BitmapFont | undefined): BitmapText[] {
    const ops = this.#operators;
    const texts: BitmapText[] = [];
    const saved: State[] = [];
    let state: State = { matrix: [1, 0, 0, 1, 0, 0], font: "", size: 1 };
    let [line, at]: [Matrix, Matrix] = [
      [1, 0, 0, 1, 0, 0],
      [1, 0, 0, 1, 0, 0],
    ];
    let left = MAX_GLYPHS;
    const draw: Record<number, (args: readonly unknown[]) => void> = {
      [ops.save]: () => void (saved.length < MAX_SAVED && saved.push({ ...state })),
      [ops.restore]: () => (state = saved.pop() ?? state),
      [ops.transform]: (args) => (state.matrix = multiplied(state.matrix, args)),
      [ops.paintFormXObjectBegin]: ([matrix]) => {
        if (saved.length < MAX_SAVED) saved.push({ ...state });
        state = { ...state, matrix: multiplied(state.matrix, matrix) };
      },
      [ops.paintFormXObjectEnd]: () => (state = saved.pop() ?? state),
      [ops.beginText]: () => (line = at = [1, 0, 0, 1, 0, 0]),
      [ops.setFont]: ([font, size]) => (state = { ...state, font: String(font), size: Number(size) }),
      [ops.setTextMatrix]: (args) => (line = at = multiplied([1, 0, 0, 1, 0, 0], numbersOf(args))),
      [ops.moveText]: ([x, y]) => (line = at = multiplied(line, [1, 0, 0, 1, Number(x), Number(y)])),
      [ops.setLeadingMoveText]: ([x, y]) => (line = at = multiplied(line, [1, 0, 0, 1, Number(x), Number(y)])),
      [ops.showText]: ([glyphs]) => {
        const font = fontOf(state.font);
        if (font === undefined || !Array.isArray(glyphs)) return;
        left -= glyphs.length;
        if (left >= 0) at = this.#show(glyphs, { ...state, at, scale: font.scale }, texts);
      },
    };
    for (const [index, operator] of fnArray.entries()) {
      const args = argsArray[index];
      draw[operator]?.(Array.isArray(args) ? args : []);
    }
    return this.#isLossy ? texts : [];
  }

  /** Adds the texts of one operator, split where the file moves the position. Returns the position after them. */
  #show(
    glyphs: readonly unknown[],
    { matrix, font, size, at, scale }: State & { at: Matrix; scale: number },
    texts: BitmapText[],
  ): Matrix {
    let place = at;
    let [str, width, last] = ["", 0, 0];
    const end = () => {
      const placed = multiplied(matrix, place);
      const across = Math.hypot(placed[0], placed[1]);
      if (str.trim() !== "") {
        const transform = multiplied(placed, [size, 0, 0, size, 0, 0]);
        texts.push({ str, dir: "ltr", transform, width: width * across, height: size, fontName: font });
      }
      place = multiplied(place, [1, 0, 0, 1, width, 0]);
      [str, width] = ["", 0];
    };
    for (const glyph of glyphs) {
      if (typeof glyph === "number") {
        const move = (-glyph / 1000) * size;
        if (Math.abs(move) < last * MAX_KERN) {
          width += move;
          continue;
        }
        end();
        place = multiplied(place, [1, 0, 0, 1, move, 0]);
      } else if (typeof glyph === "object" && glyph !== null && "width" in glyph) {
        const letter = letterOf(glyph);
        this.#isLossy ||= "unicode" in glyph && letter !== glyph.unicode && letter !== " ";
        const advance = Number(glyph.width) * scale * size;
        this.#learn(font, letter, Number(glyph.width) * scale);
        str += letter;
        width += advance;
        last = advance;
      }
    }
    end();
    return place;
  }

  #learn(font: string, letter: string, width: number): void {
    const found = this.#fonts.get(font) ?? { width: 0, count: 0, all: 0, glyphs: 0, widths: new Map<string, number>() };
    this.#fonts.set(font, found);
    found.all += width;
    found.glyphs += 1;
    if (!/[a-z]/.test(letter)) return;
    found.width += width;
    found.count += 1;
    if (found.widths.size < 26) found.widths.set(letter, width);
  }

  /** Whether all letters of a font that were seen have the same width. */
  isMono(font: string): boolean {
    const widths = this.#fonts.get(font)?.widths ?? new Map<string, number>();
    const isMixed = NARROW.some((letter) => widths.has(letter)) && WIDE.some((letter) => widths.has(letter));
    const all = [...widths.values()];
    return isMixed && Math.max(...all) - Math.min(...all) < Math.max(...all) * 0.02;
  }

  /**
   * The size of a font's letters for a size of 1 in the file, by their widths: the size in the file may have any unit.
   * Undefined without glyphs.
   */
  sizeOf(font: string): number | undefined {
    const letters = this.#fonts.get(font);
    if (letters === undefined || letters.glyphs === 0) return undefined;
    if (letters.count < 3) return letters.all / letters.glyphs / USUAL_SIGN;
    return letters.width / letters.count / (this.isMono(font) ? MONO_WIDTH : USUAL_WIDTH);
  }
}

function numbersOf(args: readonly unknown[]): unknown {
  return Array.isArray(args[0]) || ArrayBuffer.isView(args[0]) ? args[0] : args;
}

/** The character of a glyph: that of its code, if its name or its code stands for white space. */
function letterOf(glyph: object): string {
  const unicode = "unicode" in glyph && typeof glyph.unicode === "string" ? glyph.unicode : "";
  const code = "originalCharCode" in glyph ? Number(glyph.originalCharCode) : 0;
  // PostScript converters write codes as two signs, some of which are also names of characters: CR, AE, CL.
  const name = "operatorListId" in glyph && typeof glyph.operatorListId === "string" ? glyph.operatorListId : "";
  const isLost = /^[\t-\r]$/.test(unicode) || unicode === "" || /^[A-Z][A-Z\d]$/.test(name);
  return isLost && code >= 0 && code < 127 ? String.fromCharCode(code) : unicode;
}
