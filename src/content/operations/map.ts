import { array, boolean, int, object, oneOf, type Output, strictObject, string } from "../../lib/schema.ts";
import { messageOf } from "../../lib/caught.ts";
import { type MapLink } from "../map/link-list.ts";
import { MapReport } from "../map/site-mapper.ts";
import { type PathFilter, pathFilter } from "../sites/path-filter.ts";
import { type Call, invalidParameters, NDJSON, type OperationResult, postOperation } from "./operation.ts";
import { pageUrl, webUrl } from "./page-parameters.ts";
import { text, visibleText, flag, whole } from "./text.ts";

/** Addresses of one map. */
const MAX_LINKS = 100_000;
/** Patterns of a list, and characters of one. */
const MAX_PATTERNS = 20;
const MAX_PATTERN_LENGTH = 200;
/** Maximum number of characters of the words of a search. */
const MAX_SEARCH_LENGTH = 500;

const patterns = array(text(MAX_PATTERN_LENGTH, 1).openapi({ format: "regex" }))
  .min(1)
  .max(MAX_PATTERNS)
  .optional();

const body = strictObject({
  url: pageUrl.describe("Any address of the site; http and https only"),
  search: visibleText(MAX_SEARCH_LENGTH).optional().openapi({
    description: "Only addresses that contain one of these words, or whose title does; the best first",
    example: "tide tables",
  }),
  limit: whole(1, MAX_LINKS).default(5_000).describe("Maximum number of addresses"),
  subdomains: flag().describe("Also addresses of hosts below the site's"),
  ignore_query: flag().describe("Return addresses without their query, each once"),
  include_paths: patterns.openapi({
    description: "Regular expressions; only paths that one of them matches anywhere are returned",
    example: ["^/docs/"],
  }),
  exclude_paths: patterns.openapi({
    description: "Regular expressions; paths that one of them matches anywhere are left out",
    example: ["\\.pdf$"],
  }),
  sitemap: oneOf(["include", "only", "skip"])
    .default("include")
    .describe("Use of the site's sitemaps beside its first pages and the search index"),
  timeout: whole(1, 120).default(30).describe("Time for all of it, in seconds"),
}).openapi("MapRequest");

const link = object({
  url: string().openapi({ format: "uri" }),
  title: string().optional().describe("Title of the page, or the text of a link to it"),
  modified: string().optional().describe("Date of the last change, from the sitemap"),
}).openapi("MapLink", { description: "An address of a site" });

const metadata = object({
  elapsed_ms: int().describe("Time taken, in milliseconds"),
  truncated: boolean().describe("Whether there are more addresses than limit"),
  partial: boolean().describe("Whether the timeout came before the end of the site's sitemaps"),
  forbidden: int().describe("Number of addresses that were left out because robots.txt forbids them"),
}).openapi("MapMetadata", { description: "Facts about a map" });

const response = object({ url: string(), links: array(link), metadata }).openapi("MapResponse");

type Metadata = Output<typeof metadata>;

/** `POST /map`: the addresses of a site. */
export const map = postOperation(
  {
    name: "map",
    path: "/map",
    price: "$0.01",
    summary: "List the addresses of a site",
    description:
      "Returns the addresses of a site from its first pages, its sitemaps, those that robots.txt names, and the search " +
      "index of the gateway. Sitemaps are XML, indexes, text, RSS or Atom, gzipped or not. Each address appears once. Nothing that robots.txt " +
      "forbids is requested or returned. With `Accept: application/x-ndjson` each address is sent as a line of JSON when it " +
      "is found, and a last line has the `metadata`. A map without an address is an error and free.",
    body,
    example: { url: "https://example.com/", limit: 100 },
    success: {
      description: "The addresses",
      otherTypes: [NDJSON],
      schema: response,
      example: {
        url: "https://example.com/",
        links: [
          { url: "https://example.com/", title: "Example Domain" },
          { url: "https://example.com/tides", modified: "2026-01-31" },
        ],
        metadata: { elapsed_ms: 812, truncated: false, partial: false, forbidden: 0 },
      },
    },
    failures: ["invalid-parameters", "address-refused", "page-failed", "page-empty", "page-timeout", "overloaded"],
  },
  async (input, { sites }, call): Promise<OperationResult> => {
    const report = new MapReport();
    const pieces = sites.links(
      {
        url: webUrl(input.url),
        subdomains: input.subdomains,
        ignoreQuery: input.ignore_query,
        sitemap: input.sitemap,
        wants: filterOf(input),
        search: input.search,
        limit: input.limit,
        timeoutMs: input.timeout * 1000,
        signal: call.signal,
      },
      report,
    );
    if (call.accepts(NDJSON)) return { lines: linesOf(await begun(pieces), () => metadataOf(report, call)) };
    const links: MapLink[] = [];
    for await (const piece of pieces) links.push(...piece);
    return { json: { url: input.url, links, metadata: metadataOf(report, call) } };
  },
);

type Pieces = AsyncGenerator<readonly MapLink[]>;

/** The first addresses and the others. An error before the first address is the error of the call. */
async function begun(pieces: Pieces): Promise<readonly [first: readonly MapLink[], others: Pieces]> {
  const { value } = await pieces.next();
  return [Array.isArray(value) ? value : [], pieces];
}

async function* linesOf(
  [first, others]: Awaited<ReturnType<typeof begun>>,
  last: () => Metadata,
): AsyncGenerator<string> {
  try {
    yield linesText(first);
    for await (const piece of others) yield linesText(piece);
    yield linesText([{ metadata: last() }]);
  } finally {
    await others.return(undefined);
  }
}

function linesText(values: readonly object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}

function metadataOf({ truncated, partial, forbidden }: MapReport, { elapsedMs }: Call): Metadata {
  return { elapsed_ms: elapsedMs(), truncated, partial, forbidden };
}

function filterOf({ include_paths: include = [], exclude_paths: exclude = [] }: Output<typeof body>): PathFilter {
  const errors = Object.entries({ include_paths: include, exclude_paths: exclude }).flatMap(([name, list]) =>
    list.flatMap((pattern, at) => {
      const message = errorOf(pattern);
      return message === undefined ? [] : [{ path: `${name}.${at}`, message }];
    }),
  );
  if (errors.length > 0) throw invalidParameters(errors);
  return pathFilter(include, exclude);
}

function errorOf(pattern: string): string | undefined {
  try {
    pathFilter([pattern], []);
    return undefined;
  } catch (error) {
    return `must be a regular expression: ${messageOf(error)}`;
  }
}
