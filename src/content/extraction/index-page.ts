import { type Document, type Element } from "domhandler";
import { type Extraction } from "./tree/extraction.ts";
import { sectionedText } from "./plain-text.ts";
import { linkText } from "./links.ts";
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
  const heads = { base: url, based: false, canonical: "", robots: "" };
  const links = new Map<string, string>();
  for (const element of elementsOf(tree)) {
    readHead(element, heads);
    const href = element.name === "a" ? element.attribs["href"] : undefined;
    // RFC 9309 does not mention `nofollow`, but search engines do not follow such links.
    if (href === undefined || links.size >= MAX_LINKS || /\bnofollow\b/i.test(element.attribs["rel"] ?? "")) continue;
    const link = URL.parse(href.trim(), heads.base);
    if (link === null || !/^https?:$/.test(link.protocol) || link.href.length > MAX_URL_LENGTH) continue;
    link.hash = "";
    // The address gets the first text that is not empty.
    if ((links.get(link.href) ?? "") === "") links.set(link.href, linkText(element));
  }
  const canonical = heads.canonical === "" ? null : (URL.parse(heads.canonical, heads.base)?.href ?? null);
  return { canonical, robots: heads.robots, links: [...links.keys()], texts: [...links.values()] };
}

interface Heads {
  base: string;
  /** Whether the page's base address is set. Only the first `<base>` is used. */
  based: boolean;
  canonical: string;
  robots: string;
}

function readHead({ name, attribs }: Element, heads: Heads): void {
  if (name === "base" && attribs["href"] !== undefined && !heads.based) {
    heads.base = URL.parse(attribs["href"], heads.base)?.href ?? heads.base;
    heads.based = true;
  }
  if (name === "link" && heads.canonical === "" && /(?:^|\s)canonical(?:\s|$)/i.test(attribs["rel"] ?? "")) {
    heads.canonical = (attribs["href"] ?? "").trim();
  }
  if (name === "meta" && /^(?:robots|turnpike)$/i.test(attribs["name"] ?? "")) {
    heads.robots = `${heads.robots} ${attribs["content"] ?? ""}`.slice(0, 500);
  }
}
