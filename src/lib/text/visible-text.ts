/** Characters that steer a terminal, end a line, reverse the direction of text, have no glyph, or look empty. */
const INVISIBLE = String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]`;
/** Combining marks on one character; more of them cover the lines above and below. No script needs more. */
const MAX_MARKS = 6;

const UNSEEN = new RegExp(INVISIBLE, "gu");
/** The marks at the start would combine with what is shown before the text. */
const UNCLEAR = new RegExp(`${INVISIBLE}|^\\p{M}+|\\p{M}{${MAX_MARKS + 1},}`, "gu");
/** White space that is shown as one space, or not at all. */
const ODD_SPACE = /^ | {2}| $|[^\S ]/;

/** A stranger's text as one line in which every character can be seen: `\u{202e}` in place of an invisible one. */
export function visibleText(text: string): string {
  return text.replace(UNCLEAR, (found) => Array.from(found, (one) => `\\u{${codeOf(one)}}`).join(""));
}

/** Like `visibleText`, for a text of several lines. Line breaks and tabs stay. */
export function visibleLines(text: string): string {
  return text.replace(/[^\n\t]+/g, visibleText);
}

/** JSON with invisible characters escaped. Its value is the same. Line breaks of the indentation stay. */
export function visibleJson(value: unknown, indent?: number): string {
  return escapeJson(JSON.stringify(value, undefined, indent));
}

/** Escapes the invisible characters of JSON, except its line breaks. */
function escapeJson(json: string): string {
  return json.replace(UNSEEN, (found) =>
    found === "\n" ? found : found.replaceAll(/[^]/g, (unit) => `\\u${codeOf(unit).padStart(4, "0")}`),
  );
}

/**
 * True if the text is fit to be a name: two different ones do not look alike because of invisible characters, odd white
 * space or another normalisation than NFC. Letters of different scripts can still look alike.
 */
export function isPlainName(text: string): boolean {
  return !ODD_SPACE.test(text) && visibleText(text) === text && text.normalize("NFC") === text;
}

function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16);
}
