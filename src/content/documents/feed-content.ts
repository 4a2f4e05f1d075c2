import { Parser } from "htmlparser2";
import { escapeLinkText } from "../extraction/links.ts";
import { type DocumentContent, escapeHtml, type Link } from "./kinds/content.ts";

/** One entry of a feed. Fields that its author did not set are empty. */
export interface FeedItem {
  readonly title: string;
  readonly url: string;
  /** The date in the feed's own format. */
  readonly date: string;
  /** Plain text, up to MAX_SUMMARY characters. */
  readonly summary: string;
}

/** A feed (RSS, RDF, Atom or JSON Feed) with at most `MAX_ITEMS` entries. A text or URL that is missing is empty. */
export interface Feed {
  readonly title: string;
  readonly url: string;
  readonly description: string;
  readonly items: readonly FeedItem[];
}

/** Maximum number of entries of a feed that are read. */
export const MAX_ITEMS = 5_000;
const MAX_SUMMARY = 500;
const MAX_TITLE = 500;

/** A feed as a heading and a list of linked titles, with date and summary. */
export function feedContent(feed: Feed): DocumentContent {
  const blocks = (item: (item: FeedItem) => string): string =>
    [feed.description, ...feed.items.map(item)].filter((block) => block !== "").join("\n\n");
  return {
    title: feed.title,
    markdown: () => [`# ${escapeMarkdown(feed.title)}`, feedBody(feed)].filter((part) => part !== "").join("\n\n"),
    text: () => [feed.title, blocks(itemText)].filter((part) => part !== "").join("\n\n"),
    html: () => feedHtml(feed),
    links: () => linksOf(feed),
  };
}

function feedBody(feed: Feed): string {
  const items = feed.items.map((item) => {
    const name = escapeLinkText(item.title || item.url || "Untitled");
    const head = `- ${item.url === "" ? name : `[${name}](${item.url})`}${item.date === "" ? "" : ` (${item.date})`}`;
    return item.summary === "" ? head : `${head}\n  ${escapeMarkdown(item.summary)}`;
  });
  return [escapeMarkdown(feed.description), items.join("\n")].filter((part) => part !== "").join("\n\n");
}

function itemText({ title, url, date, summary }: FeedItem): string {
  return [title, date, summary, url].filter((line) => line !== "").join("\n");
}

function feedHtml(feed: Feed): string {
  const items = feed.items.map(({ title, url, date, summary }) => {
    const name = escapeHtml(title || url || "Untitled");
    const link = url === "" ? name : `<a href="${escapeHtml(url)}">${name}</a>`;
    const time = date === "" ? "" : ` <time>${escapeHtml(date)}</time>`;
    return `<li>${link}${time}${summary === "" ? "" : `<p>${escapeHtml(summary)}</p>`}</li>`;
  });
  const description = feed.description === "" ? "" : `<p>${escapeHtml(feed.description)}</p>\n`;
  return `<h1>${escapeHtml(feed.title)}</h1>\n${description}<ul>\n${items.join("\n")}\n</ul>`;
}

function linksOf(feed: Feed): Link[] {
  const found = new Map<string, string>();
  for (const { url, title } of feed.items) if (url !== "" && !found.has(url)) found.set(url, title);
  return [...found].map(([url, text]) => ({ url, text }));
}

/** Escapes characters that would become markup within a line or at its beginning. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>]/g, "\\$&").replace(/^([#+-]|\d{1,9}[.)])/, "\\$1");
}

/** The absolute address of a link in a feed. Empty if it is not an http or https address. */
export function feedUrl(text: string, base: string): string {
  const url = text.trim() === "" ? null : URL.parse(text.trim().slice(0, 4_096), base);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : "";
}

/** One line of plain text, cut to `max` characters. */
export function feedLine(text: string, max = MAX_TITLE): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= max) return line;
  // The cut does not split a surrogate pair.
  return `${line.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

function isHidden(name: string): boolean {
  return name === "script" || name === "style";
}

/** The text of a summary, which is usually HTML. */
export function feedSummary(html: string): string {
  if (!html.includes("<") && !html.includes("&")) return feedLine(html, MAX_SUMMARY);
  const parts: string[] = [];
  let length = 0;
  let hidden = 0;
  const parser = new Parser({
    onopentag(name) {
      if (isHidden(name)) hidden += 1;
      parts.push(" ");
    },
    onclosetag(name) {
      if (isHidden(name)) hidden -= 1;
      if (/^(?:p|div|li|h\d|tr)$/.test(name)) parts.push(" ");
    },
    ontext(text) {
      if (hidden > 0 || length > MAX_SUMMARY * 4) return;
      parts.push(text);
      length += text.length;
    },
  });
  parser.end(html.slice(0, 100_000));
  return feedLine(parts.join("").replace(/\s+([.,;:!?])/g, "$1"), MAX_SUMMARY);
}
