import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../lib/caught.ts";
import { within } from "../lib/time/within.ts";
import { AbsentBrowser } from "./browser/absent-browser.ts";
import { NoBrowserError } from "./browser/program/find.ts";
import { type BrowserInfo } from "./browser/program/browser-opener.ts";
import { BrowserPool } from "./browser/pool.ts";
import { RemoteOpener } from "./browser/remote/remote-opener.ts";
import { isReadable } from "./documents/kind.ts";
import { type Ocr, type OcrOptions } from "./ocr/ocr.ts";
import { ANYWHERE, PUBLIC_WEB } from "./egress/guard.ts";
import { Entrance } from "./entrance.ts";
import { Extractor } from "./extractor/extractor.ts";
import { sendTo } from "./api/gateway-address.ts";
import { type Figures } from "./figures/figures.ts";
import { askingPages } from "./operations/extract-fields.ts";
import { EXTRACTOR_BYTES, Extractors } from "./operations/extractors.ts";
import { Uploads } from "./operations/upload.ts";
import { type ContentOptions, type FileOptions } from "./content-options.ts";
import { OperationCounts } from "./figures/operation-counts.ts";
import { BrowserProbe } from "./health/browser-probe.ts";
import { JOB_DEFAULTS } from "./jobs/job-settings.ts";
import { startJobs } from "./start-jobs.ts";
import { Sessions } from "./sessions/sessions.ts";
import { openLive } from "./open-live.ts";
import { type PageStore } from "../store/page-store.ts";
import { SqlitePages } from "../store/sqlite/sqlite-pages.ts";
import { openSqliteJobs } from "../store/open/open-jobs.ts";
import { checkProtection, type ContentAddress, serve } from "./listen.ts";
import { SiteMapper } from "./map/site-mapper.ts";
import { type LiveBrowsers } from "./live/live-browsers.ts";
import { type McpHttp } from "./mcp/mcp-http.ts";
import { browser } from "./operations/browser.ts";
import { type Services } from "./operations/operation.ts";
import { type LearnedTemplate } from "../store/template-store.ts";
import { LearnedTemplates } from "./page-reader/learned-templates.ts";
import { FairSemaphore } from "./page/fair-semaphore.ts";
import { type AskPrices, pricesOf, unknownPrices, without } from "./api/price-list.ts";
import { MAX_VERSIONS, PageVersions } from "./changes/page-versions.ts";
import { PageCache } from "./page-cache/page-cache.ts";
import { SharedPages } from "./page-cache/shared-pages.ts";
import { type AnySocket } from "./text-socket.ts";
import { type Visit } from "./page/visit.ts";
import { createResolver } from "./resolve/create-resolver.ts";
import { RememberingReader } from "./search/remembering-reader.ts";
import { RobotsFiles } from "./sites/robots-files.ts";
import { SiteTerms } from "./sites/site-terms.ts";
import { createSearchService, SEARCH_DEFAULTS } from "./search/search-service.ts";
import { clientIdentityOf } from "./static/client-identity.ts";
import { fetchDocument } from "./static/fetch-document.ts";
import { pollUntil } from "../lib/time/poll-until.ts";

export interface ContentService {
  /** The address that it listens on. If port 0 was requested, this has the real port. */
  readonly address: ContentAddress;
  /** Undefined: this machine has no browser, or a remote one is not connected yet. Pages that need one fail. */
  readonly browser: BrowserInfo | undefined;
  /** Adds what other services have learned of templates of pages. */
  learn(templates: readonly LearnedTemplate[]): void;
  /**
   * Reports at once that it is not ready, and stops listening after `noticeMs` milliseconds. Resolves when the requests
   * in progress have ended.
   */
  drain(noticeMs: number): Promise<void>;
  /** Stops accepting requests, ends the browser and waits until it has exited. */
  close(): Promise<void>;
}

/**
 * Milliseconds that requests in progress have to end when the service drains: the duration of the longest operation.
 * @bound
 */
const DRAIN_MS = 200_000;
/** The files that the service reads, if the configuration has no other limits. */
const FILE_DEFAULTS: FileOptions = { maxUploadBytes: 32 * 1024 * 1024, textPrice: 100 };
/** Milliseconds between two checks for requests in progress. */
const DRAIN_LOOK_MS = 50;

/**
 * Limits of documents that are fetched without a browser: concurrent fetches, waiting requests, and the queueing time.
 * @operator
 */
const MAX_FETCHES = 64;
const MAX_QUEUED_FETCHES = 256;
const FETCH_QUEUE_TIMEOUT_MS = 30_000;

/** Milliseconds that the start waits for a remote browser. Afterwards the service connects in the background. @bound */
const REMOTE_START_MS = 2_000;

/** Starts the content service. Fails with a one-line message that says what to do. */
export async function startContentService(options: ContentOptions): Promise<ContentService> {
  const { listen, stateDir, protection = {} } = options;
  checkProtection(listen, protection);
  await mkdir(stateDir, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw new Error(`Cannot use the state folder '${stateDir}': ${messageOf(error)}; name another with --state-dir`);
  });
  const parts = new AsyncDisposableStack();
  try {
    return await serveContent(options, parts);
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }
}

