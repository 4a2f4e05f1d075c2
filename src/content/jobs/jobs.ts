import { TurnpikeError } from "../../lib/errors.ts";
import { type Job, type JobStore, type PaidSoFar, type StoredResult } from "../../store/jobs/job-store.ts";
import { unpacked } from "./crawl-page.ts";
import { JobFeeds } from "./job-feeds.ts";
import { endOf, type JobEvent, startOf } from "./job-events.ts";
import { type JobRunner } from "./job-runner.ts";
import { type JobSettings } from "./job-settings.ts";
import { type CrawlOrder } from "./crawl-order.ts";
import {
  amountOf,
  type DeferredPayment,
  hashOf,
  isPaid,
  isSecret,
  jobIdOf,
  pagesOf,
  saleOf,
  saleText,
  within,
} from "./sale.ts";
import { stateOf } from "./job-state.ts";
import { keyText, signingKey, webhookOf } from "./webhook.ts";
import { Scope } from "./scope.ts";

/** Known addresses of a job, for each page that it may deliver, and at least. @operator Further addresses are dropped. @bound */
const KNOWN_PER_PAGE = 20;
const MIN_KNOWN = 10_000;
/** Random bytes of an id and of a secret. */
const ID_BYTES = 16;
const SECRET_BYTES = 24;

/** A result as JSON text, with its number. */
export interface Result {
  readonly number: number;
  /** Delivered pages up to this result, and hundredths of the price of a page that they cost less. */
  readonly pages: number;
  readonly saved: number;
  readonly json: string;
}

export interface Order {
  /** The operation, and the input from which it opens the job in each service. */
  readonly operation: string;
  readonly input: object;
  readonly order: CrawlOrder;
  /** The part by which a repeated request with one payment is known. Default: the input. */
  readonly identity?: unknown;
  /** The most that it may cost, in the smallest unit of the asset. */
  readonly maxPrice?: string | undefined;
  readonly payer: string;
  /** The name of its payment, or empty (`paymentName`). */
  readonly payment: string;
  readonly deferred: DeferredPayment | undefined;
  /** The service never learns whether its response, and so the job, is paid for (`isUnproven`). */
  readonly unproven: boolean;
  /** The secret that its client has already. Undefined: it gets a new one. */
  readonly secret?: string;
}

export interface AddedJob {
  readonly id: string;
  readonly secret: string;
  /** The secret of its payment, for the gateway; undefined if its payment is not deferred. */
  readonly chargeKey: string | undefined;
  readonly webhookSecret: string | undefined;
}

/** The amount that is due for a job, in the smallest unit of the asset. */
export interface Due {
  readonly due: string;
  /** Nothing more will become due. */
  readonly ended: boolean;
}

/** The settings of `Jobs`. `random` returns random bytes. */
export interface JobsOptions {
  readonly store: JobStore;
  readonly runner: Pick<JobRunner, "wake" | "isFull">;
  readonly settings: Pick<JobSettings, "maxRunMs" | "keptMs">;
  readonly unixNow: () => number;
  readonly random: (bytes: number) => Uint8Array;
}

/** The jobs of clients. Only a client that has the secret of a job can read or cancel it. */
export class Jobs {
  readonly #options: JobsOptions;
  readonly #feeds = new JobFeeds(this);

  constructor(options: JobsOptions) {
    this.#options = options;
  }

  /** True while jobs wait, because their store has no room. */
  get isFull(): boolean {
    return this.#options.runner.isFull;
  }

  /** Adds a job. A repeated request with one payment gets the same job. Fails with `overloaded` if there is no room. */
  async add({
    operation,
    input,
    order,
    identity = input,
    maxPrice,
    payer,
    payment,
    deferred,
    unproven,
    secret = this.#random(SECRET_BYTES),
  }: Order): Promise<AddedJob> {
    const { runner, settings, unixNow } = this.#options;
    const key = this.#random(SECRET_BYTES);
    const text = JSON.stringify({ operation, input, ...(unproven ? { unproven } : {}) });
    const id =
      payment === "" ? this.#random(ID_BYTES, "hex") : jobIdOf(payment, JSON.stringify({ operation, input: identity }));
    const known = payment === "" ? undefined : await this.#find(id);
    const terms = within(deferred, order.limit, maxPrice);
    const sale = known?.payment === "open" ? saleOf(known) : terms.sale;
    const seeds = new Scope(order, unixNow()).seeds();
    const job = {
      id,
      secretHash: hashOf(secret).toString("hex"),
      payer,
      order: text,
      limit: terms.limit,
      maxKnown: Math.max(MIN_KNOWN, order.limit * KNOWN_PER_PAGE),
      maxRunMs: Math.min(settings.maxRunMs, (deferred?.until ?? Number.POSITIVE_INFINITY) * 1_000 - unixNow()),
      keptMs: settings.keptMs,
      sale: sale === undefined ? "" : saleText(sale, key),
      payment: sale === undefined && !unproven ? ("none" as const) : ("waiting" as const),
    };
    if (known !== undefined) {
      await this.#ask((store) => store.rename(id, job));
      // Its payment was made since.
      if (job.payment === "none" && known.payment === "waiting") await this.#ask((store) => store.begin(id));
    } else if (!(await this.#ask((store) => store.create(job, seeds))))
      throw new TurnpikeError("overloaded", "Cannot start a job: too many jobs run; try again later");
    const hasWebhook = webhookOf(job) !== undefined;
    if (hasWebhook && !unproven) await this.#ask((store) => store.hooks.add(id));
    runner.wake();
    const webhookSecret = hasWebhook ? keyText(signingKey(job)) : undefined;
    return { id, secret, chargeKey: deferred && key, webhookSecret };
  }

  /** The newest jobs of all clients, for the operator. */
  newest(count: number): Promise<readonly Job[]> {
    return this.#ask((store) => store.newest(count));
  }

  /** Cancels a job for the operator. False if it does not run. */
  async stop(id: string): Promise<boolean> {
    const ended = await this.#ask((store) => store.end(id, "cancelled", "operator"));
    this.#options.runner.wake();
    return ended;
  }

  #find(id: string): Promise<Job | undefined> {
    return this.#ask((store) => store.find(id));
  }

  /** Uses the store. Fails with an error for clients. */
  async #ask<T>(use: (store: JobStore) => Promise<T>): Promise<T> {
    const { store } = this.#options;
    try {
      return await use(store);
    } catch (error) {
      if (store.isFull(error)) throw new TurnpikeError("overloaded", "The store of jobs is full; try again later");
      throw new TurnpikeError("store-unavailable", "The store of jobs cannot be used; try again later");
    }
  }

