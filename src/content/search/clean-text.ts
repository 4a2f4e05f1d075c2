import type * as Parsers from "htmlparser2";
import { cut } from "../../lib/text/cut-text.ts";

/** Maximum number of characters of a provider's text that are read. No title or snippet is longer. */
const MAX_RAW_LENGTH = 20_000;

/** Maximum number of characters of a title and of a snippet in results. */
export const MAX_TITLE_LENGTH = 300;
export const MAX_SNIPPET_LENGTH = 500;

/** Tags with which providers mark words. Other text in angle brackets is content: `vector<int>`. */
const TAG =
  /<\/?(?:a|abbr|b|br|cite|code|div|em|font|i|img|li|mark|p|small|span|strong|sub|sup|u|ul|wbr)(?:\s[^<>]{0,1000})?\/?>/gi;
/** Elements whose text is hidden from readers are removed with their text. */
const HIDDEN = /<(script|style)\b[^<>]{0,1000}>[^<]{0,20000}<\/\1\s{0,10}>/gi;
/**
 * Control and formatting characters, which end lines, change the text's direction or are invisible. Joiners that
 * letters need are kept.
 */
const CONTROL =
  /[\p{Cc}\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}\ufff0-\uffff]/gu;

/** A provider's text as people read it: one line, without markup if `markup` is set, at most `max` characters. */
export function cleanText(value: unknown, max: number, markup: boolean): string {
  if (typeof value !== "string") return "";
  const raw = value.slice(0, MAX_RAW_LENGTH);
  const text = (markup ? withoutMarkup(raw) : raw).replace(/\s/g, " ").replace(CONTROL, "").toWellFormed();
  return shorten(text.replace(/ {2,}/g, " ").trim(), max);
}

/** Loaded at the first search, to save memory at rest. */
const parsers = (): typeof Parsers => require("htmlparser2");

function withoutMarkup(raw: string): string {
  if (!/[<&]/.test(raw)) return raw;
  const bare = raw.replace(HIDDEN, " ").replace(TAG, "").replaceAll("<", "&lt;");
  let text = "";
  const parser = new (parsers().Parser)({ ontext: (piece) => (text += piece) });
  parser.end(bare);
  return text;
}

/** Cuts at the end of a word if there is one near, and adds an ellipsis. @internal */
export function shorten(text: string, max: number): string {
  const kept = cut(text, max - 1);
  if (cut(text, max) === text) return text;
  const space = kept.lastIndexOf(" ");
  return `${(space > kept.length * 0.8 ? kept.slice(0, space) : kept).trimEnd()}…`;
}
