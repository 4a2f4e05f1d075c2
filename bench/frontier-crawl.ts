import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readFileSync } from "node:fs";
import { TestPostgres } from "../src/store/testing/postgres.ts";
import { cpuNanoseconds } from "./support/cpu-time.ts";
import { type Child, Children, type Command, processTree, waitFor } from "./support/children.ts";

const SITE = fileURLToPath(new URL("support/generated-site.ts", import.meta.url));
const TURNPIKE = fileURLToPath(new URL("../bin/turnpike", import.meta.url));
/** Pages of one job at most. */
const MAX_LIMIT = 10_000;
const LOOK_MS = 500;
/** A remote browser that is not there, so that no service unpacks and starts one. */
const WITHOUT_BROWSER = ["--browser", JSON.stringify({ endpoint: "ws://127.0.0.1:1" })];

export interface CrawlBench {
  readonly pages: number;
  readonly sites: number;
  /** Content services. With more than one, the jobs are in PostgreSQL. */
  readonly services: number;
  /** Milliseconds until the sites respond. */
  readonly latencyMs: number;
  readonly inPostgres: boolean;
}

/** CPU seconds of a process and its descendants. */
function cpuSeconds(root: number): number {
  return processTree(root).reduce((sum, pid) => sum + cpuNanoseconds(pid), 0) / 1e9;
}

/** MiB of memory of a process. */
function memory(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

interface JobState {
  readonly state: string;
  readonly delivered: number;
  readonly not_delivered: object;
}

/** Crawls generated sites by content services of its own, and prints its figures. */
export async function benchCrawl({ pages, sites, services, latencyMs, inPostgres }: CrawlBench): Promise<number> {
  const children = new Children();
  const database = inPostgres || services > 1 ? await TestPostgres.start({ fsync: "on" }) : undefined;
  try {
    const user = await database?.newUser();
    const postgres = user === undefined ? {} : { postgres: { url: database?.url(user), pool_size: 8 } };
    const jobs = JSON.stringify({ host_interval_ms: 0, ...postgres });
    const perSite = Math.ceil(pages / sites);
    const site = children.spawn({ name: "site", argv: [process.execPath, SITE, String(perSite), String(latencyMs)] });
    const port = await waitFor(site, "site", async () => site.output().trim() || undefined);
    const all = Array.from({ length: services }, (_, at) => {
      const state = join(children.folder, String(at));
      return children.spawn(contentService(state, jobs));
    });
    const addresses = await Promise.all(all.map(listening));
    const origins = Array.from({ length: sites }, (_, at) => `http://127.0.1.${at + 1}:${port}/`);
    await measure(all, addresses[0] ?? "", origins, perSite);
    return 0;
  } finally {
    await children.close();
    await database?.close();
  }
}

async function measure(services: readonly Child[], url: string, origins: readonly string[], perSite: number) {
  const pids = services.map(({ pid }) => pid);
  const cpu = () => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  const [before, startedAt] = [cpu(), performance.now()];
  const sites = Math.floor(MAX_LIMIT / perSite);
  const made: { status: string; secret: string }[] = [];
  for (let at = 0; at < origins.length; at += sites) {
    const some = origins.slice(at, at + sites);
    made.push(await crawlOf(url, some, some.length * perSite));
  }
  let last = { quarter: 0, delivered: 0, used: 0 };
  for (;;) {
    await Bun.sleep(LOOK_MS);
    const states = await Promise.all(made.map((one) => stateOf(url, one)));
    const delivered = states.reduce((sum, state) => sum + state.delivered, 0);
    const used = cpu() - before;
    const quarter = Math.floor((delivered * 4) / (origins.length * perSite));
    if (quarter > last.quarter) {
      const each = ((delivered - last.delivered) / (used - last.used)).toFixed(1);
      const largest = Math.max(...pids.map(memory)).toFixed(0);
      console.log(`${delivered} pages: ${each} for each second of CPU time, ${largest} MiB in the largest service`);
      last = { quarter, delivered, used };
    }
    if (states.some(({ state }) => state === "running")) continue;
    const seconds = (performance.now() - startedAt) / 1_000;
    console.log(states.map((state) => `${state.state} ${JSON.stringify(state.not_delivered)}`).join("; "));
    console.log(
      `${delivered} pages by ${pids.length} services in ${seconds.toFixed(1)} s: ${(delivered / seconds).toFixed(1)} pages/s; ` +
        `${used.toFixed(1)} s of CPU time: ${(delivered / used).toFixed(1)} pages for each`,
    );
    return;
  }
}

/** A content service of its own. `jobs` is `content.jobs` as JSON. */
export function contentService(state: string, jobs: string): Command {
  const where = ["--port", "0", "--state-dir", state, "--allow-private", "--jobs", jobs];
  return { name: "service", argv: [TURNPIKE, "content", ...where, ...WITHOUT_BROWSER] };
}

/** Begins a crawl by the service at this address. */
export async function crawlOf(url: string, urls: readonly string[], limit: number) {
  const order = { urls, limit, sitemap: "skip", concurrency: 16, engine: "static" };
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}/crawl`, { method: "POST", headers, body: JSON.stringify(order) });
  if (response.status !== 202) throw new Error(`Cannot start the crawl: ${await response.text()}`);
  // The response of this operation.
  return (await response.json()) as { status: string; secret: string };
}

/** The state of a crawl. Fails if the service cannot tell it. */
export async function stateOf(url: string, { status, secret }: { status: string; secret: string }): Promise<JobState> {
  const response = await fetch(url + status, { headers: { "x-job-secret": secret } });
  if (!response.ok) throw new Error(`Cannot read the state of the crawl: ${response.status}`);
  // As above.
  return (await response.json()) as JobState;
}

/** The address of a service that has started. */
export async function listening(service: Child): Promise<string> {
  return await waitFor(service, "service", async () => /listening on (\S+)/.exec(service.output())?.[1]);
}
