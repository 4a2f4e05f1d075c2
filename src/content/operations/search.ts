import { array, boolean, int, iso, object, type Output, strictObject, string } from "../../lib/schema.ts";
import { type SearchQuery, type SearchResponse } from "../search/search.ts";
import { hostWithoutWww } from "../search/web/result-url.ts";
import { invalidParameters, type OperationResult, postOperation } from "./operation.ts";
import { matching, text, visibleText, whole } from "./text.ts";

/** Maximum number of characters of a query. The search providers accept no more. */
const MAX_QUERY_LENGTH = 500;

/** Hosts that one search can exclude. */
const MAX_EXCLUDED_SITES = 10;
/** Maximum number of characters of a host name, as in DNS. */
const MAX_HOST_LENGTH = 253;
/** Maximum number of results up to the requested page, including it. */
const MAX_RESULTS = 200;

const NOT_A_HOST = "must be a host name such as example.com";
/** A host name with a dot, in any script. */
const HOST = /^(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?\.)+[\p{L}\p{M}\p{N}-]{2,}$/u;

const host = matching(text(MAX_HOST_LENGTH), HOST, NOT_A_HOST);
const day = iso.date("must be a day such as 2026-01-31");

export const searchParameters = {
  query: visibleText(MAX_QUERY_LENGTH).openapi({
    description: "Search query: words, phrases in quotation marks, and -words",
    example: "tide tables",
  }),
  count: whole(1, 50).default(10).describe("Number of results on a page"),
  page: whole(1, 50).default(1).describe("Page of results; page × count is at most 200"),
  site: host.optional().openapi({
    description: "Host whose pages are wanted, with its subdomains",
    example: "example.com",
  }),
  exclude_site: array(host)
    .min(1)
    .max(MAX_EXCLUDED_SITES)
    .optional()
    .openapi({ description: "Hosts whose pages are left out, with their subdomains", example: ["example.org"] }),
  after: day.optional().openapi({ description: "First day of publication", example: "2026-01-01" }),
  before: day.optional().openapi({ description: "Last day of publication", example: "2026-12-31" }),
  lang: matching(string(), /^[a-z]{2}$/, "must be a language code of ISO 639-1 such as de")
    .optional()
    .openapi({ description: "Language of results, by ISO 639-1", example: "de" }),
  timeout: whole(1, 120).default(30).describe("Search timeout in seconds"),
};

const body = strictObject(searchParameters).openapi("SearchRequest");

export const resultFields = {
  title: string(),
  url: string().openapi({ format: "uri" }),
  snippet: string(),
};

export const searchMetadata = {
  content_length: int().describe("Length of all results as JSON in bytes, before the cut"),
  elapsed_ms: int().describe("Time taken, in milliseconds"),
  truncated: boolean().describe("Whether there were more results than count"),
  providers: array(string()).describe("The search providers that responded"),
  cached: boolean().describe("Whether the results come from the cache"),
};

const response = object({
  query: string(),
  results: array(object(resultFields)),
  metadata: object(searchMetadata).openapi("SearchMetadata", { description: "Facts about a search" }),
}).openapi("SearchResponse");

/** The first result in the examples of the API description. */
export const RESULT_EXAMPLE = {
  title: "Tide tables",
  url: "https://example.com/tides",
  snippet: "High water at the harbour comes twice a day, about fifty minutes later each day.",
};

export const search = postOperation(
  {
    name: "search",
    path: "/search",
    price: "$0.005",
    summary: "Search the web",
    description:
      "Queries the configured search providers and merges their results. Each page appears once, the best first, with " +
      "title and snippet as plain text. An empty list is a result. If all providers fail, the call is an error and free, " +
      "and so is a restriction that no provider supports. Operators in the query, such as site:, have no effect; use the " +
      "parameters. /search/content also returns the text of the first pages.",
    body,
    example: { query: "tide tables", count: 2 },
    success: {
      description: "The results, the best first",
      schema: response,
      example: {
        query: "tide tables",
        results: [RESULT_EXAMPLE],
        metadata: { content_length: 164, elapsed_ms: 310, truncated: false, providers: ["local"], cached: false },
      },
    },
    failures: ["invalid-parameters", "overloaded", "search-failed", "search-unavailable", "search-timeout"],
  },
  async (input, services, { elapsedMs }): Promise<OperationResult> => {
    const found = await services.search.search(searchQuery(input, input.timeout * 1000));
    return { json: { query: input.query, results: found.results, metadata: metadataOf(found, elapsedMs()) } };
  },
);

type Input = Output<typeof body>;

/** The search that the parameters ask for. Throws `invalid-parameters` if they contradict each other. */
export function searchQuery(input: Input, timeoutMs: number): SearchQuery {
  const { query, count, page, site, exclude_site: excluded, after, before, lang } = input;
  if (page * count > MAX_RESULTS) {
    throw invalidParameters([
      { path: "page", message: `must be at most ${Math.floor(MAX_RESULTS / count)} with this count` },
    ]);
  }
  if (after !== undefined && before !== undefined && before < after) {
    throw invalidParameters([{ path: "before", message: "must not be earlier than after" }]);
  }
  const filters = {
    site: site === undefined ? undefined : hostOf(site, "site"),
    exclude_site: excluded?.map((other, at) => hostOf(other, `exclude_site.${at}`)),
    after,
    before,
    lang,
  };
  return { query, count, page, filters, timeoutMs };
}

/** The metadata of a search. `elapsedMs` is a whole number. */
export function metadataOf({ results, more, providers, cached }: SearchResponse, elapsedMs: number) {
  return {
    content_length: Buffer.byteLength(JSON.stringify([...results, ...more])),
    elapsed_ms: elapsedMs,
    truncated: more.length > 0,
    providers,
    cached,
  };
}

/** A host name as results have it: in ASCII and lower case, without `www.`. */
function hostOf(name: string, path: string): string {
  const url = URL.parse(`http://${name}/`);
  if (url === null) throw invalidParameters([{ path, message: NOT_A_HOST }]);
  return hostWithoutWww(url.hostname);
}
