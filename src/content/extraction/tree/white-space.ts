/** Characters without width that only allow a line break, and white space that is shown as one space. */
const FOLDED = /[\u00AD\u200B\u2060\uFEFF]|[ \t\n\f\r\u00A0]+/g;
const NEEDS_FOLDING = /[\u00AD\u200B\u2060\uFEFF\t\n\f\r\u00A0]| {2}/;

/** The text with white space folded as in browsers. Non-breaking spaces become spaces. */
export function foldWhiteSpace(text: string): string {
  return NEEDS_FOLDING.test(text) ? text.replace(FOLDED, fold) : text;
}

function fold(found: string): string {
  return found === "\u00AD" || found === "\u200B" || found === "\u2060" || found === "\uFEFF" ? "" : " ";
}
