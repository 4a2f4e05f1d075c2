import { type Document } from "domhandler";
import { escapeLinkText } from "../../extraction/links.ts";
import { fenced } from "../../extraction/markdown/code.ts";

/** A link, with its text if it is known. */
export interface Link {
  readonly url: string;
  readonly text: string;
}

/** Properties of a file beside its title. */
export interface About {
  readonly byline?: string;
  readonly published?: string;
  readonly language?: string;
}

/** The content of a document that is not HTML, in the formats that callers request. Each format is made on demand. */
export interface DocumentContent {
  readonly title: string;
  /** True if parts of the document are missing. The content says which ones. */
  readonly isPartial?: boolean;
  readonly about?: About;
  /** The content as elements, if it has some. */
  readonly tree?: Document;
  /** Whether its text is empty, if that is known for less than the text. */
  readonly isEmpty?: () => boolean;
  readonly markdown: () => string;
  readonly text: () => string;
  readonly html: () => string;
  readonly links: () => readonly Link[];
}

/** Maximum number of links of one document that are returned. */
export const MAX_LINKS = 10_000;
const MAX_URL_LENGTH = 2_048;
/** Never empty at its end, so that a long sequence of marks is read only once. */
const ADDRESS = /\bhttps?:\/\/[^\s<>"'`\\{}|^\])]{1,2048}/gi;

/** The web addresses in a text, in its order, without duplicates. */
export function linksIn(text: string): Link[] {
  const found = new Set<string>();
  for (const [match] of text.matchAll(ADDRESS)) {
    const url = URL.parse(match.replace(/[.,;:!?*_]{1,8}$/, ""));
    if (url !== null && url.href.length <= MAX_URL_LENGTH) found.add(url.href);
    if (found.size >= MAX_LINKS) break;
  }
  return [...found].map((url) => ({ url, text: "" }));
}

/** One link per line: `[text](address)`, or only the address if there is no text. */
export function linkLines(links: readonly Link[]): string {
  return links.map(({ url, text }) => (text === "" ? url : `[${escapeLinkText(text)}](${url})`)).join("\n");
}

/** Escapes `&`, `<`, `>` and `"`, for the text of an element or an attribute value in double quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function preformatted(text: string): string {
  // An HTML parser drops the first line break.
  return `<pre>\n${escapeHtml(text)}</pre>`;
}

/** A text that is unchanged in every format. */
export function plainContent(text: string): DocumentContent {
  return {
    title: "",
    markdown: () => text,
    text: () => text,
    html: () => preformatted(text),
    links: () => linksIn(text),
  };
}

/** A text that Markdown shows as a code block. */
export function codeContent(text: string, language: string): DocumentContent {
  return { ...plainContent(text), markdown: () => fenced(text.replace(/\n$/, ""), language) };
}
