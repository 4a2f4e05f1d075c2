import { type Notice, type Outbox } from "../../store/outbox.ts";
import { postNotice } from "./post-notice.ts";
import { RestingEndpoints } from "./resting-endpoints.ts";

/** Records that one process posts at one time. @bound */
const POSTS_AT_ONCE = 8;
/** Between two looks into an empty outbox, in milliseconds. */
const LOOK_MS = 1000;
/** Before a record is tried for the second time, in milliseconds; it doubles with each try. @bound */
const FIRST_DELAY_MS = 5000;
const LONGEST_DELAY_MS = 2 * 3_600_000;
/** How long a record is tried, in milliseconds. @bound */
const GIVE_UP_MS = 3 * 86_400_000;
/** Records that wait; the oldest beyond it are dropped: an endpoint that is away must not fill the disk. */
const MAX_WAITING = 100_000;

/** Told what becomes of records. */
export interface PosterWatcher {
  ended(result: "posted" | "failed" | "dropped", count: number): void;
  waiting(count: number): void;
}

export interface PosterOptions {
  readonly outbox: Outbox;
  /** At least one; asked for each post, since a reload may change them. */
  readonly secrets: () => readonly Uint8Array[];
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly log: (message: string) => void;
  readonly watcher: PosterWatcher;
  /** Time for one post, in milliseconds, where it is not `POST_TIMEOUT_MS`. */
  readonly timeoutMs?: number;
  /** Records that may wait, where it is not `MAX_WAITING`. */
  readonly maxWaiting?: number;
}

/** Whole milliseconds from a failed try to the next: twice as long each time, a part of it by chance. `tries` is how many there were before it. */
export function retryDelayMs(tries: number, random: number): number {
  return Math.round(Math.min(FIRST_DELAY_MS * 2 ** Math.min(tries, 30), LONGEST_DELAY_MS) * (0.5 + random / 2));
}

/**
 * Posts the outbox's records until they are taken, in no promised order, at least once each: whoever takes one knows it again
 * by its id. Any number of processes may do so for one outbox. Decision 0809.
 */
export class OutboxPoster {
  readonly #options: PosterOptions;
  readonly #resting = new RestingEndpoints();
  readonly #closing = new AbortController();
  #running: Promise<unknown> | undefined;
  #wake: (() => void) | undefined;

  constructor(options: PosterOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#closing.signal.aborted || this.#running !== undefined) return;
    this.#running = this.#run();
  }

  /** Posts all that is due. How many records were taken. Throws nothing: an outbox that fails is logged. */
  async round(): Promise<number> {
    const { outbox, watcher } = this.#options;
    try {
      const waiting = await outbox.size();
      watcher.waiting(waiting);
      if (waiting === 0) return 0;
      await this.#trim(waiting);
      const lanes = Array.from({ length: Math.min(waiting, POSTS_AT_ONCE) }, () => this.#lane());
      const counts = await Promise.all(lanes);
      watcher.waiting(await outbox.size());
      return counts.reduce((sum, count) => sum + count, 0);
    } catch (error) {
      this.#options.log(`settlement records: the outbox failed: ${error instanceof Error ? error.name : typeof error}`);
      return 0;
    }
  }

  /** Gives up what is being posted, which another process posts again. Resolves when the outbox may be closed. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#wake?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      await this.round();
      await this.#pause(LOOK_MS * (0.75 + this.#options.random() / 2));
    }
  }

  async #pause(ms: number): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    timer.unref();
    this.#wake = resolve;
    await promise;
    clearTimeout(timer);
  }

  async #trim(waiting: number): Promise<void> {
    const { outbox, log, watcher, maxWaiting = MAX_WAITING } = this.#options;
    if (waiting <= maxWaiting) return;
    const dropped = await outbox.trim(maxWaiting);
    watcher.ended("dropped", dropped);
    log(`settlement records: dropped the ${dropped} oldest: more than ${maxWaiting} waited`);
  }

  async #lane(): Promise<number> {
    let posted = 0;
    while (!this.#closing.signal.aborted) {
      const [notice] = await this.#options.outbox.claim(1);
      if (notice === undefined) break;
      if (await this.#try(notice)) posted += 1;
    }
    return posted;
  }

  /** True where the record was taken. */
  async #try(notice: Notice): Promise<boolean> {
    const { outbox, secrets, clock, log, watcher, timeoutMs } = this.#options;
    const { signal } = this.#closing;
    if (clock() - notice.createdAt > GIVE_UP_MS) {
      return this.#drop(notice, `not taken within ${GIVE_UP_MS / 86_400_000} days`);
    }
    // An endpoint that hangs must not take up every place: its other records wait without being tried.
    if (this.#resting.rests(notice.url, clock())) return this.#postpone(notice);
    const result = await postNotice(notice, {
      secrets: secrets(),
      now: clock(),
      signal,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    if (result.ok) {
      await outbox.done(notice.id);
      watcher.ended("posted", 1);
      if (this.#resting.answered(notice.url)) log("settlement records: they are taken again");
      return true;
    }
    if (result.status === 410) return this.#drop(notice, "its endpoint responded with 410 (Gone)");
    // Nobody knows whether it arrived: it is posted again as soon as this process's hold has run out.
    if (signal.aborted) return false;
    watcher.ended("failed", 1);
    if (this.#resting.failed(notice.url, clock())) {
      log(`settlement records: ${notice.id} was not taken: ${result.cause}; it and others are tried again`);
    }
    return this.#postpone(notice);
  }

  async #drop({ id }: Notice, why: string): Promise<false> {
    const { outbox, log, watcher } = this.#options;
    await outbox.done(id);
    watcher.ended("dropped", 1);
    log(`settlement records: dropped ${id}: ${why}`);
    return false;
  }

  async #postpone({ id, tries }: Notice): Promise<false> {
    const { outbox, clock, random } = this.#options;
    await outbox.postpone(id, clock() + retryDelayMs(tries, random()));
    return false;
  }
}
