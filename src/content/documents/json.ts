import { createScanner } from "jsonc-parser";
import { parsedJson } from "../../lib/parsed-json.ts";
import { codeContent, type DocumentContent, linksIn } from "./kinds/content.ts";
import { jsonFeed } from "./json-feed.ts";

/** Nested objects and arrays that are put on separate lines. Deeper ones stay unchanged. */
const MAX_DEPTH = 64;
/**
 * Maximum number of characters by which indented JSON may grow: twice its own length, and this. Otherwise it stays
 * unchanged.
 */
const MAX_GROWTH = 64 * 1024;

/** JSON: unchanged as text, indented in Markdown. A JSON Feed is read as a feed. */
export function jsonContent(text: string): DocumentContent {
  const value = parsedJson(text);
  const feed = jsonFeed(value);
  if (feed !== undefined) return feed;
  const plain = codeContent(text, "json");
  if (value === undefined) return plain;
  return {
    ...plain,
    markdown: () => codeContent(indent(text) ?? text, "json").markdown(),
    // A slash may be escaped with a backslash.
    links: () => linksIn(text.replaceAll("\\/", "/")),
  };
}

/**
 * Puts the parts of valid JSON on separate lines. Undefined if the result would be too long. Numbers and strings are
 * copied, since parsing and writing them would change some.
 */
function indent(text: string): string | undefined {
  const scanner = createScanner(text, true);
  const parts: string[] = [];
  let length = 0;
  let depth = 0;
  let before = "";
  const add = (part: string): void => {
    parts.push(part);
    length += part.length;
  };
  for (;;) {
    scanner.scan();
    const token = text.slice(scanner.getTokenOffset(), scanner.getPosition());
    if (token === "") return parts.join("");
    const isEnd = token === "}" || token === "]";
    const isFirst = before === "{" || before === "[";
    if (isFirst && !isEnd) depth += 1;
    if (isEnd && !isFirst) depth -= 1;
    // An object or array without parts stays in its line.
    if (isEnd !== isFirst || before === ",") add(`\n${"  ".repeat(depth)}`);
    add(token === ":" ? ": " : token);
    if (depth > MAX_DEPTH || length > text.length * 3 + MAX_GROWTH) return undefined;
    before = token;
  }
}