  /** An id is hexadecimal: an argument of a command cannot begin with a hyphen. */
  #random(bytes: number, encoding: "base64url" | "hex" = "base64url"): string {
    return Buffer.from(this.#options.random(bytes)).toString(encoding);
  }

  /**
   * The job, unless the secret is another one. Its name and secret are in a response that was paid for, so that an unproven job and
   * its webhooks begin now.
   */
  async find(id: string, secret: string): Promise<Job | undefined> {
    const job = await this.#find(id);
    if (job === undefined || !isSecret(secret, job.secretHash)) return undefined;
    if (!isOfUnproven(job)) return job;
    if (webhookOf(job) !== undefined) await this.#ask((store) => store.hooks.add(id));
    if (job.payment !== "waiting") return job;
    await this.#ask((store) => store.begin(id));
    this.#options.runner.wake();
    return await this.#find(id);
  }

  /** Unix milliseconds. */
  now(): number {
    return this.#options.unixNow();
  }

  /** The jobs with this secret that run, without those whose names only a payment tells. */
  async running(secret: string): Promise<readonly Job[]> {
    const all = await this.#ask((store) => store.running());
    return all.filter((job) => isSecret(secret, job.secretHash) && !isOfUnproven(job));
  }

  /** At most `count` results with numbers above `after`, up to what is paid. Every reader of results uses this. */
  async results(job: Job, after: number, count: number): Promise<readonly Result[]> {
    const stored = await this.#ask((store) => store.results(job, after, count));
    return stored.filter((result) => isPaid(job, result)).map(resultOf);
  }

  /** The events with numbers above `after`: the start, at most `count` results, and the end if no result can follow. */
  async events(job: Job, after: number, count: number): Promise<readonly JobEvent[]> {
    const results = await this.results(job, Math.max(after, 0), count);
    const pages = results.map(({ number, json }) => ({ number, type: "page" as const, data: json }));
    const isLast = pages.length === 0 && after <= job.results && this.isComplete(job);
    return [...(after < 0 ? [startOf(job)] : []), ...pages, ...(isLast ? [endOf(job)] : [])];
  }

  /** Follows the events of a job (`JobFeeds.watch`). */
  watch(job: Job, after: number, signal: AbortSignal): AsyncGenerator<readonly JobEvent[]> {
    return this.#feeds.watch(job, after, signal);
  }

  close(): void {
    this.#feeds.close();
  }

  /** Whether results after `last` can be read now. */
  hasMore(job: Job, { number, pages, saved }: Result): boolean {
    if (number >= job.results) return false;
    return isPaid(job, { pages: job.delivered, saved: job.saved }) || isPaid(job, { pages: pages + 1, saved });
  }

  /** Whether no result can be read later that cannot be read now. */
  isComplete({ state, payment }: Job): boolean {
    return state !== "running" && (payment === "none" || payment === "closed");
  }

  /**
   * The gateway says what is paid for a job, and learns what is due. The job begins with the first such word. Undefined if
   * there is no such job, or the key is another one.
   */
  async charge(id: string, key: string, paid: Omit<PaidSoFar, "pages">): Promise<Due | undefined> {
    const { runner } = this.#options;
    const job = await this.#find(id);
    const sale = job && saleOf(job);
    if (job === undefined || sale === undefined || !isSecret(key, sale.keyHash)) return undefined;
    const pages = pagesOf(sale.quote, job.limit, paid.amount);
    await this.#ask((store) => store.paid(id, { ...paid, pages }));
    if (paid.isClosed) await this.#ask((store) => store.end(id, "cancelled", "payment"));
    if (job.payment === "waiting" || paid.isClosed) runner.wake();
    const now = (await this.#find(id)) ?? job;
    return { due: amountOf(sale.quote, now.limit, now.delivered, now.saved), ended: now.state !== "running" };
  }

  /** The state of a job as clients see it. */
  async state(job: Job): Promise<ReturnType<typeof stateOf>> {
    const hook = webhookOf(job) && (await this.#ask((store) => store.hooks.of(job.number)));
    return stateOf(job, { isFull: this.isFull, hook });
  }

  /** The job as it is now. */
  async again({ id }: Job): Promise<Job | undefined> {
    return await this.#find(id);
  }

  async cancel({ id }: Job): Promise<void> {
    await this.#ask((store) => store.end(id, "cancelled", ""));
    this.#options.runner.wake();
  }
}

/** True if the order of a job says so at its end. */
function isOfUnproven({ order }: Pick<Job, "order">): boolean {
  return order.endsWith('},"unproven":true}');
}

function resultOf({ number, pages, saved, body }: StoredResult): Result {
  return { number, pages, saved, json: `{"number":${number},${unpacked(body).slice(1)}` };
}
