import { automaticCode } from "./automatic-code.ts";
import { containsName } from "./placeholders.ts";

/** Names of the event, in a listener or as a method or property. */
const SCROLL_EVENT = /(["'`.]|\.on)scroll(?=end\b|\b)/g;
/** Another name of the same length, which is not known as the event of a user. */
const OTHER_EVENT = "$1sxroll";

/** Code that writes text or elements. A progress bar or a button that appears only changes its style. */
const FILLS =
  /\.(?:textContent|innerText|innerHTML)\s{0,3}\+?=(?!=)|\.(?:insertAdjacent\w{4,7}|replaceChildren|replaceWith|append|appendChild|prepend|html|text|load)\s{0,3}\(\s{0,3}[^\s)]/;

/**
 * The names of empty elements and placeholders that a script fills when the page is scrolled, as the browser does once.
 * Undefined if it fills no element.
 */
export function filledOnScroll(script: string, names: readonly string[]): readonly string[] | undefined {
  if (names.length === 0 || !script.includes("scroll") || !FILLS.test(script)) return undefined;
  const { code, bare } = automaticCode(script.replace(SCROLL_EVENT, OTHER_EVENT));
  if (!FILLS.test(bare)) return undefined;
  const filled = names.filter((name) => containsName(code, name));
  return filled.length > 0 ? filled : undefined;
}
