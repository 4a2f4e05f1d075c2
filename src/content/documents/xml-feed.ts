import { Parser } from "htmlparser2";
import { type DocumentContent } from "./kinds/content.ts";
import { feedContent, type FeedItem, feedLine, feedSummary, feedUrl, MAX_ITEMS } from "./feed-content.ts";

/** Maximum number of characters of one field of a feed that are read. */
const MAX_FIELD = 100_000;

const ITEM = /^(?:\w+:)?(?:item|entry)$/;

/** The fields of the feed or of one entry that were read so far. */
type Fields = Map<string, string>;

/** Names of the same field in RSS 0.9x to 2, RSS 1 (RDF) and Atom. The first name that is present counts. */
const DATE = ["pubdate", "published", "dc:date", "updated", "date"];
const SUMMARY = ["description", "summary", "content:encoded", "content", "media:description", "itunes:summary"];

/** Reads RSS, RDF or Atom in linear time. Declared entities are not expanded and stay unchanged. */
export function xmlFeed(xml: string, url: string): DocumentContent {
  const { feed, items } = readFeed(xml);
  const base = feedUrl(feed.get("link") ?? "", url) || url;
  return feedContent({
    title: feedLine(feedSummary(feed.get("title") ?? "")),
    url: base,
    description: feedSummary(firstOf(feed, ["description", "subtitle", "tagline"])),
    items: items.map((fields) => itemOf(fields, base)),
  });
}

function itemOf(fields: Fields, base: string): FeedItem {
  const guid = fields.get("guid") ?? fields.get("id") ?? "";
  return {
    title: feedLine(feedSummary(fields.get("title") ?? "")),
    url: feedUrl(fields.get("link") ?? "", base) || (/^https?:/.test(guid.trim()) ? feedUrl(guid, base) : ""),
    date: feedLine(firstOf(fields, DATE), 50),
    summary: feedSummary(firstOf(fields, SUMMARY)),
  };
}

function firstOf(fields: Fields, names: readonly string[]): string {
  return names.map((name) => fields.get(name) ?? "").find((text) => text.trim() !== "") ?? "";
}

function readFeed(xml: string): { feed: Fields; items: Fields[] } {
  const feed: Fields = new Map();
  const items: Fields[] = [];
  let item: Fields | undefined;
  let depth = 0;
  /** Depth of the elements whose children are fields: the channel or the entry. */
  let holder = 1;
  let field: { readonly name: string; readonly depth: number; text: string } | undefined;
  const parser = new Parser(
    {
      onopentag(rawName, attributes) {
        depth += 1;
        const name = rawName.toLowerCase();
        if (field !== undefined) {
          // The text of XHTML inside a field is kept.
          field.text += " ";
        } else if (name === "channel" && depth === 2) {
          holder = 2;
        } else if (ITEM.test(name) && item === undefined) {
          item = items.length < MAX_ITEMS ? new Map() : undefined;
          if (item !== undefined) items.push(item);
          holder = depth;
        } else if (depth === holder + 1) {
          if (name === "link" || name.endsWith(":link")) keepLink(item ?? feed, attributes);
          field = { name: name === "atom:link" ? "" : name, depth, text: "" };
        }
      },
      ontext(text) {
        if (field !== undefined && field.text.length < MAX_FIELD) field.text += text;
      },
      onclosetag(rawName) {
        if (field !== undefined && depth === field.depth) {
          keep(item ?? feed, field.name, field.text);
          field = undefined;
        } else if (field === undefined && ITEM.test(rawName.toLowerCase()) && depth === holder) {
          item = undefined;
          holder = depth - 1;
        }
        depth -= 1;
      },
    },
    { xmlMode: true, lowerCaseTags: false },
  );
  parser.end(xml);
  return { feed, items };
}

/** The first field with a name counts. */
function keep(fields: Fields, name: string, text: string): void {
  if (name !== "" && text.trim() !== "" && !fields.has(name)) fields.set(name, text);
}

/** Atom's links are attributes, and several links have different meanings. */
function keepLink(fields: Fields, attributes: Readonly<Record<string, string>>): void {
  const { href = "", rel = "alternate" } = attributes;
  if (href !== "" && rel === "alternate") keep(fields, "link", href);
}