/** `parts` closes everything that was started, what was started last first. */
async function serveContent(options: ContentOptions, parts: AsyncDisposableStack): Promise<ContentService> {
  const { listen, protection = {} } = options;
  const gatewayUrl = options.mcp?.gatewayUrl;
  const known = gatewayUrl === undefined ? unknownPrices : pricesOf(gatewayUrl, sendTo(gatewayUrl));
  const prices = options.live === undefined ? without(browser.path, known) : known;
  const mcp = createMcp(options, prices);
  const [pool, { createApp }] = await Promise.all([
    startBrowser(options),
    // This module is loaded while the browser is unpacked and started on other cores.
    import("./app.ts"),
  ]);
  parts.defer(() => pool.close());
  const semaphore = new FairSemaphore(MAX_FETCHES, MAX_QUEUED_FETCHES, FETCH_QUEUE_TIMEOUT_MS);
  const extractor = new Extractor();
  const learned = new LearnedTemplates({
    folder: options.stateDir,
    log: (message) => options.log("warn", message),
    onCompared: options.onCompared,
  });
  parts.defer(() => learned.close());
  const ocr = options.files?.ocr && (await startOcr(options.files.ocr));
  const live = await openLive(options, pool.program);
  parts.defer(() => live?.close());
  const services = createServices(options, { pool, semaphore, extractor, learned, ocr, live }, parts);
  parts.defer(() => extractor.close());
  parts.defer(() => mcp?.close());
  const operations = new OperationCounts();
  const startedAt = Date.now();
  const figures = (): Figures => ({
    started_at_ms: startedAt,
    engines: { static: semaphore.figures, browser: pool.figures.pages },
    extraction: extractor.figures,
    browsers: pool.figures.browsers,
    operations: operations.read(),
    model: services.resolver.modelFigures,
  });
  const app = createApp(services, {
    mcp,
    prices,
    operations,
    figures,
    firecrawl: options.firecrawl === true,
    discovery: options.discovery !== false,
  });
  const entrance = new Entrance(app, protection.token);
  const server = await serve(listen, (request, upgrade) => entrance.fetch(request, upgrade), protection.tls);
  parts.defer(() => server.stop(true));
  return {
    address: "unix" in listen ? listen : { hostname: listen.hostname, port: server.port ?? listen.port },
    browser: pool.info,
    learn: (templates) => learned.learn(templates),
    async drain(noticeMs) {
      entrance.drain();
      services.jobs.close();
      await Bun.sleep(noticeMs);
      await drained(server);
    },
    async close() {
      await parts.disposeAsync();
      if ("unix" in listen) await rm(listen.unix, { force: true });
    },
  };
}

interface Engines {
  readonly pool: BrowserPool | AbsentBrowser;
  /** Limits the visits of the static engine. */
  readonly semaphore: FairSemaphore;
  readonly extractor: Extractor;
  readonly learned: LearnedTemplates;
  readonly ocr: Ocr | undefined;
  readonly live: LiveBrowsers | undefined;
}

/** Starts OCR, which few operators switch on: it loads the code of extractions, which this thread does not need otherwise. */
async function startOcr(options: OcrOptions): Promise<Ocr> {
  const { Ocr: Started } = await import("./ocr/ocr.ts");
  return await Started.start(options, () => performance.now());
}

/** Types of pictures whose text OCR can read. */
function isPicture(contentType: string): boolean {
  return /^image\/(?:png|jpeg|gif|bmp|webp|tiff)\b/i.test(contentType);
}

function randomBytes(bytes: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(bytes));
}

