import { type Survey } from "./survey.ts";

/** Maximum number of characters of the data in a page with which scripts are compared. */
const MAX_DATA = 60_000;

/** The beginning of the page's text, with single spaces. */
export function shownText({ shown }: Survey): string {
  return spaced(shown.join(" "));
}

function spaced(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

/** The data that the document contains for its scripts: JSON, and values that inline code assigns. */
export function dataFor({ code }: Survey): string {
  const found: string[] = [];
  let left = MAX_DATA;
  for (const text of [...code.dataText, ...code.inline.map(({ whole }) => whole)]) {
    if (left <= 0) break;
    found.push(text.slice(0, left));
    left -= text.length;
  }
  return found.join("\n");
}

/** A literal text of a script with at least two words, and one in an element's HTML. */
const WORDS = /["'`>]([^"'`<>{}$\\=;()[\]|/]{2,60}\s[^"'`<>{}$\\=;()[\]|/]{2,120})["'`<]/g;

/** Maximum number of literal texts of a script that are compared. */
const MAX_WORDS = 60;

/** A literal of one word, as headings and labels are. */
const HEADING = /["'`>](\p{Lu}\p{Ll}{3,30})["'`<]/gu;

/** The texts in a script that a page may show: those of several words, or else of one. */
export function wordsOf(code: string): string[] {
  const found: string[] = [];
  for (const [, words = ""] of code.matchAll(WORDS).take(MAX_WORDS)) {
    const text = spaced(words).trim();
    if (/\p{L}{2,}\s(?:.{0,60}\s)?\P{L}{0,3}\p{L}{2,}/u.test(text)) found.push(text);
  }
  return found.length > 0 ? found : Array.from(code.matchAll(HEADING).take(MAX_WORDS), ([, word = ""]) => word);
}

/**
 * Whether the page shows words of a script that renders a part of it. True for a script without words. A part of which
 * the server rendered no word is shown later: on another page of the site, or when a user opens it.
 */
export function isRendered(code: string, shown: string): boolean {
  const words = wordsOf(code);
  return words.length === 0 || words.some((text) => shown.includes(text));
}

/** Whether the page shows a text that is a value in the document's data, so that the server had the data. */
export function showsData(data: string, shown: string): boolean {
  let checked = 0;
  for (const [, value = ""] of data.matchAll(/\\?"([^"\\]{8,200})\\?"/g)) {
    checked += 1;
    if (checked > MAX_WORDS * 4) return false;
    if (value.includes(" ") && shown.includes(spaced(value))) return true;
  }
  return false;
}
