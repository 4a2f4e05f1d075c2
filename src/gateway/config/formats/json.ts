import { JsonError, type JsonVisit, readJsonText } from "../../../lib/json-schema/read-json.ts";

/** Levels of nested objects and lists in JSON; a text with more is refused. @operator */
export const MAX_DEPTH = 64;

/** The error of a string that is not text: it has no UTF-8 form, and cannot be part of a URL. */
export const HALF_CHARACTER = "a string holds half of a surrogate pair";
/** An escaped surrogate pair, half of one (group 1), or the beginning of another escape. */
const ESCAPES = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(\\u[dD][89a-fA-F][\da-fA-F]{2})|\\[^]/g;

/** A position in a text. Both numbers count from 1; columns are UTF-16 code units. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** A parsed text, or its first error with line and column. */
export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: string };

/**
 * Parses JSON (RFC 8259) after an optional byte order mark. Refuses an object with the same key twice, because it is
 * unclear which value counts. Errors have line and column (from 1) and at most one character of the text.
 */
export function parseJson(text: string): ParsedJson {
  const body = withoutMark(text);
  try {
    readJsonText(body, MAX_DEPTH);
    for (const { 1: half, index } of body.matchAll(ESCAPES))
      if (half !== undefined) throw new JsonError(HALF_CHARACTER, index);
    const value: unknown = JSON.parse(body);
    return { ok: true, value };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return { ok: false, error: `${positionText(positionAt(body, error.at))}: ${error.reason}` };
  }
}

/** Visits every member and item of a text that `parseJson` accepts. */
export function visitJson(text: string, visit: JsonVisit): void {
  readJsonText(withoutMark(text), MAX_DEPTH, visit);
}

/** The line and column of an offset in a text. */
export function positionAt(text: string, offset: number): TextPosition {
  const before = withoutMark(text).slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

/** Returns a function that finds positions in a text as `positionAt` does, without a search from its beginning each time. */
export function positionsIn(text: string): (offset: number) => TextPosition {
  const body = withoutMark(text);
  const starts = [0];
  for (let at = body.indexOf("\n"); at >= 0; at = body.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: Math.min(offset, body.length) - (starts[low] ?? 0) + 1 };
  };
}

/** `line 3, column 5`. */
export function positionText({ line, column }: TextPosition): string {
  return `line ${line}, column ${column}`;
}

/** True if a value has more than `most` levels of nested objects and lists. */
export function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return most === 0 || Object.values(value).some((member) => isDeeper(member, most - 1));
}

/** A text without its byte order mark. */
export function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
