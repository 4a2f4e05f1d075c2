import { type DocumentContent } from "./kinds/content.ts";
import { feedContent, type FeedItem, feedLine, feedSummary, feedUrl, MAX_ITEMS } from "./feed-content.ts";

/** Reads a JSON Feed (jsonfeed.org, version 1). Undefined if the value is not a feed. */
export function jsonFeed(value: unknown): DocumentContent | undefined {
  const feed = objectOf(value);
  const items = feed?.get("items");
  if (feed === undefined || !Array.isArray(items)) return undefined;
  if (!feedText(feed.get("version")).startsWith("https://jsonfeed.org/version/1")) return undefined;
  const url = feedText(feed.get("home_page_url"));
  return feedContent({
    title: feedLine(feedText(feed.get("title"))),
    url: feedUrl(url, "http://invalid/"),
    description: feedSummary(feedText(feed.get("description"))),
    items: items.slice(0, MAX_ITEMS).map((item: unknown) => itemOf(item, url)),
  });
}

function itemOf(value: unknown, base: string): FeedItem {
  const item = objectOf(value) ?? new Map<string, unknown>();
  const first = (...names: readonly string[]): string =>
    names.map((name) => feedText(item.get(name))).find((text) => text !== "") ?? "";
  return {
    title: feedLine(first("title")),
    url: feedUrl(first("url", "external_url", "id"), base),
    date: feedLine(first("date_published", "date_modified"), 50),
    summary: feedSummary(first("summary", "content_text", "content_html")),
  };
}

function objectOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? new Map(Object.entries(value))
    : undefined;
}

function feedText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
