import { type ExtractionTask, type FormsTask } from "../extraction/tree/extraction.ts";
import { type PageChanges } from "../changes/page-versions.ts";
import { fieldsResult, schemaTask } from "../operations/extract-fields.ts";
import { invalidParameters, type Services } from "../operations/operation.ts";
import { Watch, type Watcher } from "../operations/page-changes.ts";
import { type PageSource } from "../page/page.ts";
import { type Pages, type ReadAction, type ReadPage } from "../page-reader/page-reader.ts";
import { formatOf, type Loading, type Options, requestOf } from "./page-request.ts";

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

/** The selectors whose attributes the options ask for. */
function attributesOf({ formats }: Options): FormsTask["attributes"] {
  return formats.flatMap((one) => (typeof one === "object" && "selectors" in one ? one.selectors : []));
}

function taskOf(options: Options, crawled: boolean): ExtractionTask {
  const names = options.formats.filter((one) => typeof one === "string" && one !== "markdown" && one !== "branding");
  const { includeTags: include, excludeTags: exclude, onlyMainContent, removeBase64Images } = options;
  const fields = formatOf(options, "json");
  const json = fields && schemaTask(fields.schema, { prompt: fields.prompt, shown_only: false });
  const forms = {
    names,
    attributes: attributesOf(options),
    include,
    exclude,
    inlinePictures: !removeBase64Images,
    withSummaryText: true,
    json,
  };
  return { kind: onlyMainContent && include.length === 0 ? "article" : "markdown", crawled, forms };
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
  const { onlyMainContent, includeTags, excludeTags, storeInCache, removeBase64Images } = options;
  const order = {
    changes: tracked && { since: "last", mode: tracked.modes.length > 0 ? ("diff" as const) : ("state" as const) },
    private: !storeInCache,
  };
  const parts = [tracked?.tag, onlyMainContent, includeTags, excludeTags];
  const kind = `document ${JSON.stringify(removeBase64Images ? parts : [...parts, "pictures"])}`;
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
): Promise<ReadPage & { readonly document: Document }> {
  const types = options.formats.map((one) => (typeof one === "string" ? one : one.type));
  const shown = types.find((type) => ["screenshot", "changeTracking", "branding"].includes(type));
  if (shown !== undefined) throw invalidParameters([{ path: "formats", message: `must not have ${shown} for a file` }]);
  if (options.actions.length > 0) throw invalidParameters([{ path: "actions", message: "are not for a file" }]);
  const read = await files.readFile(source, taskOf(options, false), { timeoutMs: options.timeout, signal });
  return { ...read, document: documentOf(read, options, source.finalUrl) };
}

/** The differences in Firecrawl's form. */
export function trackingOf({ state, compared_with: before, diff }: PageChanges): object {
  const seen = { previousScrapeAt: before ?? null, changeStatus: state, visibility: "visible" };
  return { ...seen, ...(diff === undefined ? {} : { diff: { text: diff } }) };
}

/** The results of steps in Firecrawl's form. */
function actedOf(acted: readonly ReadAction[] = []): object {
  if (acted.length === 0) return {};
  const of = (type: ReadAction["type"]) => acted.filter((one) => one.type === type);
  return {
    actions: {
      screenshots: of("screenshot").flatMap(({ picture }) =>
        picture === undefined ? [] : dataUrl(picture.contentType, picture.bytes),
      ),
      scrapes: of("scrape").map(({ url, html = "" }) => ({ url, html })),
      javascriptReturns: of("evaluate").map(({ value }) => ({ type: "string", value })),
      pdfs: [],
    },
  };
}

function dataUrl(contentType: string, bytes: Uint8Array): string {
  return `data:${contentType};base64,${Buffer.from(bytes).toString("base64")}`;
}

function documentOf(
  { extraction, source, shown: seen, acted }: ReadPage,
  options: Options,
  sourceURL: string,
): Document {
  const { content, forms, title, language, published } = extraction;
  const { meta = {}, attributes = [], links, images, json, summaryText: _text, summaryBy, ...others } = forms ?? {};
  const named = Object.entries(meta).flatMap(([name, value]) => {
    const known = NAMED[name.toLowerCase()];
    return known === undefined ? [] : [[known, value] as const];
  });
  const values = attributesOf(options).map((one, at) => ({ ...one, values: attributes[at] ?? [] }));
  const type = formatOf(options, "screenshot")?.quality === undefined ? "png" : "jpeg";
  const picture = seen?.picture?.bytes;
  const shown = picture && dataUrl(`image/${type}`, picture);
  const { ageMs } = source;
  return {
    ...(options.formats.includes("markdown") ? { markdown: content } : {}),
    ...others,
    ...(json === undefined ? {} : { json: fieldsResult(json).data }),
    ...(links === undefined ? {} : { links: links.map(({ url }) => url) }),
    ...(images === undefined ? {} : { images: images.map(({ url }) => url) }),
    ...(formatOf(options, "attributes") === undefined ? {} : { attributes: values }),
    ...(shown === undefined ? {} : { screenshot: shown }),
    ...(seen?.brand === undefined ? {} : { branding: seen.brand }),
    ...actedOf(acted),
    metadata: {
      ...meta,
      ...Object.fromEntries(named),
      title: meta["title"] ?? title,
      ...(language === undefined ? {} : { language }),
      ...(published === undefined ? {} : { publishedTime: published }),
      ...(forms?.summary === undefined ? {} : { summaryBy: summaryBy ?? "sentences" }),
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
