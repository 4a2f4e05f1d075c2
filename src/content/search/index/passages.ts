import { HEADING_MARK } from "../../extraction/plain-text.ts";

/** Characters of a heading that are indexed. */
const MAX_HEADING = 200;
/** Passages of a page. The text after them is not indexed. */
export const MAX_PASSAGES = 1_000;

/** A part of a page that is found and scored by itself. */
export interface Passage {
  /** The headings of the sections that it belongs to. */
  readonly heading: string;
  readonly text: string;
}

/** The passages of a text in which each heading begins with `HEADING_MARK` and ends with its line. There is at least one. */
export function passagesOf(text: string, length: number): Passage[] {
  const passages: Passage[] = [];
  for (const [at, section] of text.split(HEADING_MARK).entries()) {
    const heading = at === 0 ? "" : (section.split("\n", 1)[0] ?? "").slice(0, MAX_HEADING);
    for (const piece of pieces(section, length)) {
      const last = passages.at(-1);
      // Short sections share a passage.
      if (last !== undefined && last.text.length + piece.length < length * 0.7) {
        const headings = last.heading === heading ? heading : `${last.heading} ${heading}`;
        passages[passages.length - 1] = { heading: headings, text: `${last.text}\n${piece}` };
      } else passages.push({ heading, text: piece });
    }
  }
  return passages.slice(0, MAX_PASSAGES);
}

/** A text cut between words into pieces of at most `length` characters. */
function pieces(text: string, length: number): string[] {
  const found: string[] = [];
  for (let from = 0; from < text.length || found.length === 0; ) {
    const space = from + length < text.length ? text.lastIndexOf(" ", from + length) : text.length;
    const to = space > from + length / 2 ? space : from + length;
    found.push(text.slice(from, to));
    from = to;
  }
  return found;
}
