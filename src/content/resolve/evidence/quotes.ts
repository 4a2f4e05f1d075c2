/** Characters of the shortest quote that is not a coincidence, after normalization. */
const MIN_QUOTE = 8;

const WHITE_SPACE = /[\s\p{Cf}]+/gu;
const DOUBLE_QUOTES = /[\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u300c-\u300f\uff02]/gu;
const SINGLE_QUOTES = /[\u2018\u2019\u201a\u201b\u2039\u203a\u2032\u00b4`\uff07]/gu;
const DASHES = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/gu;

/** Normalizes white space, quotation marks, dashes and Markdown emphasis. */
function evened(text: string): string {
  return text
    .normalize("NFC")
    .replace(/\u00ad/g, "")
    .replace(DOUBLE_QUOTES, '"')
    .replace(SINGLE_QUOTES, "'")
    .replace(DASHES, "-")
    .replace(/\u2026/g, "...")
    .replace(/[*_\\]/g, "")
    .replace(WHITE_SPACE, " ")
    .trim();
}

/** A source's text, normalized once for any number of quotes. */
export class QuotedText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = evened(text);
  }

  /** Whether the text contains a quote. Always false for quotes of a few characters, which prove nothing. */
  has(quote: string): boolean {
    const sought = evened(quote);
    return sought.length >= MIN_QUOTE && this.#text.includes(sought);
  }
}
