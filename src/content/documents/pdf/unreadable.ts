import { OWN_CODES } from "./ligatures.ts";
import { type PdfPage } from "./shapes.ts";

/** Characters of a font's text in a PDF that decide whether it is language. Further ones are not looked at. */
const MAX_SAMPLE = 4_000;
/** The minimum number of characters by which a font with guessed characters is judged. */
const MIN_SAMPLE = 20;
/** The minimum number of different characters of such a font. Fonts of drawings have fewer. */
const MIN_CHARACTERS = 10;
/** The character of a code that the table of its font does not map. */
const UNMAPPED = "\uFFFD";
/** The share of a page's characters that may be unreadable, such as bullets, without a word about it. */
const MAX_SILENT = 0.02;
/** Codes of a font whose characters have one byte. A document may name further ones. */
const MAX_CODES = 256;

/** The origin of the characters of a font: its own tables, the names of its glyphs, or nothing but their numbers. */
type Mapping = "known" | "guessed" | "unknown";

/** Names of glyphs that are only numbers. pdf.js takes the number for the character. */
const NUMBERED = /^(?!u(?:ni)?[\dA-F]{4})[A-Za-z]{1,5}[_.]?([\dA-Fa-f]{1,4})$/;

interface Port {
  postMessage(message: { readonly data?: unknown }, transfer: unknown): void;
}

/** The characters of a font of pdf.js, by their codes. */
function charactersOf(font: object): (string | undefined)[] | undefined {
  const map: unknown = "toUnicode" in font ? font.toUnicode : undefined;
  const characters: unknown = Object.entries(map ?? {}).find(([name]) => name === "_map")?.[1];
  return Array.isArray(characters) ? characters : undefined;
}

/** The names of the glyphs of a font of pdf.js, by their codes. */
function namesOf(font: object): { name: string; code: number }[] {
  const names: unknown = "differences" in font ? font.differences : undefined;
  return (Array.isArray(names) ? names : []).slice(0, MAX_CODES).flatMap((name: unknown, code) => {
    return typeof name === "string" && name !== ".notdef" ? [{ name, code }] : [];
  });
}

/** Whether a font is symbolic without an encoding. pdf.js fills its table with the one of a usual font. */
function isBare(font: object): boolean {
  const isSymbolic = "isSymbolicFont" in font && font.isSymbolicFont === true;
  return isSymbolic && "type" in font && font.type === "TrueType" && namesOf(font).length === 0;
}

/** The origin of the characters of a font of pdf.js. */
function mappingOf(font: object): Mapping {
  const map: unknown = "toUnicode" in font ? font.toUnicode : undefined;
  if (typeof map !== "object" || map === null) return "known";
  // pdf.js has no table of the font, and returns the numbers of glyphs.
  if ("composite" in font && font.composite === true && "firstChar" in map) return "unknown";
  const characters = charactersOf(font);
  if (characters === undefined) return "known";
  const used = namesOf(font);
  const guessed = used.filter(({ name, code }) => {
    const number = NUMBERED.exec(name)?.[1];
    const character = characters[code]?.codePointAt(0);
    return number !== undefined && [undefined, Number(number), Number.parseInt(number, 16)].includes(character);
  });
  const isFilled = isBare(font) && !characters.slice(32, 127).includes(undefined);
  return isFilled || guessed.length * 2 > used.length ? "guessed" : "known";
}

/** Marks the codes that the table of a font leaves out or maps to nothing. pdf.js returns them as characters. */
function markUnmapped(font: object): void {
  const characters = charactersOf(font);
  if (characters === undefined || !("toUnicode" in font)) return;
  const isComposite = "composite" in font && font.composite === true;
  const isWhole = isComposite || isBare(font);
  // The usual number of the space in TrueType fonts, which programs often leave out.
  const space = isComposite ? 3 : 32;
  const get = (code: number) => {
    const character = characters[code];
    if (character === undefined ? !isWhole : character !== "" && character !== "\0") return character;
    return code === space ? " " : UNMAPPED;
  };
  Object.assign(Object(font.toUnicode), { get });
}

