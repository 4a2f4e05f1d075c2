import { faultOf } from "../../../lib/caught.ts";
import { pause } from "../../../lib/time/pause.ts";
import { MAX_NOTICE_WAIT_MS, type Notice, type Outbox } from "../../../store/outbox.ts";
import { type ReconcilerOptions } from "../reconciler.ts";
import { postNotice } from "./post-webhook.ts";
import { RestingEndpoints } from "./resting-endpoints.ts";

/** Records that one process posts at the same time; the others wait. @bound */
const POSTS_AT_ONCE = 8;
/** Time between two checks of an empty outbox, in milliseconds. */
const LOOK_MS = 1000;
/** Delay before the second try of a record, in milliseconds. It doubles with each try. @bound */
const FIRST_DELAY_MS = 5000;
/** Time during which a record is tried, in milliseconds. Afterwards it is dropped and logged. @bound */
const GIVE_UP_MS = 3 * 86_400_000;
/** Fewer tries than three days have. A record with fewer is not old: the clock of a gateway is wrong. */
const LEAST_TRIES = 40;
/** Records that may wait. Beyond it the oldest are dropped, so that an unreachable endpoint does not fill the disk. */
const MAX_WAITING = 100_000;

/** Receives the results of posts. */
export interface PosterWatcher {
  ended(result: "posted" | "failed" | "dropped", count: number): void;
  waiting(count: number): void;
}

/** The outbox, the secrets, and the limits of the posts. */
export interface PosterOptions extends Pick<ReconcilerOptions, "clock" | "random" | "log"> {
  readonly outbox: Outbox;
  /** At least one. Read for each post, because a reload may change them. */
  readonly secrets: () => readonly Uint8Array[];
  readonly watcher: PosterWatcher;
  /** Timeout of one post, in milliseconds. Default: `POST_TIMEOUT_MS`. */
  readonly timeoutMs?: number;
  /** Monotonic milliseconds. */
  readonly steady?: () => number;
  /** Number of records that may wait. Default: `MAX_WAITING`. */
  readonly maxWaiting?: number;
}

/**
 * Whole milliseconds from a failed try to the next. The delay doubles with each try, and a part of it is random.
 * `tries` is the number of earlier tries.
 */
export function retryDelayMs(tries: number, random: number): number {
  return Math.round(Math.min(FIRST_DELAY_MS * 2 ** Math.min(tries, 30), MAX_NOTICE_WAIT_MS) * (0.5 + random / 2));
}

/**
 * Posts the outbox's records until they are accepted. Each record is posted at least once, in no fixed order; receivers
 * recognize a repeated record by its id, which is made from payment and transaction. A record is inserted in the transaction of
 * its settlement, so a receiver that is down stops no sale. Several processes may post from one outbox.
 */
export class OutboxPoster {
  readonly #options: PosterOptions;
  readonly #resting: RestingEndpoints;
  readonly #closing = new AbortController();
  #running: Promise<unknown> | undefined;

  constructor(options: PosterOptions) {
    this.#options = options;
    this.#resting = new RestingEndpoints(options.steady);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Posts all due records. Returns how many were accepted. Does not throw: an outbox's error is logged. */
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
      this.#options.log(`settlement records: the outbox failed: ${faultOf(error)}`);
      return 0;
    }
  }

  /** Aborts the current posts; another process posts these records again. Resolves when the outbox may be closed. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      await this.round();
      await pause(LOOK_MS * (0.75 + this.#options.random() / 2), this.#closing.signal);
    }
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

  /** Returns true if the receiver accepted the record. */
  async #try(notice: Notice): Promise<boolean> {
    const { outbox, secrets, clock, log, watcher, timeoutMs } = this.#options;
    const { signal } = this.#closing;
    if (notice.tries >= LEAST_TRIES && clock() - notice.createdAt > GIVE_UP_MS) {
      return this.#drop(notice, `not accepted within ${GIVE_UP_MS / 86_400_000} days`);
    }
    // If an endpoint does not respond, its other records are not tried, so that it does not use up all connections.
    if (this.#resting.rests(notice.url)) return this.#postpone(notice);
    const result = await postNotice(notice, {
      secrets: secrets(),
      now: clock(),
      signal,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    if (result.ok) {
      await outbox.done(notice.id);
      watcher.ended("posted", 1);
      if (this.#resting.responded(notice.url)) log("settlement records: they are accepted again");
      return true;
    }
    if (result.status === 410) return this.#drop(notice, "its endpoint responded with 410 (Gone)");
    // The record may have arrived or not. It is posted again as soon as this process's lease has expired.
    if (signal.aborted) return false;
    watcher.ended("failed", 1);
    if (this.#resting.failed(notice.url)) {
      log(`settlement records: ${notice.id} was not accepted: ${result.cause}; it is posted again later`);
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
    const { outbox, random } = this.#options;
    await outbox.postpone(id, retryDelayMs(tries, random()));
    return false;
  }
}
