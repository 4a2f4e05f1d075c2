import { z } from "@hono/zod-openapi";
import { checkBody, invalidParameters, type OperationResult, type Services } from "../operations/operation.ts";
import { parsedJson } from "../../lib/parsed-json.ts";
import { fileSource } from "../operations/parse.ts";
import { Upload } from "../operations/upload.ts";
import { MapReport } from "../map/site-mapper.ts";
import { PageFailures } from "../operations/page-failures.ts";
import { webUrl } from "../operations/page-parameters.ts";
import { searchParameters, searchQuery } from "../operations/search.ts";
import { RemovedError } from "../changes/removed-error.ts";
import { assertTracked, type Document, readDocument, readFileDocument, trackingOf } from "./document.ts";
import { mapBody, type PageOptions, parseOptions, scrapeBody, searchBody } from "./options.ts";
import { askingPages } from "../operations/extract-fields.ts";
import { type Ask, payerOf } from "./surface.ts";

/** `POST /v2/scrape`: one page as a document. */
export async function scrape({ body, signal, headers }: Ask, services: Services): Promise<OperationResult> {
  const { url, ...options } = checkBody(scrapeBody, body);
  const { versions, chargeOf } = services;
  try {
    const read = await readDocument(url, options, {
      pages: askingPages(services),
      versions,
      payer: payerOf(headers),
      signal,
    });
    return { json: { success: true, data: read.document }, charge: chargeOf(read.source) };
  } catch (error) {
    if (!(error instanceof RemovedError)) throw error;
    const metadata = { sourceURL: url, statusCode: error.members.page_status, error: error.message };
    return { json: { success: true, data: { changeTracking: trackingOf(error.changes), metadata } }, charge: "0%" };
  }
}

/** `POST /v2/parse`: the part `file` of a form as a document, by the options in the part `options`. */
export async function parse({ body, signal }: Ask, { files, fileChargeOf }: Services): Promise<OperationResult> {
  const { file, contentType, fields } = body instanceof Upload ? body : new Upload(undefined, "", {});
  if (file === undefined) throw invalidParameters([{ path: "file", message: "is required" }]);
  const given = fields["options"];
  const options = checkBody(parseOptions, typeof given === "string" ? parsedJson(given) : (given ?? {}));
  const read = await readFileDocument(fileSource(file, contentType), options, { files, signal });
  return { json: { success: true, data: read.document }, charge: fileChargeOf(read.source) };
}

/** `POST /v2/map`: the addresses of a site. */
export async function map({ body, signal, version }: Ask, { sites }: Services): Promise<OperationResult> {
  const input = checkBody(mapBody, body);
  const pieces = sites.links(
    {
      url: webUrl(input.url),
      subdomains: input.includeSubdomains,
      ignoreQuery: input.ignoreQueryParameters,
      sitemap: input.sitemap,
      wants: () => true,
      search: input.search,
      limit: input.limit,
      timeoutMs: input.timeout,
      signal,
    },
    new MapReport(),
  );
  const links: unknown[] = [];
  for await (const piece of pieces) {
    links.push(...(version === "v1" ? piece.map(({ url }) => url) : piece.map(({ url, title }) => ({ url, title }))));
  }
  return { json: { success: true, links } };
}

const DAY_MS = 86_400_000;

const parameters = z.strictObject(searchParameters);

/** `POST /v2/search`: results of a search, with the documents of their pages if `scrapeOptions` are given. */
export async function searchWeb(ask: Ask, services: Services): Promise<OperationResult> {
  const input = checkBody(searchBody, ask.body);
  const { includeDomains, excludeDomains, scrapeOptions } = input;
  const query = checkBody(parameters, {
    query: input.query,
    count: input.limit,
    ...(includeDomains.length === 0 ? {} : { site: includeDomains[0] }),
    ...(excludeDomains.length === 0 ? {} : { exclude_site: excludeDomains }),
    ...(input.lang === undefined ? {} : { lang: input.lang }),
    ...(input.tbs === undefined ? {} : daysOf(input.tbs, services.jobs.now())),
  });
  const found = await services.search.search(searchQuery(query, input.timeout));
  const results = found.results.map(({ title, url, snippet }, at) => ({
    url,
    title,
    description: snippet,
    position: at + 1,
  }));
  const shape = (data: readonly object[]) => ({ success: true, data: ask.version === "v1" ? data : { web: data } });
  if (scrapeOptions === undefined) return { json: shape(results) };
  assertTracked(scrapeOptions, services);
  const failures = new PageFailures(services.log, "a result of a search");
  const search = { ask, services, failures };
  const data = await Promise.all(
    results.map(async (result) => ({ ...result, ...(await resultDocument(result.url, scrapeOptions, search)) })),
  );
  const isFree = data.every(({ metadata }) => "error" in metadata) && !failures.hasBurnt;
  return { json: shape(data), charge: isFree ? "0" : undefined };
}

interface Search {
  readonly ask: Ask;
  readonly services: Services;
  readonly failures: PageFailures;
}

/** The document of a result. If its page cannot be loaded, its metadata has the error. */
async function resultDocument(
  url: string,
  options: PageOptions,
  { ask, services, failures }: Search,
): Promise<Document> {
  try {
    const { pages, versions } = services;
    const reader = { pages, versions, payer: payerOf(ask.headers), signal: ask.signal };
    return (await readDocument(url, options, reader)).document;
  } catch (error) {
    const { message, members } = failures.errorOf(error);
    return { metadata: { sourceURL: url, statusCode: members.page_status ?? 500, error: message } };
  }
}

/** The days of Google's parameter `tbs`. */
function daysOf(tbs: string, now: number): { readonly after: string; readonly before?: string } {
  const range = /cd_min:(\d+)\/(\d+)\/(\d+),cd_max:(\d+)\/(\d+)\/(\d+)/.exec(tbs);
  if (range !== null) {
    const [month, day, year, lastMonth, lastDay, lastYear] = range.slice(1);
    return { after: dayOf(year, month, day), before: dayOf(lastYear, lastMonth, lastDay) };
  }
  const days = { d: 1, w: 7, m: 31, y: 366 }[tbs.at(-1) ?? ""] ?? 0;
  return { after: new Date(now - days * DAY_MS).toISOString().slice(0, 10) };
}

function dayOf(year = "", month = "", day = ""): string {
  return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}
