/** JSON with comments and trailing commas, as editors write it. */
import { createScanner } from "jsonc-parser";
import { type ParsedJson, parseJson, positionAt, positionText, visitJson, withoutMark } from "./json.ts";
import { type TextFormat } from "./text-format.ts";

/** JSON (RFC 8259) with comments and trailing commas: the format of `.jsonc` files. */
export const JSONC_FORMAT: TextFormat = {
  name: "jsonc",
  parse,
  visit: (text, visit) => visitJson(plainJson(text).text, visit),
};

function parse(text: string): ParsedJson {
  const { text: plain, unclosed } = plainJson(text);
  if (unclosed === undefined) return parseJson(plain);
  return { ok: false, error: `${positionText(positionAt(plain, unclosed))}: a comment is not closed` };
}

/**
 * Replaces comments, and commas before a closing bracket, with spaces, so that all other text keeps its line and
 * column. `unclosed` is the offset of a comment without an end. @internal
 */
export function plainJson(source: string): { readonly text: string; readonly unclosed: number | undefined } {
  const text = withoutMark(source);
  const scanner = createScanner(text, false);
  const blanks: (readonly [start: number, end: number])[] = [];
  let unclosed: number | undefined;
  // The first character of the token before and the offset of the last comma: they show whether a comma follows a
  // value.
  let last = "";
  let comma: number | undefined;
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const start = scanner.getTokenOffset();
    const end = start + scanner.getTokenLength();
    const first = text.charAt(start);
    if (isComment(text, start)) {
      blanks.push([start, end]);
      if (first + text.charAt(start + 1) === "/*" && !isClosed(text.slice(start, end))) unclosed ??= start;
    } else if (first.trim() !== "") {
      if ("}]".includes(first) && comma !== undefined) blanks.push([comma, comma + 1]);
      comma = first === "," && !["", ",", ":", "{", "["].includes(last) ? start : undefined;
      last = first;
    }
  }
  return { text: blanked(text, blanks), unclosed };
}

function isComment(text: string, start: number): boolean {
  return text.startsWith("//", start) || text.startsWith("/*", start);
}

function isClosed(comment: string): boolean {
  return comment.length >= "/**/".length && comment.endsWith("*/");
}

function blanked(text: string, blanks: readonly (readonly [start: number, end: number])[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const [start, end] of blanks.toSorted(([a], [b]) => a - b)) {
    pieces.push(text.slice(at, start), text.slice(start, end).replaceAll(/[^\r\n]/g, " "));
    at = end;
  }
  return pieces.join("") + text.slice(at);
}
