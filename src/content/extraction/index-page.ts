import { type Document } from "domhandler";
import { type Extraction } from "./tree/extraction.ts";
import { sectionedText } from "./plain-text.ts";
import { linkText } from "./links.ts";
import { baseOf } from "./tree/addresses.ts";
import { readArticle } from "./reader/read-article.ts";
import { elementsOf } from "./selectors/select-all.ts";

/** Maximum number of links of a page that a crawl receives. */
const MAX_LINKS = 2_000;
const MAX_URL_LENGTH = 2_048;

/**
 * Extracts the parts of a page that a search index and its crawler need: the article's text, its links, and its
 * directives for robots.
 */
export function toIndexPage(tree: Document, url: string): Extraction {
  const fields = crawlFields(tree, url);
  const { content, title, language, published } = readArticle(tree, url);
  const about = { ...(language === undefined ? {} : { language }), ...(published === undefined ? {} : { published }) };
  return { content: sectionedText(content), title, ...about, fields };
}

/** The parts of a page that a crawler needs besides its content: links, canonical address, and directives for robots. */
export function crawlFields(tree: Document, url: string): NonNullable<Extraction["fields"]> {
  const base = baseOf(tree, url);
  const links = new Map<string, string>();
  let [canonical, robots] = ["", ""];
  for (const element of elementsOf(tree)) {
    const { name, attribs } = element;
    const { href, rel = "" } = attribs;
    if (name === "link" && /(?:^|\s)canonical(?:\s|$)/i.test(rel)) canonical ||= (href ?? "").trim();
    if (name === "meta" && /^(?:robots|turnpike)$/i.test(attribs["name"] ?? ""))
      robots = `${robots} ${attribs["content"] ?? ""}`.slice(0, 500);
    // RFC 9309 does not mention `nofollow`, but search engines do not follow such links.
    if (name !== "a" || href === undefined || links.size >= MAX_LINKS || /\bnofollow\b/i.test(rel)) continue;
    const link = URL.parse(href.trim(), base);
    if (link === null || !/^https?:$/.test(link.protocol) || link.href.length > MAX_URL_LENGTH) continue;
    link.hash = "";
    // The address gets the first text that is not empty.
    if ((links.get(link.href) ?? "") === "") links.set(link.href, linkText(element));
  }
  const address = canonical === "" ? null : (URL.parse(canonical, base)?.href ?? null);
  return { canonical: address, robots, links: [...links.keys()], texts: [...links.values()] };
}