function createServices(
  {
    stateDir,
    allowPrivate,
    log,
    search: searchOptions,
    pageCache,
    openExtractors,
    files: { maxUploadBytes, textPrice } = FILE_DEFAULTS,
    aiUses = [],
    proxies,
    jobs,
    jobStore,
    model,
    onModelUsed,
  }: ContentOptions,
  { pool, semaphore, extractor, learned, ocr, live }: Engines,
  parts: AsyncDisposableStack,
): Services {
  const warn = (message: string): void => log("warn", message);
  const egress = { policy: allowPrivate ? ANYWHERE : PUBLIC_WEB };
  const searching = createSearchService(
    { ...SEARCH_DEFAULTS, ...searchOptions },
    { stateDir, egress, extractor, log: warn },
  );
  parts.defer(() => searching.close());
  const { search, index, userAgent } = searching;
  // Both engines use the same browser name.
  const reads: typeof isReadable =
    ocr === undefined ? isReadable : (type, start) => isPicture(type) || isReadable(type, start);
  const fetching = { identity: clientIdentityOf(pool.info?.version), isReadable: reads };
  const { maxBytes = 0, hitPrice = 100, versionBytes = 0 } = pageCache ?? {};
  const openStore = (name: string, bytes: number, kept: number, open = pageCache?.open): PageStore => {
    const options = { maxBytes: bytes, versions: kept, name: name.replace("-", " "), log: warn };
    const store = open?.(options) ?? new SqlitePages({ ...options, path: join(stateDir, `${name}.db`) });
    parts.defer(() => store.close());
    return store;
  };
  const pageStore = (name: string, bytes: number, kept: number): PageStore | undefined =>
    bytes === 0 ? undefined : openStore(name, bytes, kept);
  const cached = pageStore("page-cache", maxBytes, 1);
  const reach = allowPrivate ? "anywhere" : "public web";
  const shared = cached && new SharedPages({ cache: new PageCache(cached), reach, now: Date.now });
  const kept = pageStore("page-versions", versionBytes, MAX_VERSIONS);
  const versions = kept && new PageVersions(kept, Date.now);
  const fetchPage = (visit: Visit) => fetchDocument(visit, fetching);
  const now = performance.now.bind(performance);
  const robots = new RobotsFiles({ egress, userAgent }, now);
  const pages = new RememberingReader(
    {
      browser: pool,
      fetchDocument: fetchPage,
      semaphore,
      extractor,
      egress,
      learned,
      ...(proxies === undefined ? {} : { proxies }),
      ocr,
      terms: new SiteTerms({ robots, fetch: { egress, userAgent }, uses: aiUses, now }),
      ...(shared === undefined ? {} : { shared }),
    },
    searching.remember,
  );
  const probe = new BrowserProbe({
    failure: () => pool.failure(),
    missingFonts: () => pool.missingFonts(),
    now: () => performance.now(),
  });
  const settings = { ...JOB_DEFAULTS, ...jobs };
  const store = jobStore ?? openSqliteJobs(join(stateDir, "jobs.sqlite"), Date.now, settings.maxBytes);
  const resolver = createResolver(model, { pages, search, stateDir, onModelUsed, log: warn });
  parts.defer(() => resolver.close());
  return {
    pages,
    uploads: new Uploads(maxUploadBytes),
    extractors: new Extractors(openStore("extractors", EXTRACTOR_BYTES, 1, openExtractors), Date.now, randomUUID),
    files: pages,
    fileChargeOf: ({ scan }) => (scan !== undefined || textPrice === 100 ? undefined : `${textPrice}%`),
    get browser() {
      return pool.info;
    },
    search,
    chargeOf: ({ ageMs }) => (ageMs === undefined || hitPrice === 100 ? undefined : `${hitPrice}%`),
    versions,
    jobs: startJobs({
      pages,
      asking: askingPages({ pages, files: pages, resolver, log }),
      versions,
      hitPrice,
      store,
      settings,
      robots,
      fetch: { egress, userAgent },
      log,
      now,
      unixNow: Date.now,
      randomBytes,
      random: Math.random,
      parts,
    }),
    live,
    sessions: new Sessions({ store, random: randomBytes, now }),
    sites: new SiteMapper({ pages, extractor, egress, userAgent, index, robots, now }),
    resolver,
    browserHealth: () => probe.look(),
    log,
    now,
  };
}

/**
 * Without a browser program, or while a remote browser cannot be used, the service serves the requests that need no
 * browser.
 */
async function startBrowser(options: ContentOptions): Promise<BrowserPool | AbsentBrowser> {
  const { stateDir, browserPath, remoteBrowser, chargeTimeouts = false, log } = options;
  if (remoteBrowser !== undefined) {
    const pool = new BrowserPool(new RemoteOpener(remoteBrowser, log), { chargeTimeouts, log });
    await within(REMOTE_START_MS, pool.failure());
    return pool;
  }
  const program = browserPath === undefined ? {} : { browserPath };
  try {
    const { pool } = await BrowserPool.start({ stateDir, log, chargeTimeouts, ...program });
    return pool;
  } catch (error) {
    if (!(error instanceof NoBrowserError)) throw error;
    log("warn", `Pages that need a browser fail: ${error.message}`);
    return new AbsentBrowser();
  }
}

/** Creates the MCP server, which is loaded on the first request: loading takes 11 MB, and 0.1 s of a start. */
function createMcp({ mcp, log }: ContentOptions, prices: AskPrices): Pick<McpHttp, "fetch" | "close"> | undefined {
  if (mcp === undefined) return undefined;
  let made: Promise<McpHttp> | undefined;
  const make = async (): Promise<McpHttp> => {
    const { McpHttp } = await import("./mcp/mcp-http.ts");
    return new McpHttp({ ...mcp, prices, log });
  };
  return {
    async fetch(request) {
      made ??= make();
      return await (await made).fetch(request);
    },
    async close() {
      await (await made)?.close();
    },
  };
}

/** Stops listening, and waits for the requests in progress. */
async function drained(server: Bun.Server<AnySocket>): Promise<void> {
  // The promise also waits for idle connections that clients keep open, so the requests are counted instead.
  void server.stop();
  await pollUntil(() => server.pendingRequests === 0, { everyMs: DRAIN_LOOK_MS, mostMs: DRAIN_MS });
}
