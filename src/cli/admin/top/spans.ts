/** The style of a part of a line, if colours are on. */
export type Style = "plain" | "title" | "dim" | "bad" | "warn" | "good" | "focus";

export interface Span {
  readonly text: string;
  readonly style: Style;
}

export type Paint = (text: string, style: Style) => string;

const CODES: Readonly<Record<Style, string>> = {
  plain: "",
  title: "1",
  dim: "2",
  bad: "31",
  warn: "33",
  good: "32",
  focus: "1;7",
};

/** Paints with ANSI escape sequences. */
export const COLORED: Paint = (text, style) =>
  CODES[style] === "" || text === "" ? text : `\u001b[${CODES[style]}m${text}\u001b[0m`;
/** Leaves texts as they are, for terminals without colors. */
export const COLORLESS: Paint = (text) => text;

const ELLIPSIS = "…";
const segmenter = new Intl.Segmenter();

/** Creates a span. */
export function span(text: string, style: Style = "plain"): Span {
  return { text, style };
}

/** The number of terminal columns that a text takes. */
export function widthOf(text: string): number {
  return Bun.stringWidth(text);
}

/** Shortens the text to at most `width` columns, with an ellipsis if it is cut. */
function cutText(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let cut = "";
  let left = width - 1;
  for (const { segment } of segmenter.segment(text)) {
    left -= widthOf(segment);
    if (left < 0) break;
    cut += segment;
  }
  return width < 1 ? "" : cut + ELLIPSIS;
}

/** Cuts or pads the text to exactly `width` columns. */
export function padText(text: string, width: number, right = false): string {
  const cut = cutText(text, width);
  const blank = " ".repeat(Math.max(width - widthOf(cut), 0));
  return right ? blank + cut : cut + blank;
}

/** Formats a line of at most `width` columns. */
export function paintLine(spans: readonly Span[], width: number, paint: Paint): string {
  let left = width;
  let line = "";
  for (const { text, style } of spans) {
    const cut = cutText(text, left);
    line += paint(cut, style);
    left -= widthOf(cut);
    if (cut !== text || left <= 0) break;
  }
  return line;
}
