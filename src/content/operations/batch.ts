import { array, int, object, type Output, strictObject } from "../../lib/schema.ts";
import { members, needsValue, when } from "./field-rules.ts";
import { type CrawlOrder, givenOnly, type OpenCrawl, type OpenOptions } from "../jobs/crawl-order.ts";
import { type Pages } from "../page-reader/page-reader.ts";
import { BatchResponse, type BatchResult, batchResult, failed, MAX_RESULTS } from "./batch-response.ts";
import { started, startedExample, startedJob } from "./job-shapes.ts";
import { askingPages, assertPrompts } from "./extract-fields.ts";
import { jobParameters } from "./job-parameters.ts";
import { METADATA_EXAMPLE } from "./metadata.ts";
import { type PageRequest } from "../page/page.ts";
import { type OperationResult, postOperation, type Services, stopwatch } from "./operation.ts";
import { PageFailures } from "./page-failures.ts";
import {
  browserNeed,
  comparedKind,
  contentParameters,
  contentPart,
  pageContent,
  CONTENT_RULES,
} from "./page-content.ts";
import { JOB_RULE } from "./request-parameters.ts";
import { assertWatchable, visitParameters, Watch } from "./page-changes.ts";
import { pageParameters, pageRequest, pageUrl, sharingOf, PAGE_RULES } from "./page-parameters.ts";
import { flag } from "./text.ts";

/** Addresses of a batch that is a job. */
const MAX_ADDRESSES = 10_000;
/** Milliseconds from the beginning of a batch to its end, below the timeout of the gateway's route. */
const MAX_BATCH_MS = 180_000;

const { url: _, ...sharedParameters } = pageParameters;

const body = strictObject({
  urls: array(pageUrl)
    .min(1)
    .max(MAX_ADDRESSES)
    .openapi({ description: "Pages to load", example: ["https://example.com/", "https://example.org/"] }),
  async: flag().describe("Load the pages as a job, for up to 10,000 addresses; otherwise up to 20"),
  ...sharedParameters,
  ...contentParameters,
  ...visitParameters,
  ...jobParameters,
}).openapi("BatchRequest");

const RULES = [
  ...PAGE_RULES,
  ...CONTENT_RULES,
  needsValue("webhook", "async", true),
  needsValue("max_price", "async", true),
  {
    ...when("async", true, JOB_RULE),
    else: members({ urls: { maxItems: MAX_RESULTS } }),
  },
];

const response = object({
  results: array(batchResult).describe("One for each URL, in their order"),
  total_time_ms: int().describe("Time taken for all, in milliseconds"),
}).openapi("BatchResponse");

type Input = Output<typeof body>;

/** `POST /batch`: loads up to 20 pages at the same time, or up to 10,000 as a job. */
export const batch = postOperation(
  {
    name: "batch",
    path: "/batch",
    price: "$0.05",
    summary: "Retrieve many pages at once",
    description:
      "Loads all pages at the same time, independently of each other, and returns their contents in the order of `urls`. " +
      "A page that fails has an `error` and no content, and does not affect the others. An address that is listed twice " +
      "is loaded once. `timeout` counts the loading of each page, not its wait for a browser tab. A batch takes at most " +
      "180 seconds. A page that cannot begin early enough for its `timeout` and `wait` gets the error `page-not-begun`. If " +
      "every page fails, the response has an error for each page, and the batch is free, unless the operator charges for " +
      "pages that use up their own time. With `async` the response is 202 with a job, as for `POST /crawl`. Its results come in " +
      "the order of their end, at `GET /batch/ID/results`.",
    body,
    rules: RULES,
    example: { urls: ["https://example.com/", "https://example.org/missing"], format: "text" },
    success: {
      description: "The pages' contents",
      schema: response,
      example: {
        results: [
          {
            url: "https://example.com/",
            format: "text",
            content: "Example Domain\nThis domain is for use in documentation examples.",
            metadata: METADATA_EXAMPLE,
          },
          {
            url: "https://example.org/missing",
            format: "text",
            content: "",
            metadata: { content_length: 0, elapsed_ms: 120, truncated: false, status: 404 },
            error: "Cannot load the page: its server responded with 404",
            error_type: "urn:turnpike:error:page-failed",
          },
        ],
        total_time_ms: 640,
      },
    },
    started: { description: "The job, if `async` is true", schema: startedJob, example: startedExample("/batch") },
    failures: ["invalid-parameters", "address-refused", "overloaded", "store-unavailable"],
  },
  async (input, services, { signal, payer, payment, deferred, unproven, elapsedMs }): Promise<OperationResult> => {
    const { urls, format } = input;
    assertTakenTogether(input, signal);
    assertWatchable(input, { versions: services.versions, payer });
    if (input.async) {
      const paid = { maxPrice: input.max_price, payer, payment, deferred, unproven };
      const job = { operation: "batch", input, order: orderOf(input), ...paid };
      return started("/batch", await services.jobs.add(job));
    }
    assertPrompts(input.formats, services.resolver);
    const load = new Loader(input, { ...services, payer }, signal);
    const made = new BatchResponse(urls.length);
    const loading = urls.map(async (url, place) => made.put(place, { url, format, ...(await load.result(url)) }));
    await Promise.all(loading);
    const parts = made.parts(elapsedMs());
    return { parts, release: () => made.release(), isFree: made.succeeded === 0 && !load.failures.hasBurnt };
  },
);

