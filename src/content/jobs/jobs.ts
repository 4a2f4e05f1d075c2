import { createHash, timingSafeEqual } from "node:crypto";
import { type Job, type JobStore, type StoredResult } from "../../store/jobs/job-store.ts";
import { unpacked } from "./crawl-page.ts";
import { type JobRunner } from "./job-runner.ts";
import { type CrawlOrder } from "./crawl-order.ts";
import { Scope } from "./scope.ts";

/** Known addresses of a job, for each page that it may deliver, and at least. @operator Further addresses are dropped. @bound */
const KNOWN_PER_PAGE = 20;
const MIN_KNOWN = 10_000;
/** Milliseconds for which a job runs at most, and for which its results can be read after its end. @operator @bound */
const MAX_RUN_MS = 24 * 3_600_000;
const KEPT_MS = 24 * 3_600_000;
/** Random bytes of a secret. */
const SECRET_BYTES = 24;

/** A result as JSON text, with its number. */
export interface Result {
  readonly number: number;
  readonly json: string;
}

/** The settings of `Jobs`. `random` returns random bytes. */
export interface JobsOptions {
  readonly store: JobStore;
  readonly runner: Pick<JobRunner, "wake">;
  readonly unixNow: () => number;
  readonly random: (bytes: number) => Uint8Array;
}

/** The jobs of clients. Only a client that has the secret of a job can read or cancel it. */
export class Jobs {
  readonly #options: JobsOptions;

  constructor(options: JobsOptions) {
    this.#options = options;
  }

  /** Adds a crawl. Undefined if too many jobs run. */
  async add(order: CrawlOrder, payer: string): Promise<{ readonly id: string; readonly secret: string } | undefined> {
    const { store, runner, unixNow, random } = this.#options;
    const [id, secret] = [16, SECRET_BYTES].map((bytes) => Buffer.from(random(bytes)).toString("base64url"));
    if (id === undefined || secret === undefined) throw new Error("Cannot name a job: there are no random bytes");
    const seeds = new Scope(order, unixNow()).seeds();
    const job = {
      id,
      secretHash: hashOf(secret).toString("hex"),
      payer,
      order: JSON.stringify(order),
      limit: order.limit,
      maxKnown: Math.max(MIN_KNOWN, order.limit * KNOWN_PER_PAGE),
      maxRunMs: MAX_RUN_MS,
      keptMs: KEPT_MS,
      pagePrice: "",
      quote: "",
    };
    if (!(await store.create(job, seeds))) return undefined;
    runner.wake();
    return { id, secret };
  }

  /** The job, unless the secret is another one. */
  async find(id: string, secret: string): Promise<Job | undefined> {
    const job = await this.#options.store.find(id);
    if (job === undefined) return undefined;
    return timingSafeEqual(hashOf(secret), Buffer.from(job.secretHash, "hex")) ? job : undefined;
  }

  /** At most `count` results with numbers above `after`. */
  async results(job: Job, after: number, count: number): Promise<readonly Result[]> {
    return (await this.#options.store.results(job, after, count)).map(resultOf);
  }

  /** The job as it is now. */
  async again({ id }: Job): Promise<Job | undefined> {
    return await this.#options.store.find(id);
  }

  async cancel({ id }: Job): Promise<void> {
    await this.#options.store.end(id, "cancelled", "");
    this.#options.runner.wake();
  }
}

function hashOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

function resultOf({ number, body }: StoredResult): Result {
  return { number, json: `{"number":${number},${unpacked(body).slice(1)}` };
}
