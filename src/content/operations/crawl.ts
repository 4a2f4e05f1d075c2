import { array, number, oneOf, type Output, strictObject } from "../../lib/schema.ts";
import { messageOf } from "../../lib/caught.ts";
import { type OpenCrawl, type OpenOptions } from "../jobs/crawl-order.ts";
import { type Pages } from "../page-reader/page-reader.ts";
import { pathFilter } from "../sites/path-filter.ts";
import { started, startedExample, startedJob } from "./job-shapes.ts";
import { jobParameters } from "./job-parameters.ts";
import { invalidParameters, type OperationResult, postOperation, stopwatch } from "./operation.ts";
import {
  browserNeed,
  comparedKind,
  contentParameters,
  contentPart,
  pageContent,
  CONTENT_RULES,
} from "./page-content.ts";
import { isPlanned } from "./page-formats.ts";
import { JOB_RULE } from "./request-parameters.ts";
import { assertWatchable, keptParameters, Watch, type WatchOrder } from "./page-changes.ts";
import { pageParameters, pageRequest, pageUrl, sharingOf, PAGE_RULES } from "./page-parameters.ts";
import { text, flag, whole } from "./text.ts";

/** Pages of one crawl. */
const MAX_LIMIT = 10_000;
/** Addresses at which a crawl begins. */
const MAX_STARTS = 100;
/** Patterns of a list, and characters of one. */
const MAX_PATTERNS = 20;
const MAX_PATTERN_LENGTH = 200;

/** Characters of the content of one result. Longer content is cut, and its metadata says so. */
const MAX_CONTENT = 1_000_000;

const { url: _url, ...sharedParameters } = pageParameters;
const { evaluate: _evaluate, ...formatParameters } = contentParameters;
const patterns = array(text(MAX_PATTERN_LENGTH, 1).openapi({ format: "regex" }))
  .min(1)
  .max(MAX_PATTERNS)
  .optional();

const body = strictObject({
  urls: array(pageUrl)
    .min(1)
    .max(MAX_STARTS)
    .openapi({
      description: "Addresses at which the crawl begins; their hosts are the site",
      example: ["https://example.com/"],
    }),
  limit: whole(1, MAX_LIMIT).default(100).describe("Maximum number of delivered pages"),
  max_depth: whole(0, 50).default(20).describe("Maximum number of links from a start to a page"),
  include_paths: patterns.openapi({
    description: "Regular expressions; only linked pages whose path one of them matches anywhere are loaded",
    example: ["^/docs/"],
  }),
  exclude_paths: patterns.openapi({
    description: "Regular expressions; linked pages whose path one of them matches anywhere are not loaded",
    example: ["\\.pdf$"],
  }),
  subdomains: flag().describe("Also pages of hosts below the site's"),
  external: flag().describe("Also pages of other sites that the site links to; their links are not followed"),
  ignore_query: flag().describe("Load addresses without their query, each once"),
  sitemap: oneOf(["include", "only", "skip"])
    .default("include")
    .describe("Use of the site's sitemaps beside the links of its pages"),
  skip_noindex: flag().describe("Do not deliver pages that ask not to be indexed"),
  near_duplicates: oneOf(["deliver", "same-path", "skip"])
    .default("same-path")
    .describe(
      "Pages whose text is nearly that of another page: deliver them, or skip those with the same path (on another host, or " +
        "with another query), or all of them",
    ),
  delay: number().min(0).max(60).default(0).describe("Minimum seconds between two requests to a host"),
  concurrency: whole(1, 16).default(8).describe("Maximum number of pages loaded at a time by each content service"),
  ...sharedParameters,
  ...formatParameters,
  ...keptParameters,
  only_changed: flag().describe(
    "Deliver only pages that are new or changed since your last crawl with the same format",
  ),
  ...jobParameters,
}).openapi("CrawlRequest");

/** `POST /crawl`: a job that loads the pages of a site. */
export const crawl = postOperation(
  {
    name: "crawl",
    path: "/crawl",
    price: "$0.5",
    summary: "Load the pages of a site as a job",
    description:
      "Starts a job and responds at once with 202. The job loads the start pages, and the pages that they, their links and the " +
      "sitemaps lead to, by the site's robots.txt. Read its state with `GET /crawl/ID`, its results with " +
      "`GET /crawl/ID/results?after=NUMBER` (JSON, or NDJSON that follows the job if Accept names application/x-ndjson), and cancel it " +
      "with `DELETE /crawl/ID`; each with the secret in X-Job-Secret. Failed, forbidden and equal pages do not count for the limit. Under `exact` the whole limit is paid, and the job begins with the first of these requests; by `upto` or prepaid credit only delivered pages.",
    body,
    rules: [...PAGE_RULES, ...CONTENT_RULES, JOB_RULE],
    example: { urls: ["https://example.com/"], limit: 100 },
    success: {
      description: "The job, which runs",
      status: 202,
      schema: startedJob,
      example: startedExample("/crawl"),
    },
    failures: ["invalid-parameters", "address-refused", "overloaded", "store-unavailable"],
  },
  async (input, { jobs, versions }, { signal, payer, payment, deferred, unproven }): Promise<OperationResult> => {
    try {
      pathFilter(input.include_paths ?? [], input.exclude_paths ?? []);
    } catch (error) {
      throw invalidParameters([{ path: "include_paths", message: `or exclude_paths: ${messageOf(error)}` }]);
    }
    assertWatchable(watchOf(input), { versions, payer });
    for (const url of input.urls) pageRequest({ ...input, url }, signal, browserNeed(input));
    const paid = { maxPrice: input.max_price, payer, payment, deferred, unproven };
    return started("/crawl", await jobs.add({ operation: "crawl", input, order: input, ...paid }));
  },
);

/** Without `changes`, the comparison for `only_changed` has no differences. */
function watchOf({ changes, only_changed: onlyChanged, private: isPrivate }: Output<typeof body>): WatchOrder {
  return { changes: changes ?? (onlyChanged ? { since: "last", mode: "state" } : undefined), private: isPrivate };
}

/** Opens the stored input of a crawl. `userAgent` is that of crawlers, for inputs that name none. */
export function crawlOf(stored: unknown, pages: Pages, options: OpenOptions): OpenCrawl {
  const input = body.parse(stored);
  return {
    order: input,
    async load(url, signal) {
      const elapsedMs = stopwatch(options.now);
      const userAgent = input.user_agent ?? options.userAgent;
      const request = {
        ...pageRequest({ ...input, user_agent: userAgent, url: url.href }, signal, browserNeed(input)),
        ...sharingOf(input),
      };
      const kind = `crawl ${isPlanned(input) ? comparedKind(input) : input.format}`;
      const watch = new Watch(watchOf(input), options, { request, kind }, options.createdAt);
      const read = await pageContent(request, input, pages, true).catch(async (error: unknown) => {
        throw await watch.failure(error);
      });
      const { source } = read.page;
      const { changes } = await watch.seen(read.compared, source);
      return {
        finalUrl: source.finalUrl,
        isCached: source.ageMs !== undefined,
        robotsTag: source.headers.find(([name]) => name.toLowerCase() === "x-robots-tag")?.[1] ?? "",
        fields: read.fields,
        isUnchanged: input.only_changed && changes?.state === "same",
        content: read.compared,
        result: {
          format: input.format,
          ...contentPart(read, input.max_length ?? MAX_CONTENT, elapsedMs()),
          ...(input.changes === undefined ? {} : { changes }),
        },
      };
    },
  };
}
