import { messageOf } from "../../lib/caught.ts";
import { ClockSteps } from "../../lib/time/clock-steps.ts";
import { pause } from "../../lib/time/pause.ts";
import { type Job, type JobStore, LEASE_MS, type Outcome, type Taken } from "../../store/jobs/job-store.ts";
import { type Log } from "../browser/program/browser-opener.ts";
import { Crawl, type CrawlDeps } from "./crawl-page.ts";
import { type OpenCrawl } from "./crawl-order.ts";
import { Scope } from "./scope.ts";

/** Pages that the jobs of one service load at the same time. @operator */
const MAX_PAGES_AT_ONCE = 32;
/** Hosts from which one call takes. */
const HOSTS_AT_ONCE = 8;
/** Milliseconds between two looks for new jobs, between two looks for work of a job without any, and between two sweeps. @bound */
const LOOK_MS = 1_000;
const FIRST_NAP_MS = 10;
const MAX_NAP_MS = 500;
const SWEEP_MS = 60_000;
/**
 * Milliseconds until a change that could not be stored is tried again, and for which it is tried again if the store is
 * not full.
 * @bound
 */
const REPORT_AGAIN_MS = 2_000;
const REPORT_MS = 10_000;

/** Services and settings of the jobs of one service. */
export interface RunnerOptions extends CrawlDeps {
  readonly store: JobStore;
  /** Reads the order of a job. Throws if it is not valid. */
  readonly open: (job: Job) => OpenCrawl;
  /** Bytes of the compressed results of one job, after which it ends. */
  readonly maxJobBytes: number;
  readonly log: Log;
}

/** A job that has work in this service. */
interface Running {
  job: Job;
  readonly crawl: Crawl;
  readonly open: OpenCrawl;
  readonly abort: AbortController;
  readonly held: Map<string, Taken>;
  /** Without work until this time, by the clock; and how long the next nap is. */
  idleUntil: number;
  napMs: number;
}

/**
 * Does the work of jobs in this service. It takes addresses for the payer with the fewest pages under way first, so that
 * a long job does not delay those of others.
 */
export class JobRunner {
  readonly #options: RunnerOptions;
  readonly #steps: ClockSteps;
  readonly #running = new Map<string, Running>();
  readonly #pages = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #wake = Promise.withResolvers<void>();
  #loop: Promise<void> | undefined;
  #lookAt = 0;
  #sweepAt = 0;
  #renewAt = 0;
  #hasFailed = false;
  /** Pages that wait until the store has room for them. */
  #unstored = 0;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#steps = new ClockSteps(options.unixNow, options.now);
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Looks for work at once: a job was added or ended. */
  wake(): void {
    this.#lookAt = 0;
    this.#wake.resolve();
  }

  /** True while the store has no room. Until then jobs wait: no page is taken, and loaded ones are kept. */
  get isFull(): boolean {
    return this.#unstored > 0;
  }

  /** Stops all pages. Their leases end soon, and other services take them. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#wake.resolve();
    for (const { abort } of this.#running.values()) abort.abort();
    await this.#loop;
    await Promise.all(this.#pages);
  }

  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      this.#wake = Promise.withResolvers();
      const napMs = await this.#round().catch((error: unknown) => {
        // The log gets one line for each outage of the store.
        if (!this.#hasFailed) this.#options.log("error", `Jobs wait, because their store fails: ${messageOf(error)}`);
        this.#hasFailed = true;
        return LOOK_MS;
      });
      const nap = new AbortController();
      await Promise.race([this.#wake.promise, pause(napMs, nap.signal)]);
      nap.abort();
    }
  }

  /** Takes work as long as there is some. Returns the milliseconds until the next round. */
  async #round(): Promise<number> {
    const { store, now } = this.#options;
    if (now() >= this.#lookAt) await this.#look();
    if (now() >= this.#sweepAt) {
      this.#sweepAt = now() + SWEEP_MS;
      const warnings = this.#steps.isCalm() ? await store.sweep() : [];
      for (const warning of warnings) this.#options.log("warn", warning);
    }
    if (now() >= this.#renewAt) {
      this.#renewAt = now() + LEASE_MS / 4;
      for (const { job, held } of this.#running.values()) {
        if (held.size > 0) await store.renew(job, [...held.values()]);
      }
    }
    this.#hasFailed = false;
    while (!this.#closing.signal.aborted) {
      const next = this.#next();
      if (next === undefined) break;
      await this.#take(next);
    }
    const idle = [...this.#running.values()].map(({ idleUntil }) => idleUntil).filter((until) => until > now());
    return Math.max(1, Math.min(LOOK_MS, ...idle.map((until) => until - now())));
  }

  /** Learns which jobs run, and stops those that do not any more. */
  async #look(): Promise<void> {
    const { store, now } = this.#options;
    this.#lookAt = now() + LOOK_MS;
    const jobs = new Map((await store.running()).map((job) => [job.id, job]));
    for (const [id, { abort, held }] of this.#running) {
      if (jobs.has(id)) continue;
      abort.abort();
      if (held.size === 0) this.#running.delete(id);
    }
    for (const [id, job] of jobs) {
      const known = this.#running.get(id);
      if (known === undefined) await this.#begin(job);
      else known.job = job;
    }
  }

