import { type ExtractionTask, type FormsTask } from "../extraction/tree/extraction.ts";
import { type PageChanges } from "../changes/page-versions.ts";
import { invalidParameters, type Services } from "../operations/operation.ts";
import { Watch, type Watcher } from "../operations/page-changes.ts";
import { type PageRequest, type PageSource } from "../page/page.ts";
import { type Pages, type ReadPage } from "../page-reader/page-reader.ts";
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

type Named<T> = Extract<Options["formats"][number], { readonly type: T }>;

/** The format with this name, if the options have one. */
function formatOf<T extends "attributes" | "changeTracking" | "screenshot">(
  { formats }: Options,
  type: T,
): Named<T> | undefined {
  return formats.find((one): one is Named<T> => typeof one === "object" && one.type === type);
}

/** The selectors whose attributes the options ask for. */
function attributesOf({ formats }: Options): FormsTask["attributes"] {
  return formats.flatMap((one) => (typeof one === "object" && "selectors" in one ? one.selectors : []));
}

/** The task that makes the formats of the options. */
function taskOf(options: Options, crawled: boolean): ExtractionTask {
  const names = options.formats.filter((one) => typeof one === "string" && one !== "markdown");
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
    ...pictureOf(options),
    signal,
  };
}

function pictureOf(options: Options): Partial<PageRequest> {
  const wanted = formatOf(options, "screenshot");
  if (wanted === undefined) return {};
  const { fullPage, quality, viewport } = wanted;
  const picture = {
    format: quality === undefined ? "png" : "jpeg",
    quality: quality ?? 0,
    fullPage,
    ...viewport,
  } as const;
  return { pictures: true, window: { ...viewport, fullPage }, shows: { picture } };
}

interface Loading {
  readonly signal: AbortSignal;
  /** Default: that of the engine. */
  readonly userAgent?: string | undefined;
}

/** The document in Firecrawl's form. */
export type Document = Readonly<Record<string, unknown>> & { readonly metadata: Readonly<Record<string, unknown>> };

/** A client of documents, and the time up to which a version of a page is the last one (`Watch`). */
export interface DocumentReader extends Loading, Watcher {
  readonly pages: Pages;
  readonly before?: number;
  /** For a crawl, which also needs the links of the page. */
  readonly crawled?: boolean;
}

/** Throws `invalid-parameters` if the options ask for changes of pages, and the service keeps no versions. */
export function assertTracked(options: Options, { versions }: Pick<Watcher, "versions">): void {
  if (formatOf(options, "changeTracking") === undefined || versions !== undefined) return;
  const message = "changeTracking needs versions of pages, which this service does not keep";
  throw invalidParameters([{ path: "formats", message }]);
}

/** Reads a page as a document. Fails with a RemovedError if it has gone, and the options ask for its changes. */
export async function readDocument(
  url: string,
  options: Options,
  reader: DocumentReader,
): Promise<ReadPage & { readonly document: Document }> {
  assertTracked(options, reader);
  const request = requestOf(options, url, reader);
  const tracked = formatOf(options, "changeTracking");
  const { onlyMainContent, includeTags, excludeTags, storeInCache } = options;
  const order = {
    changes: tracked && { since: "last", mode: tracked.modes.length > 0 ? ("diff" as const) : ("state" as const) },
    private: !storeInCache,
  };
  const kind = `document ${JSON.stringify([tracked?.tag, onlyMainContent, includeTags, excludeTags])}`;
  const watch = new Watch(order, reader, { request, kind }, reader.before);
  const read = await reader.pages
    .read(request, taskOf(options, reader.crawled === true))
    .catch(async (error: unknown) => {
      throw await watch.failure(error);
    });
  const { changes } = await watch.seen(read.extraction.content, read.source);
  const document = { ...documentOf(read, options, url), ...(changes && { changeTracking: trackingOf(changes) }) };
  return { ...read, document };
}

/** Reads a file that the client sent as a document. Fails with a TurnpikeError. */
export async function readFileDocument(
  source: PageSource,
  options: Options,
  { files, signal }: Pick<Services, "files"> & Loading,
): Promise<Document> {
  for (const type of ["screenshot", "changeTracking"] as const) {
    if (formatOf(options, type) === undefined) continue;
    throw invalidParameters([{ path: "formats", message: `must not have ${type} for a file` }]);
  }
  const read = await files.readFile(source, taskOf(options, false), { timeoutMs: options.timeout, signal });
  return documentOf(read, options, source.finalUrl);
}

/** The differences in Firecrawl's form. */
export function trackingOf({ state, compared_with: before, diff }: PageChanges): object {
  const seen = { previousScrapeAt: before ?? null, changeStatus: state, visibility: "visible" };
  return { ...seen, ...(diff === undefined ? {} : { diff: { text: diff } }) };
}

function documentOf({ extraction, source, shown: seen }: ReadPage, options: Options, sourceURL: string): Document {
  const { content, forms, title, language, published } = extraction;
  const { meta = {}, attributes = [], links, images, ...others } = forms ?? {};
  const named = Object.entries(meta).flatMap(([name, value]) => {
    const known = NAMED[name.toLowerCase()];
    return known === undefined ? [] : [[known, value] as const];
  });
  const values = attributesOf(options).map((one, at) => ({ ...one, values: attributes[at] ?? [] }));
  const type = formatOf(options, "screenshot")?.quality === undefined ? "png" : "jpeg";
  const picture = seen?.picture?.bytes;
  const shown = picture && `data:image/${type};base64,${Buffer.from(picture).toString("base64")}`;
  const { ageMs } = source;
  return {
    ...(options.formats.includes("markdown") ? { markdown: content } : {}),
    ...others,
    ...(links === undefined ? {} : { links: links.map(({ url }) => url) }),
    ...(images === undefined ? {} : { images: images.map(({ url }) => url) }),
    ...(formatOf(options, "attributes") === undefined ? {} : { attributes: values }),
    ...(shown === undefined ? {} : { screenshot: shown }),
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
