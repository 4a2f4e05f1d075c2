import { type ExtractionTask, type FormsTask } from "../extraction/tree/extraction.ts";
import { type PageRequest } from "../page/page.ts";
import { type ReadPage } from "../page-reader/page-reader.ts";
import { webUrl } from "../operations/page-parameters.ts";
import { type PageOptions } from "./options.ts";

/** Names that Firecrawl gives to common `meta` elements, by the names of these. */
const NAMED: Readonly<Record<string, string>> = {
  description: "description",
  keywords: "keywords",
  robots: "robots",
  favicon: "favicon",
  language: "language",
  "og:title": "ogTitle",
  "og:description": "ogDescription",
  "og:url": "ogUrl",
  "og:image": "ogImage",
  "og:locale": "ogLocale",
  "og:site_name": "ogSiteName",
  "article:published_time": "publishedTime",
  "article:modified_time": "modifiedTime",
  "article:section": "articleSection",
  "article:tag": "articleTag",
};

type Options = Omit<PageOptions, "origin" | "integration">;

const namesOf = ({ formats }: Options) => formats.map((one) => (typeof one === "string" ? one : one.type));

/** The selectors whose attributes the options ask for. */
function attributesOf({ formats }: Options): FormsTask["attributes"] {
  return formats.flatMap((one) => (typeof one === "object" && "selectors" in one ? one.selectors : []));
}

/** The task that makes the formats of the options. */
export function taskOf(options: Options, crawled: boolean): ExtractionTask {
  const names = namesOf(options).filter((name) => name !== "markdown" && name !== "attributes");
  const { includeTags: include, excludeTags: exclude, onlyMainContent } = options;
  const forms = { names, attributes: attributesOf(options), include, exclude };
  return { kind: onlyMainContent && include.length === 0 ? "article" : "markdown", crawled, forms };
}

/** The request for a page. `userAgent` is for options that name none. */
export function requestOf(options: Options, url: string, { signal, userAgent }: Loading): PageRequest {
  const { timeout, waitFor, proxy, maxAge, storeInCache, headers } = options;
  const isShared = maxAge !== undefined && maxAge > 0;
  return {
    url: webUrl(url),
    engine: "auto",
    timeoutMs: timeout,
    waitMs: waitFor,
    waitUntil: "load",
    selector: undefined,
    userAgent: Object.values(headers)[0] ?? userAgent,
    stealth: proxy === "stealth" || proxy === "enhanced",
    partial: false,
    ...(isShared ? { maxAgeMs: maxAge, isPrivate: !storeInCache } : {}),
    signal,
  };
}

interface Loading {
  readonly signal: AbortSignal;
  readonly userAgent: string | undefined;
}

/** The document in Firecrawl's form. */
export type Document = Readonly<Record<string, unknown>> & { readonly metadata: Readonly<Record<string, unknown>> };

/** The document of a page that was read by `taskOf`. */
export function documentOf({ extraction, source }: ReadPage, options: Options, sourceURL: string): Document {
  const { content, forms, title, language, published } = extraction;
  const { meta = {}, attributes = [], ...others } = forms ?? {};
  const named = Object.entries(meta).flatMap(([name, value]) => {
    const known = NAMED[name.toLowerCase()];
    return known === undefined ? [] : [[known, value] as const];
  });
  const names = namesOf(options);
  const values = attributesOf(options).map((one, at) => ({ ...one, values: attributes[at] ?? [] }));
  const { ageMs } = source;
  return {
    ...(names.includes("markdown") ? { markdown: content } : {}),
    ...others,
    ...(names.includes("attributes") ? { attributes: values } : {}),
    metadata: {
      ...meta,
      ...Object.fromEntries(named),
      title: meta["title"] ?? title,
      ...(language === undefined ? {} : { language }),
      ...(published === undefined ? {} : { publishedTime: published }),
      sourceURL,
      url: source.finalUrl,
      ...(source.statusCode === undefined ? {} : { statusCode: source.statusCode }),
      contentType: source.contentType,
      proxyUsed: options.proxy === "stealth" || options.proxy === "enhanced" ? "stealth" : "basic",
      cacheState: ageMs === undefined ? "miss" : "hit",
      creditsUsed: 1,
    },
  };
}
