import { z } from "@hono/zod-openapi";
import { messageOf } from "../../lib/caught.ts";
import { parsedJson } from "../../lib/parsed-json.ts";
import { SETTLEMENT_DEFERRAL } from "../../payments/x402/charge.ts";
import { type Job } from "../../store/jobs/job-store.ts";
import { type AddedJob, type Jobs } from "../jobs/jobs.ts";
import { type CrawlOrder, givenOnly, type OpenCrawl, type OpenOptions } from "../jobs/crawl-order.ts";
import { deferredPayment, isUnproven, paymentName } from "../jobs/sale.ts";
import { CHARGES } from "../operations/job-shapes.ts";
import { checkBody, invalidParameters, type OperationResult, type Services } from "../operations/operation.ts";
import { pageUrl, webUrl } from "../operations/page-parameters.ts";
import { assertKeepable } from "../operations/request-parameters.ts";
import { type Pages } from "../page-reader/page-reader.ts";
import { pathFilter } from "../sites/path-filter.ts";
import { assertTracked, readDocument } from "./document.ts";
import { requestOf } from "./page-request.ts";
import { batchBody, crawlBody, type DocumentWebhook, type PageOptions } from "./options.ts";
import { type Ask, payerOf } from "./surface.ts";

/** Pages of one job that each service loads at a time, at most. */
const MAX_CONCURRENCY = 16;

/** The operation of jobs whose results are documents. */
export const FIRECRAWL = "firecrawl";

/** The parts of a job that each service needs. */
interface Input {
  readonly order: CrawlOrder;
  readonly options: PageOptions;
  readonly webhook?: DocumentWebhook | undefined;
  /** The job is an extraction, whose documents have only fields. */
  readonly extract?: { readonly showSources: boolean; readonly madeSchema: boolean };
}

// The input is made below, from a body that was checked.
const stored = z.custom<Input>((value) => typeof value === "object" && value !== null);

const storedOrder = z.object({ operation: z.literal(FIRECRAWL), input: stored });

/** The input of a job whose results are documents; undefined for other jobs. */
export function inputOf(job: Pick<Job, "order">): Input | undefined {
  return storedOrder.safeParse(parsedJson(job.order)).data?.input;
}

/** Opens the stored input of a job. */
export function documentsOf(input: unknown, pages: Pages, service: OpenOptions): OpenCrawl {
  const { order, options, extract } = stored.parse(input);
  const { versions, payer, createdAt: before, asking } = service;
  const userAgent = order.given === true ? undefined : service.userAgent;
  return {
    order,
    async load(url, signal) {
      const reader = {
        pages: extract === undefined ? pages : asking,
        versions,
        payer,
        before,
        userAgent,
        signal,
        crawled: true,
      };
      const { extraction, source, document } = await readDocument(url.href, options, reader);
      return {
        finalUrl: source.finalUrl,
        isCached: source.ageMs !== undefined,
        robotsTag: source.headers.find(([name]) => name.toLowerCase() === "x-robots-tag")?.[1] ?? "",
        fields: extraction.fields,
        content: extraction.content,
        result: { document },
      };
    },
  };
}

/** `POST /v2/crawl`: a job that loads the pages of a site. */
export async function startCrawl(ask: Ask, { jobs, versions }: Services): Promise<OperationResult> {
  const { scrapeOptions: options, ...input } = checkBody(crawlBody, ask.body);
  assertTracked(options, { versions });
  const { includePaths, excludePaths } = input;
  try {
    pathFilter(includePaths, excludePaths);
  } catch (error) {
    throw invalidParameters([{ path: "includePaths", message: `or excludePaths: ${messageOf(error)}` }]);
  }
  assertStorable(options);
  requestOf(options, input.url, ask);
  const site = {
    urls: [input.url],
    limit: input.limit,
    max_depth: input.maxDepth ?? input.maxDiscoveryDepth,
    include_paths: includePaths,
    exclude_paths: excludePaths,
    subdomains: input.allowSubdomains,
    external: input.allowExternalLinks,
    below: !input.crawlEntireDomain && !input.allowBackwardLinks,
    ignore_query: input.ignoreQueryParameters,
    sitemap: input.ignoreSitemap ? "skip" : input.sitemap,
    skip_noindex: false,
    near_duplicates: input.deduplicateSimilarURLs ? "same-path" : "deliver",
    delay: input.delay,
    concurrency: Math.min(input.maxConcurrency, MAX_CONCURRENCY),
  } as const;
  return started(ask, "crawl", await add(ask, jobs, { order: site, options, webhook: input.webhook }));
}

