import { createScanner } from "jsonc-parser";
import { parsedJson } from "../../lib/parsed-json.ts";
import { codeContent, type DocumentContent, linksIn } from "./kinds/content.ts";
import { isObject, ownMember } from "../../lib/is-object.ts";
import { feedContent, type FeedItem, feedLine, feedSummary, feedUrl, MAX_ITEMS } from "./feed-content.ts";

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

/** Reads a JSON Feed (jsonfeed.org, version 1). Undefined if the value is not a feed. */
function jsonFeed(value: unknown): DocumentContent | undefined {
  const items = isObject(value) ? value["items"] : undefined;
  if (!Array.isArray(items) || !textIn(value, "version").startsWith("https://jsonfeed.org/version/1")) return undefined;
  const url = textIn(value, "home_page_url");
  return feedContent({
    title: feedLine(textIn(value, "title")),
    url: feedUrl(url, "http://invalid/"),
    description: feedSummary(textIn(value, "description")),
    items: items.slice(0, MAX_ITEMS).map((item: unknown) => itemOf(item, url)),
  });
}

function itemOf(item: unknown, base: string): FeedItem {
  const first = (...names: readonly string[]): string =>
    names.map((name) => textIn(item, name)).find((text) => text !== "") ?? "";
  return {
    title: feedLine(first("title")),
    url: feedUrl(first("url", "external_url", "id"), base),
    date: feedLine(first("date_published", "date_modified"), 50),
    summary: feedSummary(first("summary", "content_text", "content_html")),
  };
}

function textIn(value: unknown, name: string): string {
  const text = ownMember(value, name);
  return typeof text === "string" ? text : "";
}