  async #begin(job: Job): Promise<void> {
    const { open: read, unixNow, log, store } = this.#options;
    const abort = new AbortController();
    try {
      const open = read(job);
      const scope = new Scope(open.order, unixNow());
      const crawl = new Crawl({ ...this.#options, store: this.#patient(abort.signal) }, job, {
        open,
        scope,
        signal: abort.signal,
      });
      this.#running.set(job.id, { job, crawl, open, abort, held: new Map(), idleUntil: 0, napMs: FIRST_NAP_MS });
    } catch (error) {
      log("error", `Cannot run the job ${job.id}: ${messageOf(error)}`);
      await store.end(job.id, "failed", "invalid");
    }
  }

  /** The job that gets the next pages: of the payer with the fewest, the job with the fewest. */
  #next(): Running | undefined {
    const { now } = this.#options;
    if (this.isFull || this.#places <= 0) return undefined;
    const all = [...this.#running.values()];
    const ofPayer = new Map<string, number>();
    for (const { job, held } of all) {
      const payer = payerOf(job);
      ofPayer.set(payer, (ofPayer.get(payer) ?? 0) + held.size);
    }
    const share = ({ job, held }: Running): number => (ofPayer.get(payerOf(job)) ?? 0) * MAX_PAGES_AT_ONCE + held.size;
    const ready = all.filter((one) => one.idleUntil <= now() && !one.abort.signal.aborted && this.#room(one) > 0);
    return ready.toSorted((a, b) => share(a) - share(b))[0];
  }

  /** Pages that all jobs together may take now. */
  get #places(): number {
    return [...this.#running.values()].reduce((left, { held }) => left - held.size, MAX_PAGES_AT_ONCE);
  }

  /** Pages that a job may take now. */
  #room({ job, open, held }: Running): number {
    return Math.min(open.order.concurrency, job.limit - job.delivered) - held.size;
  }

  async #take(running: Running): Promise<void> {
    const { store, paces, now } = this.#options;
    const { job, open, held } = running;
    const delayMs = Math.max(open.order.delay * 1_000, paces.leastMs);
    // Half of the room at most, so that another job with less gets its turn.
    const addresses = Math.min(Math.ceil(this.#room(running) / 2), this.#places);
    const taken = await store.take(job, { hosts: HOSTS_AT_ONCE, addresses, delayMs });
    if (taken.length === 0) {
      running.idleUntil = now() + running.napMs;
      running.napMs = Math.min(running.napMs * 2, MAX_NAP_MS);
      return;
    }
    running.napMs = FIRST_NAP_MS;
    for (const one of taken) {
      held.set(one.key, one);
      const page = this.#page(running, one).finally(() => this.#pages.delete(page));
      this.#pages.add(page);
    }
  }

  async #page(running: Running, taken: Taken): Promise<void> {
    const { held, crawl, abort } = running;
    try {
      await pause(taken.startMs, abort.signal);
      const outcome = await crawl.handle(taken);
      if (abort.signal.aborted) return;
      await this.#report(running, outcome);
    } catch (error) {
      // Its lease ends, and it is taken again.
      this.#options.log("error", `Cannot process a page of job ${running.job.id}: ${messageOf(error)}`);
    } finally {
      held.delete(taken.key);
      running.idleUntil = 0;
      this.#wake.resolve();
    }
  }

  async #report(running: Running, outcome: Outcome): Promise<void> {
    const { store, maxJobBytes } = this.#options;
    const job = await this.#stored(running.abort.signal, () => store.finish(running.job, outcome));
    if (job?.state !== "running") return this.wake();
    running.crawl.learn(outcome, job);
    running.job = job;
    if (job.bytes < maxJobBytes) return;
    await store.end(job.id, "completed", "bytes");
    this.wake();
  }

  /** The store for pages under way: a full store costs them no try. */
  #patient(signal: AbortSignal): CrawlDeps["store"] {
    const { store } = this.#options;
    return { finish: (...finished) => this.#stored(signal, () => store.finish(...finished)) };
  }

  /** Makes a change that may be made again, as often as it takes if the store is full. */
  async #stored<T>(signal: AbortSignal, change: () => Promise<T>): Promise<T> {
    const { store, log, now } = this.#options;
    const until = now() + REPORT_MS;
    let isUnstored = false;
    try {
      for (;;) {
        try {
          return await change();
        } catch (error) {
          const isFull = store.isFull(error);
          if (signal.aborted || (!isFull && now() >= until)) throw error;
          if (isFull && !isUnstored) {
            if (!this.isFull) log("error", "Jobs wait, because their store is full");
            isUnstored = true;
            this.#unstored += 1;
          }
          await pause(REPORT_AGAIN_MS, signal);
        }
      }
    } finally {
      if (isUnstored) this.#unstored -= 1;
    }
  }
}

/** A job without a known payer has a share of its own. */
function payerOf({ payer, id }: Job): string {
  return payer === "" ? id : payer;
}