/** `POST /v2/batch/scrape`: a job that loads given pages. */
export async function startBatch(ask: Ask, services: Services): Promise<OperationResult> {
  const { urls, ignoreInvalidURLs, maxConcurrency, webhook, ...options } = checkBody(batchBody, ask.body);
  assertTracked(options, services);
  return await addPages(ask, services, {
    path: "batch/scrape",
    urls,
    ignoreInvalidURLs,
    maxConcurrency,
    options,
    webhook,
  });
}

/** A job that loads given pages. */
interface GivenPages extends Omit<Input, "order"> {
  /** Below the version: where the client asks for the job. */
  readonly path: string;
  readonly urls: readonly string[];
  readonly ignoreInvalidURLs: boolean;
  /** Default: that of all jobs. */
  readonly maxConcurrency?: number;
  /** As `Order.identity`. */
  readonly identity?: unknown;
}

/** Adds a job that loads given pages. Fails with `invalid-parameters` if no address is valid. */
export async function addPages(ask: Ask, { jobs }: Services, given: GivenPages): Promise<OperationResult> {
  const { path, urls, ignoreInvalidURLs, maxConcurrency = MAX_CONCURRENCY, identity, ...input } = given;
  const { options } = input;
  assertStorable(options);
  const valid = urls.filter(isLoadable);
  const invalidURLs = urls.filter((url) => !isLoadable(url));
  if (valid.length === 0 || (invalidURLs.length > 0 && !ignoreInvalidURLs)) {
    throw invalidParameters([
      { path: `urls.${urls.indexOf(invalidURLs[0] ?? "")}`, message: "is not an address of the web" },
    ]);
  }
  const spellings = Map.groupBy(valid, (url) => new URL(url).href);
  const pages = givenOnly([...spellings.values()].flatMap(([first]) => first ?? []));
  const order = { ...pages, concurrency: Math.min(maxConcurrency, MAX_CONCURRENCY) };
  const made = await add(ask, jobs, { ...input, order }, identity);
  return started(ask, path, made, invalidURLs.length === 0 ? {} : { invalidURLs });
}

/** Throws `invalid-parameters` if a job would keep a secret of its caller. A user agent is not secret. */
function assertStorable({ headers = {}, actions }: PageOptions): void {
  const isSecret = Object.keys(headers).some((name) => name.toLowerCase() !== "user-agent");
  assertKeepable({ ...(isSecret ? { headers } : {}), ...(actions.length === 0 ? {} : { actions }) });
}

function isLoadable(url: string): boolean {
  if (!pageUrl.safeParse(url).success) return false;
  try {
    webUrl(url);
    return true;
  } catch {
    return false;
  }
}

async function add({ headers, owner }: Ask, jobs: Jobs, input: Input, identity?: unknown): Promise<AddedJob> {
  const job = {
    operation: FIRECRAWL,
    input,
    order: input.order,
    ...(identity === undefined ? {} : { identity }),
    payer: payerOf(headers),
    payment: paymentName(headers),
    deferred: deferredPayment(headers),
    unproven: isUnproven(headers),
    secret: owner,
  };
  return await jobs.add(job);
}

/** The response to a request that has started a job. The SDK accepts only 200. */
function started(
  { base, version }: Ask,
  path: string,
  { id, chargeKey }: AddedJob,
  more: object = {},
): OperationResult {
  const later = { [SETTLEMENT_DEFERRAL]: JSON.stringify({ path: `${CHARGES}/${id}/${chargeKey}` }) };
  return {
    json: { success: true, id, url: `${base}/${version}/${path}/${id}`, ...more },
    headers: chargeKey === undefined ? {} : later,
  };
}
