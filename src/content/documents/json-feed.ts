import { isObject, ownMember } from "../../lib/is-object.ts";
import { type DocumentContent } from "./kinds/content.ts";
import { feedContent, type FeedItem, feedLine, feedSummary, feedUrl, MAX_ITEMS } from "./feed-content.ts";

/** Reads a JSON Feed (jsonfeed.org, version 1). Undefined if the value is not a feed. */
export function jsonFeed(value: unknown): DocumentContent | undefined {
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
