/** Characters of TeX's text encodings that are control characters in Unicode. */
const LIGATURES = ["ff", "fi", "fl", "ffi", "ffl"];
/**
 * The code of `ff` in T1 and in OT1. The other ligatures follow it.
 */
const T1 = 27;
const OT1 = 11;
/** Codes 16 to 22 of T1: quotation marks and dashes. */
const T1_SIGNS = ["\u201C", "\u201D", "\u201E", "\u00AB", "\u00BB", "\u2013", "\u2014"];
const FIRST_T1_SIGN = 16;
/** Signs and accents of OT1 at codes where Unicode has others. */
const OT1_SIGNS: Readonly<Record<string, string>> = {
  "\u0010": "\u0131",
  "\u0012": "`",
  "\u0013": "\u00B4",
  "\u0014": "\u02C7",
  "\u0015": "\u02D8",
  "\u0016": "\u00AF",
  "\u0017": "\u02DA",
  "\u0018": "\u00B8",
  "\u0019": "\u00DF",
  "\u001A": "\u00E6",
  "\u007F": "\u00A8",
};
const OT1_SIGN = /[\u0010\u0012-\u001A\u007F]/g;

const CONTROL = /[\u000B-\u001F]/;
const CONTROLS = /[\u000B-\u001F]/g;
/** The beginning of the characters that represent codes of a bitmap font which are spaces in Unicode. */
export const OWN_CODES = 0xe000;

/** A text with the codes that such characters represent. */
export function withCodes(text: string): string {
  return text.replace(/[\uE009-\uE00D]/g, (own) => String.fromCharCode(own.charCodeAt(0) - OWN_CODES));
}

/** Letters of one word with such codes in it. */
const WORDS = /[A-Za-z\u000B-\u000F\u001B-\u001F]+/g;

/** The part of pdf.js's text items that is used. */
interface FontText {
  readonly str: string;
  readonly fontName: string;
}

/**
 * The ligatures of bitmap fonts that TeX writes. Such a font is of Type 3 and has no Unicode table, so pdf.js returns the
 * codes of its characters. Whether a document uses the encoding T1 or OT1 is counted over the words of its fonts.
 */
export class Ligatures {
  /** Type 3 fonts in which a word of three or more lower case letters was seen. Others may be mathematical. */
  readonly #texts = new Set<string>();
  /** Fonts with ligatures of T1. */
  readonly #signs = new Set<string>();
  #t1 = 0;
  #ot1 = 0;

  /** Counts the codes of a page. Returns whether the page has text with codes that may be ligatures. */
  learn(items: readonly FontText[], isType3: (font: string) => boolean): boolean {
    for (const { str, fontName } of items) {
      if (!this.#texts.has(fontName) && /[a-z]{3}/.test(str) && isType3(fontName)) this.#texts.add(fontName);
    }
    let isFound = false;
    for (const { str, fontName } of items) {
      if (!CONTROL.test(str) || !this.#texts.has(fontName)) continue;
      isFound = true;
      for (const [word] of str.matchAll(WORDS)) this.#count(word, fontName);
    }
    return isFound;
  }

  #count(word: string, font: string): void {
    // Codes alone may be other signs, such as Greek letters.
    if (!/[A-Za-z]/.test(word)) return;
    for (const [letter] of word.matchAll(CONTROLS)) {
      if (letter.charCodeAt(0) >= T1) {
        this.#t1 += 1;
        this.#signs.add(font);
      } else this.#ot1 += 1;
    }
  }

  /** The text of an item, with letters in the place of codes. Codes that are not certain are kept. */
  read({ str, fontName }: FontText): string {
    if (!this.#texts.has(fontName) || this.#t1 === this.#ot1) return str;
    const isT1 = this.#t1 > this.#ot1;
    if (!CONTROL.test(str) && isT1) return str;
    const first = isT1 ? T1 : OT1;
    const text = str.replace(WORDS, (word) => {
      return word.replace(CONTROLS, (letter) => LIGATURES[letter.charCodeAt(0) - first] ?? letter);
    });
    if (!isT1) return text.replace(OT1_SIGN, (sign) => OT1_SIGNS[sign] ?? sign);
    if (!this.#signs.has(fontName)) return text;
    return text.replace(/[\u0010-\u0016]/g, (sign) => T1_SIGNS[sign.charCodeAt(0) - FIRST_T1_SIGN] ?? sign);
  }
}
