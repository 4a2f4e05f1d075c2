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
  const parts: string[] = [];
  let length = 0;
  let depth = 0;
  let at = 0;
  const add = (part: string): void => {
    parts.push(part);
    length += part.length;
  };
  const line = (): string => `\n${"  ".repeat(depth)}`;
  while (at < text.length && length <= text.length * 3 + MAX_GROWTH) {
    const token = tokenAt(text, at);
    at += token.length;
    if (token === "{" || token === "[") {
      const next = skipSpace(text, at);
      if (text[next] === "}" || text[next] === "]") {
        add(token + text[next]);
        at = next + 1;
        continue;
      }
      depth += 1;
      if (depth > MAX_DEPTH) return undefined;
      add(token + line());
    } else if (token === "}" || token === "]") {
      depth -= 1;
      add(line() + token);
    } else if (token === ",") add(token + line());
    else if (token === ":") add(": ");
    else add(token.trim());
  }
  return at < text.length ? undefined : parts.join("");
}

/** The token that begins at `start`. White space is one token. */
function tokenAt(text: string, start: number): string {
  const first = text[start] ?? "";
  if (first !== '"') return /[[\]{},:]/.test(first) ? first : bareToken(text, start);
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return text.slice(start, end + 1);
}

function bareToken(text: string, start: number): string {
  let end = start + 1;
  while (end < text.length && !/[[\]{},:"]/.test(text[end] ?? "")) end += 1;
  return text.slice(start, end);
}

function isEscaped(text: string, quote: number): boolean {
  let slashes = 0;
  while (text[quote - 1 - slashes] === "\\") slashes += 1;
  return slashes % 2 === 1;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (/[\t\n\r ]/.test(text[at] ?? "")) at += 1;
  return at;
}
