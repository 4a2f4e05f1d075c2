import { array, boolean, int, object, oneOf, type Output, strictObject, string } from "../../lib/schema.ts";
import { problemType } from "../../lib/errors.ts";
import { cut } from "../../lib/text/cut-text.ts";
import { type SearchResult } from "../search/web/result.ts";
import { type Call, type OperationResult, postOperation, type Services } from "./operation.ts";
import { PageFailures } from "./page-failures.ts";
import { pageParameters, pageRequest } from "./page-parameters.ts";
import { metadataOf, RESULT_EXAMPLE, resultFields, searchMetadata, searchParameters, searchQuery } from "./search.ts";
import { whole } from "./text.ts";

/** Pages that one call reads. */
const MAX_PAGES = 5;
/** Maximum number of characters of one page's content. */
const MAX_CONTENT = 100_000;
/** The share of the timeout that the search may take. The rest is for the pages. */
const SEARCH_SHARE = 0.5;

const body = strictObject({
  ...searchParameters,
  // Required, so that a route for /search with its schema refuses this body, whose price is another one.
  content: oneOf(["markdown"]).describe("Format of the contents"),
  pages: whole(1, MAX_PAGES).default(3).describe("Number of first results that are read"),
  max_length: whole(1, MAX_CONTENT)
    .default(20_000)
    .describe("Maximum length of a page's content in characters; longer content is cut"),
}).openapi("SearchContentRequest");

const result = object({
  ...resultFields,
  content: string().optional().describe("Main content of a page that was read"),
  truncated: boolean().optional().describe("Whether the content was cut to max_length"),
  error: string().optional().describe("Reason why the page was not read"),
  error_type: string().optional().describe("The problem type of the error"),
}).openapi("SearchContentResult", { description: "A result, with the content of its page if it was read" });

const response = object({
  query: string(),
  results: array(result),
  metadata: object({ ...searchMetadata, pages_read: int().describe("Number of pages with content") }).openapi(
    "SearchContentMetadata",
    { description: "Facts about a search and its pages" },
  ),
}).openapi("SearchContentResponse");

/** `POST /search/content`: search results, and the content of the first ones. */
export const searchContent = postOperation(
  {
    name: "search_content",
    path: "/search/content",
    price: "$0.02",
    summary: "Search the web and read the first results",
    description:
      "Searches as /search does, and reads the first results as /read does, at the same time. A page that fails has an " +
      "`error` and no content, and does not affect the others. The price is the same for any number of pages. If no page " +
      "was read, the call is free, unless the operator charges for pages that use up their own time. `timeout` is for the " +
      "whole call; the search gets half of it.",
    body,
    example: { query: "tide tables", count: 2, content: "markdown", pages: 1 },
    success: {
      description: "The results, the best first, with the content of the first ones",
      schema: response,
      example: {
        query: "tide tables",
        results: [
          { ...RESULT_EXAMPLE, content: RESULT_EXAMPLE.snippet, truncated: false },
          {
            title: "Harbour guide",
            url: "https://example.org/harbour",
            snippet: "Ships enter the harbour at high water.",
          },
        ],
        metadata: {
          content_length: 280,
          elapsed_ms: 940,
          truncated: false,
          providers: ["local"],
          cached: false,
          pages_read: 1,
        },
      },
    },
    failures: ["invalid-parameters", "overloaded", "search-failed", "search-unavailable", "search-timeout"],
  },
  async (input, services, call): Promise<OperationResult> => {
    const timeoutMs = input.timeout * 1000;
    const found = await services.search.search(searchQuery(input, timeoutMs * SEARCH_SHARE));
    const reader = new ResultReader(services, call, timeoutMs);
    const read = found.results.map(async (each, at) =>
      at < input.pages ? { ...each, ...(await reader.read(each, input.max_length)) } : each,
    );
    const results = await Promise.all(read);
    const metadata = { ...metadataOf(found, call.elapsedMs()), pages_read: reader.pagesRead };
    const json = new TextEncoder().encode(JSON.stringify({ query: input.query, results, metadata }));
    return { parts: [json], release: () => undefined, isFree: reader.pagesRead === 0 && !reader.failures.hasBurnt };
  },
);

type Content = Pick<Output<typeof result>, "content" | "truncated" | "error" | "error_type">;

/** Reads the pages of results, and never fails. */
class ResultReader {
  readonly #services: Services;
  readonly #call: Call;
  readonly #timeoutMs: number;
  readonly failures: PageFailures;
  pagesRead = 0;

  constructor(services: Services, call: Call, timeoutMs: number) {
    this.#services = services;
    this.#call = call;
    this.#timeoutMs = timeoutMs;
    this.failures = new PageFailures(services.log, "a result of a search");
  }

  async read({ url }: SearchResult, maxLength: number): Promise<Content> {
    // One half for the wait for a browser tab, the other for the load.
    const halfMs = Math.max(1, (this.#timeoutMs - this.#call.elapsedMs()) / 2);
    try {
      const request = pageRequest(PAGE.parse({ url }), this.#call.signal);
      const { extraction } = await this.#services.pages.read(
        { ...request, timeoutMs: halfMs, turnMs: halfMs },
        { kind: "article" },
      );
      this.pagesRead += 1;
      const content = cut(extraction.content, maxLength);
      return { content, truncated: content !== extraction.content };
    } catch (error) {
      const { code, message } = this.failures.errorOf(error);
      return { error: message, error_type: problemType(code) };
    }
  }
}

const PAGE = object(pageParameters);
