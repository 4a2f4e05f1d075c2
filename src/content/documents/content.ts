/** What an address leads to, where that is known. */
export interface Link {
  readonly url: string;
  readonly text: string;
}

/** A document that is not HTML, in the shapes that callers ask for; each is made when it is asked for. */
export interface DocumentContent {
  readonly title: string;
  markdown(): string;
  text(): string;
  html(): string;
  links(): readonly Link[];
}

/** Links that are given of one document. */
const MAX_LINKS = 10_000;
const MAX_URL_LENGTH = 2_048;
/** Never empty at its end, so that a long run of marks is read once. */
const ADDRESS = /\bhttps?:\/\/[^\s<>"'`\\{}|^\])]{1,2048}/gi;

/** The web addresses that stand in a text, in its order, each once. */
export function linksIn(text: string): Link[] {
  const found = new Set<string>();
  for (const [match] of text.matchAll(ADDRESS)) {
    const url = URL.parse(match.replace(/[.,;:!?*_]{1,8}$/, ""));
    if (url !== null && url.href.length <= MAX_URL_LENGTH) found.add(url.href);
    if (found.size >= MAX_LINKS) break;
  }
  return [...found].map((url) => ({ url, text: "" }));
}

/** One link a line: `[text](address)`, or the bare address without a text. */
export function linkLines(links: readonly Link[]): string {
  return links.map(({ url, text }) => (text === "" ? url : `[${escapeLinkText(text)}](${url})`)).join("\n");
}

export function escapeLinkText(text: string): string {
  return text.replace(/[\\[\]]/g, "\\$&");
}

export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function preformatted(text: string): string {
  // The parser of HTML drops the first line end.
  return `<pre>\n${escapeHtml(text)}</pre>`;
}

/** A fenced code block that nothing in the text can end. */
function fence(text: string, language: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const marks = "`".repeat(longest + 1);
  return `${marks}${language}\n${text.replace(/\n$/, "")}\n${marks}`;
}

/** A text as it is, in every shape. */
export function plainContent(text: string): DocumentContent {
  return {
    title: "",
    markdown: () => text,
    text: () => text,
    html: () => preformatted(text),
    links: () => linksIn(text),
  };
}

/** A text that Markdown shows as it is. */
export function codeContent(text: string, language: string): DocumentContent {
  return { ...plainContent(text), markdown: () => fence(text, language) };
}
