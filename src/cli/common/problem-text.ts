import { isObject, type JsonRecord } from "../../lib/is-object.ts";
import { parsedJson } from "../../lib/parsed-json.ts";
import { visibleText } from "../../lib/text/visible-text.ts";

/** Characters of each text of a response that are shown. The rest is left out. */
const MAX_TEXT = 2000;

/** The members of a response's JSON object, such as a problem document (RFC 9457); empty if the text is something else. */
export function membersOf(text: string): JsonRecord {
  const value = parsedJson(text);
  return isObject(value) ? value : {};
}

/** A text of a response as one line that is safe to print on a terminal; empty if the value is not a text. */
export function wordsOf(value: unknown): string {
  return typeof value === "string" ? visibleText(value.slice(0, MAX_TEXT).replaceAll(/[\t\n\r ]+/g, " ")).trim() : "";
}
