import { z } from "@hono/zod-openapi";
import { type OperationResult, postOperation } from "./operation.ts";
import { visibleText } from "./text.ts";

/** Maximum number of characters of a query. The search providers accept no more. */
const MAX_QUERY_LENGTH = 500;

const body = z
  .strictObject({
    query: visibleText(MAX_QUERY_LENGTH).openapi({ description: "Search query", example: "tide tables" }),
    count: z.int().min(1).max(50).default(10).openapi({ description: "Number of results" }),
    timeout: z.int().min(1).max(120).default(30).openapi({ description: "Search timeout in seconds" }),
  })
  .openapi("SearchRequest");

const response = z
  .object({
    query: z.string(),
    results: z.array(z.object({ title: z.string(), url: z.string().openapi({ format: "uri" }), snippet: z.string() })),
    metadata: z
      .object({
        content_length: z.int().openapi({ description: "Length of all results as JSON in bytes, before the cut" }),
        elapsed_ms: z.int().openapi({ description: "Time taken, in milliseconds" }),
        truncated: z.boolean().openapi({ description: "Whether there were more results than count" }),
        providers: z.array(z.string()).openapi({ description: "The search providers that responded" }),
        cached: z.boolean().openapi({ description: "Whether the results come from the cache" }),
      })
      .openapi("SearchMetadata", { description: "Facts about a search" }),
  })
  .openapi("SearchResponse");

/** `POST /search`: search results of the web. */
export const search = postOperation(
  {
    name: "search",
    path: "/search",
    price: "$0.005",
    summary: "Search the web",
    description:
      "Queries the configured search providers and merges their results. Each page appears once, the best first, with " +
      "title and snippet as plain text. An empty list is a result. If all providers fail, the call is an error and free.",
    body,
    example: { query: "tide tables", count: 2 },
    success: {
      description: "The results, the best first",
      contentType: "application/json",
      schema: response,
      example: {
        query: "tide tables",
        results: [
          {
            title: "Tide tables",
            url: "https://example.com/tides",
            snippet: "High water at the harbour comes twice a day, about fifty minutes later each day.",
          },
        ],
        metadata: { content_length: 164, elapsed_ms: 310, truncated: false, providers: ["local"], cached: false },
      },
    },
    failures: ["invalid-parameters", "overloaded", "search-failed", "search-unavailable", "search-timeout"],
  },
  async ({ query, count, timeout }, services, { elapsedMs }): Promise<OperationResult> => {
    const { results, more, providers, cached } = await services.search.search({
      query,
      count,
      timeoutMs: timeout * 1000,
    });
    const metadata = {
      content_length: Buffer.byteLength(JSON.stringify([...results, ...more])),
      elapsed_ms: elapsedMs(),
      truncated: more.length > 0,
      providers,
      cached,
    };
    return { json: { query, results, metadata } };
  },
);
