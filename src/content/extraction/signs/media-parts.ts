import { endOfValue } from "./code-values.ts";
import { wordsOf } from "./shown-words.ts";

/** Width in pixels of the browser's window. */
const WINDOW_WIDTH = 1280;
/** Maximum number of media queries that are examined in one script, of characters of a call, and of a part. */
const MAX_EXAMINED = 40;
const MAX_CALL_LENGTH = 400;
const MAX_PART_LENGTH = 4_000;

/** A call with a media query, as its first argument: `useMediaQuery("(min-width: 700px)")`. */
const QUERY =
  /(?:([\w$]{1,40})\s{0,3}=\s{0,3})?(?<![\w$.])(?:\(0,\s{0,3}[\w$.]{1,40}\)|[\w$]{1,40})(\(\s{0,3}["'`](?:screen and )?\(min-width:\s{0,3}(\d{1,4})(px|r?em)\)["'`])/g;

/** The pixels of a unit. */
const UNITS: Readonly<Record<string, number>> = { px: 1, em: 16, rem: 16 };

/** The beginning of the part that is shown if a condition is true. */
const IF_TRUE = /^\s{0,3}(?:\?|&&)\s{0,3}/;

/**
 * Whether a script shows words, in a window as wide as the browser's, that the server did not render since it does not
 * know the window: `useMediaQuery("(min-width: 700px)") && <aside>…</aside>`.
 */
export function showsInWideWindow(code: string, shown: string): boolean {
  for (const match of code.matchAll(QUERY).take(MAX_EXAMINED)) {
    const [whole, variable, call = "", size = "", unit = ""] = match;
    if (Number(size) * (UNITS[unit] ?? 1) > WINDOW_WIDTH) continue;
    const open = match.index + whole.length - call.length;
    const end = open + endOfCall(code.slice(open, open + MAX_CALL_LENGTH));
    const part = partAfter(code.slice(end, end + MAX_PART_LENGTH), variable);
    if (wordsOf(part).some((text) => !shown.includes(text))) return true;
  }
  return false;
}

/** The index after the bracket that closes the one at the beginning of the text. */
function endOfCall(text: string): number {
  let at = endOfValue(text, 1);
  while (text.charAt(at) === ",") at = endOfValue(text, at + 1);
  return at + 1;
}

/** The part that is shown if the value before the text, or the variable that has it, is true. */
function partAfter(text: string, variable: string | undefined): string {
  const direct = IF_TRUE.exec(text);
  if (direct !== null) return partFrom(text, direct[0].length);
  if (variable === undefined) return "";
  const name = variable.replaceAll("$", "\\$");
  const used = new RegExp(`(?<![\\w$.])${name}\\s{0,3}(?:\\?|&&)\\s{0,3}(?!\\.)`).exec(text);
  return used === null ? "" : partFrom(text, used.index + used[0].length);
}

/** The value that begins here, up to the other case. */
function partFrom(text: string, start: number): string {
  const whole = text.slice(start, endOfValue(text, start));
  let depth = 0;
  for (let at = 0; at < whole.length; at += 1) {
    const char = whole.charAt(at);
    if (/[([{]/.test(char)) depth += 1;
    else if (/[)\]}]/.test(char)) depth -= 1;
    else if (char === ":" && depth === 0) return whole.slice(0, at);
  }
  return whole;
}
