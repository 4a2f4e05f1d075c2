import { type HookStore } from "./hook-store.ts";
import { type SessionStore } from "./session-store.ts";

/**
 * Jobs that load many pages, and the frontier of each: the addresses that it knows. Any number of content services pull
 * work from one store, and each of them may end at any time.
 *
 *     add ──▶ waiting ──take──▶ leased ──finish──▶ finished, with a result if the page was delivered or failed
 *                ▲                │
 *                └── the lease ends, or the page is to be tried again
 *
 * Work is taken host by host. A host has one pace for all jobs of all services, so that a job cannot hurry it. Until a
 * service has said the pace of a host, the host gets one request in each turn of `TURN_MS`.
 */
export interface JobStore {
  readonly hooks: HookStore;
  readonly sessions: SessionStore;
  /** Whether a call failed because the database, or its disk, has no room. */
  isFull(error: unknown): boolean;
  /** Resolves once the database is reachable and has the schema of this program. */
  ready(): Promise<void>;
  /** Adds a job with its first addresses. Resolves with false if `MAX_RUNNING_JOBS` run. */
  create(job: NewJob, addresses: readonly Address[]): Promise<boolean>;
  find(id: string): Promise<Job | undefined>;
  /** All jobs that run and whose payment does not wait, the oldest first. */
  running(): Promise<readonly Job[]>;
  /** At most `count` jobs that have not expired, the newest first. */
  newest(count: number): Promise<readonly Job[]>;
  /** Takes addresses of a job whose hosts allow a request now. A taken address belongs to the caller for `LEASE_MS`. */
  take(job: Job, share: Share): Promise<readonly Taken[]>;
  /** Begins the leases of these addresses again. */
  renew(job: Job, taken: readonly Taken[]): Promise<void>;
  /**
   * Records the outcomes of addresses, and adds those that were found. An outcome of a lease that another caller has taken
   * over has no effect, so that no page is delivered twice. A job that has delivered `limit` pages, or has no address
   * left, is completed. Resolves with the job as it is then; undefined if it has gone.
   */
  finish(job: Job, outcome: Outcome): Promise<Stored | undefined>;
  /** Ends a job that runs. False if it does not run. */
  end(id: string, state: Exclude<JobState, "running">, reason: string): Promise<boolean>;
  /** Records what was paid. It never records less than before, and opens no closed payment. The job begins. */
  paid(id: string, paid: PaidSoFar): Promise<void>;
  /** Begins a job without terms of payment that waits. Its time is counted from now on. */
  begin(id: string): Promise<void>;
  /** Gives a job another secret and other terms of payment, because the response with the first ones was lost. */
  rename(id: string, names: Pick<NewJob, "secretHash" | "sale">): Promise<void>;
  /** The results with numbers above `after`, in order: at most `count`, and at most `RESULT_PAGE_BYTES` if more than one. */
  results(job: Job, after: number, count: number): Promise<readonly StoredResult[]>;
  /** Ends jobs whose time is over, and removes some of what has expired. Resolves with what an operator should know. */
  sweep(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Jobs that run at one time. A further one is rejected. @operator */
export const MAX_RUNNING_JOBS = 1_000;
/** Milliseconds for which a taken address belongs to its taker. After that, another service takes it. @bound */
export const LEASE_MS = 60_000;
/** Milliseconds of a host's time that one call takes at most. @bound */
export const TURN_MS = 1_000;
/**
 * Milliseconds for which a host gets no request at most, and an address waits for another try. A time further in the future is that
 * of a clock that was set back, and says nothing. @bound
 */
export const MAX_REST_MS = 600_000;
/**
 * Times that an address is taken before it is set aside, because it ended every service that loaded it. A few are not enough:
 * other pages end with a service, too (bench frontier, `--kills`).
 * @bound
 */
export const MOST_TRIES = 10;
/** A postponement adds this to `Taken.tries`. The failures of a page are counted apart from the services that ended with it. */
export const POSTPONED = 100;
/** Milliseconds after which a job with terms of payment ends whose payment still waits. @bound */
export const MAX_WAIT_MS = 120_000;
/** Bytes of the results that one call reads, after compression. */
export const RESULT_PAGE_BYTES = 8 * 1024 * 1024;

/** The part of a job that never changes. */
export interface NewJob {
  /** A random name that cannot be guessed. */
  readonly id: string;
  /** The hash of the secret that its owner has. */
  readonly secretHash: string;
  /** Services share their work fairly among payers. Empty if it is unknown. */
  readonly payer: string;
  /** The operation and its parameters, as JSON. */
  readonly order: string;
  /** Maximum number of pages that it delivers. */
  readonly limit: number;
  /** Addresses that its frontier holds at most. Further ones are dropped. */
  readonly maxKnown: number;
  /** Milliseconds until it ends, however much it has done. */
  readonly maxRunMs: number;
  /** Milliseconds for which its results can be read after its end. */
  readonly keptMs: number;
  /** The terms on which delivered pages are paid, as JSON (`src/content/jobs/sale.ts`). Empty: nothing is left to pay. */
  readonly sale: string;
  /** `none` or `waiting`. A job without terms waits for a sign that it is paid. */
  readonly payment: JobPayment;
}

/**
 * The payment of a job by its pages. `waiting`: the payment is not known to be made yet, so the job does not begin.
 * `open`: pages are paid as they come, or at the end. `closed`: no further page will be paid. `none`: nothing is left to pay.
 */
export type JobPayment = "none" | "waiting" | "open" | "closed";

/** The word of a seller about the payment of a job. */
export interface PaidSoFar {
  /** Delivered pages that are paid, counted from the first result on, and the amount that was paid for them. */
  readonly pages: number;
  readonly amount: string;
  /** The transaction that has moved it, or empty. */
  readonly transaction: string;
  readonly isClosed: boolean;
}

/** Whether a job runs, or how it ended. */
export type JobState = "running" | "completed" | "cancelled" | "failed";

/** A job with its counts. Times are in Unix milliseconds. */
export interface Job extends NewJob {
  readonly number: number;
  readonly state: JobState;
  /** Why it ended: `limit`, `time`, the reason that the caller of `end` gave, or empty if all was done. */
  readonly reason: string;
  /** Addresses of its frontier, and those of them that are not finished. */
  readonly known: number;
  readonly open: number;
  readonly delivered: number;
  /** Hundredths of the price of a page that delivered pages cost less. */
  readonly saved: number;
  /** Delivered pages that are paid, counted from the first result on, and the amount in the smallest unit of the asset. */
  readonly paidThrough: number;
  readonly paid: string;
  /** The transaction that has moved it; empty without one. */
  readonly transaction: string;
  /** Results: those of delivered and of failed pages. */
  readonly results: number;
  /** Bytes of its results. */
  readonly bytes: number;
  readonly createdAt: number;
  /** 0 while it runs. */
  readonly endedAt: number;
  /** Number of addresses that were not delivered, by the reason. */
  readonly kinds: Readonly<Record<string, number>>;
}

export interface Address {
  readonly url: string;
  /** `PAGE`, or the number of another task of the operation. */
  readonly task: number;
  /** Links from the first page to this one. */
  readonly depth: number;
}

/** The task of an address that is a page. */
export const PAGE = 0;

/** The limits of one take. */
export interface Share {
  readonly hosts: number;
  readonly addresses: number;
  /** Milliseconds between two requests to a host that this job asks for at least. */
  readonly delayMs: number;
}

export interface Taken extends Address {
  readonly key: string;
  readonly host: string;
  /** Number of times that it was taken, this time included, and `POSTPONED` for each time that it was to be tried again. */
  readonly tries: number;
  /** Milliseconds from now on until the host allows the request. */
  readonly startMs: number;
}

export interface Finished {
  readonly taken: Taken;
  /** `delivered`, or the reason why it was not. */
  readonly kind: string;
  /** Milliseconds until it is tried again. Undefined: it is finished. */
  readonly againMs?: number;
  /** The content of its result, compressed. Undefined: it has no result. */
  readonly result?: Uint8Array;
  /** Hundredths of the price of a page that a delivered one costs less. Default: 0. */
  readonly saved?: number;
}

/** Names within a job that belong to the first page that is delivered with them. */
export interface Claim {
  readonly names: readonly string[];
  /** A page is not delivered if as many of the names belong to others. */
  readonly most: number;
  /** The kind of its end then. */
  readonly kind: string;
}

export interface Stored extends Job {
  /** Whether the page of the outcome was not delivered, because others have the names that it claims. */
  readonly isAlike: boolean;
}

/** The ends of some leases, and the discoveries of their pages. */
export interface Outcome {
  readonly finished: readonly Finished[];
  /** The claims of the only page that is finished. It gets all names at once with its result, or none. */
  readonly claims?: readonly Claim[];
  readonly found: readonly Address[];
  /** Found addresses that were left out, by the name of the bound that they exceed. */
  readonly leftOut?: Readonly<Record<string, number>>;
  /** New paces of hosts. */
  readonly paces?: readonly Pace[];
}

/** The pace that a host is to have from now on, for all jobs. */
export interface Pace {
  readonly host: string;
  /** Milliseconds between two requests. */
  readonly intervalMs: number;
  /** Milliseconds for which it gets no request. */
  readonly pauseMs: number;
}

/** One result. Numbers begin at 1 and have no gap. */
export interface StoredResult {
  readonly number: number;
  /** Delivered pages up to this result, and hundredths of the price of a page that they cost less. */
  readonly pages: number;
  readonly saved: number;
  readonly body: Uint8Array;
}
