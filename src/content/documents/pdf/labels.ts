export interface Label {
  /** The number of an item in a numbered list. Undefined for bullets and other labels. */
  readonly number: number | undefined;
  /** Letters of the label in the line, including the space after it. 0 if the label stays in the text. */
  readonly length: number;
}

/** Bullets at the beginning of a line. Fonts of symbols have them among characters for private use. */
const BULLET =
  /^[\u0088\u2022\u25E6\u25AA\u25CF\u25CB\u25A0\u25A1\u2023\u2043\u2219\u00B7\u25C6\u27A2\u27A4\u2713\u2756\uE000-\uF8FF*\u2013\u2014-](?:\s+(?=\S)|$)/;
const NUMBER = /^\(?(\d{1,3})[.)]\s+(?=\S)/;
const LETTER = /^(?:\(?[a-zA-Z][.)]|\([ivx]{1,5}\)|[ivx]{2,5}[.)]|\[\d{1,3}\])\s+(?=\S)/;

/** The label at the beginning of a line. */
export function labelOf(text: string): Label | undefined {
  const bullet = BULLET.exec(text);
  if (bullet !== null) return { number: undefined, length: bullet[0].length };
  const number = NUMBER.exec(text);
  if (number !== null) return { number: Number(number[1]), length: number[0].length };
  return LETTER.test(text) ? { number: undefined, length: 0 } : undefined;
}

/** Whether a text is only a label. Such labels are separate from their item or heading. */
export function isLabel(text: string): boolean {
  return labelOf(`${text} x`) !== undefined || /^(?:\d{1,3}|[A-Z])(?:\.\d{1,3}){0,5}\.?$/.test(text);
}

/** A row of dots between an entry and its page number, as in tables of contents. */
const LEADER = /(?:\s?[.\u2026\u00B7]){4,}\s*|(?:\s\.){2,}\s*(?=[\divxlc]{1,7}$)/;
/** A part of each leader, which is found in less time than the whole. */
const TWO_DOTS = /[.\u2026\u00B7]\s?[.\u2026\u00B7]/;

/** True if the text has a leader: the dots between an entry of a contents list and its page number. */
export function hasLeader(text: string): boolean {
  return TWO_DOTS.test(text) && LEADER.test(text);
}

/** Replaces the first leader with one ellipsis. */
export function withoutLeader(text: string): string {
  return text.replace(LEADER, " \u2026 ").trim();
}
