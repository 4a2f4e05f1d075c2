/** Characters of a snippet, and characters that it may begin before the first word found. */
const SNIPPET = 300;
const LEAD = 60;
/** Maximum number of word positions that are compared. */
const MAX_PLACES = 400;

/** The part of a text that contains the most words. */
export function snippetOf(text: string, terms: readonly string[]): string {
  const folded = fold(text);
  const places: { readonly at: number; readonly term: number }[] = [];
  for (const [term, word] of terms.entries()) {
    const sought = fold(word);
    let at = folded.indexOf(sought);
    for (let n = 0; at >= 0 && n < MAX_PLACES / terms.length; n += 1) {
      places.push({ at, term });
      at = folded.indexOf(sought, at + sought.length);
    }
  }
  places.sort((a, b) => a.at - b.at);
  const start = Math.max(0, bestPlace(places) - LEAD);
  const from = start === 0 ? 0 : wordStart(text, start);
  const piece = text
    .slice(from, from + SNIPPET)
    .toWellFormed()
    .replaceAll("\ufffd", "")
    .replace(/\s+/g, " ")
    .trim();
  return `${from > 0 ? "…" : ""}${piece}${from + SNIPPET < text.length ? "…" : ""}`;
}

function bestPlace(places: readonly { readonly at: number; readonly term: number }[]): number {
  let best = { at: 0, words: 0 };
  for (const [index, { at }] of places.entries()) {
    const words = new Set<number>();
    for (let next = index; next < places.length; next += 1) {
      const place = places[next];
      if (place === undefined || place.at > at + SNIPPET - LEAD) break;
      words.add(place.term);
    }
    if (words.size > best.words) best = { at, words: words.size };
  }
  return best.at;
}

function wordStart(text: string, from: number): number {
  const space = text.slice(from, from + LEAD).search(/\s/);
  return space < 0 ? from : from + space + 1;
}

/** Removes case and accents. The result has one character for each of the text's, so that indexes correspond. */
function fold(text: string): string {
  const lower = text.toLowerCase();
  const same = lower.length === text.length ? lower : text;
  return same.replace(/[\u00c0-\u024f]/g, (letter) => letter.normalize("NFD").charAt(0));
}
