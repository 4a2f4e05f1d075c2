import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../../lib/testing/until.ts";
import { type Job, type JobStore } from "../../../store/jobs/job-store.ts";
import { openSqliteJobs } from "../../../store/open/open-jobs.ts";
import { ANYWHERE } from "../../egress/guard.ts";
import { type CrawlOrder, type LoadedPage } from "../crawl-order.ts";
import { HostPaces } from "../host-paces.ts";
import { JOB_DEFAULTS, type JobSettings } from "../job-settings.ts";
import { JobRunner } from "../job-runner.ts";
import { Jobs } from "../jobs.ts";
import { RobotsFiles } from "../../sites/robots-files.ts";

/** Makes the page of a path. */
export type MakePage = (path: string) => { readonly content: string; readonly links?: readonly string[] };

const ORDER: Omit<CrawlOrder, "urls"> = {
  limit: 100,
  max_depth: 20,
  subdomains: false,
  external: false,
  ignore_query: false,
  sitemap: "skip",
  skip_noindex: false,
  delay: 0,
  concurrency: 4,
};

/** Loads the page of an address. */
type Load = (url: URL, signal: AbortSignal) => Promise<LoadedPage>;

const noLoad: Load = () => Promise.reject(new Error("this service does no work"));

/** For tests only: the jobs of one service, which loads pages with `load`. Without it, the service does no work. */
export function localService(store: JobStore, load?: Load, settings: Partial<JobSettings> = {}) {
  const bounds = { ...JOB_DEFAULTS, hostIntervalMs: 0, ...settings };
  const now = performance.now.bind(performance);
  const fetch = { egress: { policy: ANYWHERE }, userAgent: "test" };
  const said: string[] = [];
  const runner = new JobRunner({
    store,
    paces: new HostPaces(bounds.hostIntervalMs, now),
    robots: new RobotsFiles(fetch, now),
    fetch,
    hitPrice: 20,
    // The order was written by `Jobs`.
    open: ({ order }) => ({ order: (JSON.parse(order) as { input: CrawlOrder }).input, load: load ?? noLoad }),
    now,
    unixNow: Date.now,
    maxJobBytes: bounds.maxJobBytes,
    log: (_, message) => void said.push(message),
  });
  if (load !== undefined) runner.start();
  const jobs = new Jobs({
    store,
    runner,
    settings: bounds,
    unixNow: Date.now,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
  });
  return {
    jobs,
    said,
    async add(changes: Pick<CrawlOrder, "urls"> & Partial<CrawlOrder>, payer = "") {
      const order = { ...ORDER, ...changes };
      return await jobs.add({
        operation: "crawl",
        input: order,
        order,
        payer,
        payment: "",
        deferred: undefined,
        unproven: false,
      });
    },
    async close() {
      await runner.close();
      await store.close();
    },
  };
}

/** For tests only: jobs in a file, and a service that loads generated pages of one site. The site has no robots.txt. */
export function localJobs(page: MakePage, settings: Partial<JobSettings> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-local-jobs-"));
  const path = join(folder, "jobs.sqlite");
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("", { status: 404 }) });
  const store = openSqliteJobs(path, Date.now, settings.maxBytes);
  const service = localService(store, async (url) => pageAt(url, page(url.pathname)), settings);
  return {
    jobs: service.jobs,
    store,
    path,
    said: service.said,
    /** Adds a job that begins at this path. */
    async add(start: string, changes: Partial<CrawlOrder> = {}) {
      return await service.add({ urls: [`http://127.0.0.1:${server.port}${start}`], ...changes });
    },
    /** The job when it has ended. */
    async ended(id: string): Promise<Job> {
      let job: Job | undefined;
      await until(async () => {
        job = await store.find(id);
        return job?.state !== "running";
      });
      if (job === undefined) throw new Error("the job is not there");
      return job;
    },
    async [Symbol.asyncDispose]() {
      await service.close();
      await server.stop(true);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A loaded page with these contents. */
export function pageAt(url: URL, { content, links = [] }: ReturnType<MakePage>): LoadedPage {
  const fields = { links: links.map((link) => new URL(link, url).href) };
  return { finalUrl: url.href, robotsTag: "", fields, content, isCached: false, result: { format: "text", content } };
}
