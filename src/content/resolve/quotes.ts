/** The shortest quote that can be told from a coincidence, in characters after evening out. */
const MIN_QUOTE = 8;

const WHITE_SPACE = /[\s\p{Cf}]+/gu;
const DOUBLE_QUOTES = /[\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u300c-\u300f\uff02]/gu;
const SINGLE_QUOTES = /[\u2018\u2019\u201a\u201b\u2039\u203a\u2032\u00b4`\uff07]/gu;
const DASHES = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/gu;

/** The text as quotes are compared: without differences of white space, quotation marks, dashes and Markdown emphasis. */
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

/** A source's text, evened out once for any number of quotes. */
export class QuotedText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = evened(text);
  }

  /** Whether a quote stands in the text as it is. A quote of a few characters stands nowhere: it proves nothing. */
  has(quote: string): boolean {
    const sought = evened(quote);
    return sought.length >= MIN_QUOTE && this.#text.includes(sought);
  }
}