/** Gives the codes of a bitmap font that are spaces in Unicode characters of their own, since pdf.js leaves spaces out. */
function keepCodes(font: object): void {
  const characters = "type" in font && font.type === "Type3" ? charactersOf(font) : undefined;
  if (characters === undefined) return;
  for (let code = 0x09; code <= 0x0d; code += 1) characters[code] ??= String.fromCharCode(OWN_CODES + code);
}

/** The text of fonts, and which of them do not say which characters they have. */
export class UnreadableFonts {
  readonly #mappings = new Map<string, Mapping>();
  readonly #samples = new Map<string, { mapping: Mapping; text: string }>();

  /**
   * Learns the origin of the characters of each font that pdf.js sends over its port. The port copies what it sends, which
   * takes minutes for sparse tables with codes of 32 bits. So the tables are removed before that.
   */
  watch(port: Port): void {
    const post = port.postMessage.bind(port);
    port.postMessage = (message, transfer) => {
      const [name, kind, font]: readonly unknown[] = Array.isArray(message.data) ? message.data : [];
      if (kind === "Font" && typeof font === "object" && font !== null && "extra" in font) {
        const { extra } = font;
        if (typeof extra === "object" && extra !== null) {
          this.#mappings.set(String(name), mappingOf(extra));
          keepCodes(extra);
          markUnmapped(extra);
        }
        font.extra = undefined;
      }
      post(message, transfer);
    };
  }

  /** Adds a text of a page, as pdf.js returns it. `letters` are the letters of each font on the page. */
  add(font: string, text: string, letters: Map<string, number>): void {
    const mapping = this.#mappings.get(font) ?? "known";
    const sample = this.#samples.getOrInsert(font, { mapping, text: "" });
    if (sample.text.length < MAX_SAMPLE) sample.text += `${text} `;
    letters.set(font, (letters.get(font) ?? 0) + text.trim().length);
  }

  /** The pages without the text of fonts that is not language, and the indexes of pages that lose text by that. */
  without(pages: readonly PdfPage[]): { pages: readonly PdfPage[]; lost: readonly number[] } {
    const fonts = new Set([...this.#samples].flatMap(([font, sample]) => (isReadable(sample) ? [] : [font])));
    const read = pages.map((page) => ({
      ...page,
      runs: page.runs.filter(({ font }) => !fonts.has(font)),
      aside: page.aside.filter(({ font }) => !fonts.has(font)),
    }));
    const lost = read.flatMap(({ runs, aside, letters }, at) => {
      const missing = [...letters].reduce((sum, [font, count]) => sum + (fonts.has(font) ? count : 0), 0);
      const left = [...runs, ...aside].map(({ text }) => text).join("");
      return missing + countOf(left, UNMAPPED) > (missing + left.length) * MAX_SILENT ? [at] : [];
    });
    return { pages: read, lost };
  }
}

/** Whether a text is language, or too short or too unusual to say that it is not. */
function isReadable({ mapping, text }: { mapping: Mapping; text: string }): boolean {
  const all = countOf(text, /\S/g);
  const words = text.match(/[A-Za-z]{3,}/g)?.join("") ?? "";
  const vowels = countOf(words, /[aeiouy]/gi) / Math.max(1, words.length);
  const isLanguage = vowels > 0.25 && vowels < 0.6;
  if (countOf(text, UNMAPPED) > all * 0.1) return false;
  if (mapping === "unknown") return isLanguage && countOf(words, /[a-z]/g) > all * 0.5;
  if (all < MIN_SAMPLE || new Set(text).size < MIN_CHARACTERS) return true;
  if (countOf(text, CONTROLS) > all * 0.2) return false;
  if (mapping === "known") return true;
  if (countOf(text, /[!-/:-@[-`{-~]/g) > all * 0.4) return false;
  return isLanguage || words.length < all * 0.4;
}

const CONTROLS = /[\u0000-\u0008\u000E-\u001F\u007F-\u009F\uFFFD\uE000-\uF8FF]/g;

function countOf(text: string, part: RegExp | string): number {
  return text.split(part).length - 1;
}