/** The order of a job. An address that is listed twice is loaded once, in its first spelling. */
function orderOf({ urls }: Pick<Input, "urls">): CrawlOrder {
  const spellings = Map.groupBy(urls, (url) => new URL(url).href);
  return givenOnly([...spellings.values()].flatMap(([first]) => first ?? []));
}

/** Opens the stored input of a batch that is a job. */
export function batchOf(stored: unknown, pages: Pages, { now, ...watcher }: OpenOptions): OpenCrawl {
  const input = body.parse(stored);
  return {
    order: orderOf(input),
    async load(url, signal) {
      const elapsedMs = stopwatch(now);
      const request = requestOf(input, url.href, signal);
      const watch = new Watch(input, watcher, { request, kind: comparedKind(input) }, watcher.createdAt);
      const read = await pageContent(request, input, pages).catch(async (error: unknown) => {
        throw await watch.failure(error);
      });
      const { source } = read.page;
      const changes = await watch.seen(read.compared, source);
      const part = { ...contentPart(read, input.max_length, elapsedMs()), ...changes };
      return {
        finalUrl: source.finalUrl,
        isCached: source.ageMs !== undefined,
        robotsTag: "",
        fields: {},
        content: read.compared,
        result: { format: input.format, ...part },
      };
    },
  };
}

type Loaded = Omit<BatchResult, "url" | "format">;

/** Throws `invalid-parameters` if the parameters contradict each other for every page. */
function assertTakenTogether(input: Input, signal: AbortSignal): void {
  // The cookies are for the hosts of the pages.
  pageRequest({ ...input, cookies: undefined, url: "https://site.invalid/" }, signal, browserNeed(input));
}

/** The request for one page. A page that has not begun after its waiting time would end after the batch. */
function batchRequest(input: Input, url: string, signal: AbortSignal): PageRequest {
  const request = requestOf(input, url, signal);
  return { ...request, turnMs: MAX_BATCH_MS - request.timeoutMs - request.waitMs };
}

function requestOf(input: Input, url: string, signal: AbortSignal): PageRequest {
  const request = pageRequest({ ...input, url }, signal, browserNeed(input));
  return { ...request, ...sharingOf(input), asksTerms: input.ai_terms };
}

/** Loads each URL once, and never fails. All loads share one signal, by which the queues count them as one request. */
class Loader {
  readonly #input: Input;
  readonly #services: Services & { readonly payer: string };
  readonly #signal: AbortSignal;
  readonly #outcomes = new Map<string, Promise<Loaded>>();
  readonly failures: PageFailures;

  constructor(input: Input, services: Services & { readonly payer: string }, signal: AbortSignal) {
    this.#input = input;
    this.#services = services;
    this.#signal = signal;
    this.failures = new PageFailures(services.log, "a page of a batch");
  }

  result(url: string): Promise<Loaded> {
    const { href } = new URL(url);
    return this.#outcomes.getOrInsertComputed(href, () => this.#load(url));
  }

  async #load(url: string): Promise<Loaded> {
    const input = this.#input;
    const elapsedMs = stopwatch(this.#services.now);
    let watch: Watch | undefined;
    try {
      const request = batchRequest(input, url, this.#signal);
      watch = new Watch(input, this.#services, { request, kind: comparedKind(input) });
      const read = await pageContent(request, input, askingPages(this.#services));
      const changes = await watch.seen(read.compared, read.page.source);
      return { ...contentPart(read, input.max_length, elapsedMs()), ...changes };
    } catch (error) {
      return { ...failed(this.failures.errorOf(error), elapsedMs()), ...(await watch?.gone(error)) };
    }
  }
}
