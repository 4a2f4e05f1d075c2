import { type BufferPool } from "../../../lib/buffer-pool.ts";
import { type Fields } from "../../../lib/fields.ts";
import { type ResponseHead } from "../../exchange.ts";

/** An upstream's answer as a whole, ready to be sent. */
export interface Answer {
  readonly head: ResponseHead;
  readonly body: readonly Uint8Array[];
  readonly trailers: Fields;
  /** Bytes of body. */
  readonly size: number;
}

export interface AnswerBounds {
  /** Bytes of one body. */
  readonly maxAnswerBytes: number;
  /** Answers that are kept for a retry. */
  readonly maxEntries: number;
}

/** For one process. One answer may be as long as a route's `max_response_bytes` lets it by default. */
export const ANSWER_BOUNDS: AnswerBounds = {
  maxAnswerBytes: 32 * 1024 * 1024,
  maxEntries: 1024,
};

interface Kept {
  readonly answer: Answer;
  readonly until: number;
}

/**
 * The memory of paid answers: while they wait for settlement, and afterwards, so that who paid and lost the connection can
 * ask again. Made once per process: it outlives the policies of a configuration. What waits goes before what is kept.
 */
export class Answers {
  readonly #pool: BufferPool;
  readonly #bounds: AnswerBounds;
  readonly #kept = new Map<string, Kept>();
  /** Whose room is not the cache's. */
  readonly #waiting = new WeakSet<Answer>();

  /** `pool` is the worker's for bodies that are gathered, by their bytes: small ones share a buffer. */
  constructor(pool: BufferPool, bounds: AnswerBounds = ANSWER_BOUNDS) {
    this.#pool = pool;
    this.#bounds = bounds;
  }

  get maxAnswerBytes(): number {
    return Math.min(this.#bounds.maxAnswerBytes, this.#pool.capacity);
  }

  /** False where a new answer would find no room: nobody should work for one. */
  admits(): boolean {
    this.#makeRoom(this.#pool.reserve);
    return this.#pool.admits();
  }

  /** Takes room for `bytes` of an answer that waits, at the cost of the oldest that are kept. False: there is none. */
  take(bytes: number): boolean {
    this.#makeRoom(bytes);
    return this.#pool.take(bytes);
  }

  /** Gives back what was taken. */
  give(bytes: number): void {
    this.#pool.give(bytes);
  }

  /** An answer for whose body room was taken; `release` gives it back. */
  complete(answer: Answer): Answer {
    this.#waiting.add(answer);
    return answer;
  }

  /** Keeps an answer until `until` in milliseconds. Resolves, never rejects, once every worker finds it, or it cannot be kept. */
  async keep(key: string, answer: Answer, until: number): Promise<void> {
    this.#drop(key);
    while (this.#kept.size >= this.#bounds.maxEntries) this.#dropOldest();
    this.#waiting.delete(answer);
    this.#kept.set(key, { answer, until });
  }

  /** True where an answer is kept. `now` in milliseconds. */
  has(key: string, now: number): boolean {
    return (this.#kept.get(key)?.until ?? 0) > now;
  }

  /** The kept answer, unless its time is over; `release` it. `now` in milliseconds. */
  async get(key: string, now: number): Promise<Answer | undefined> {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    if (kept.until > now) return kept.answer;
    this.#drop(key);
    return undefined;
  }

  /** Whoever had an answer, kept or not, needs it no more: said once for each answer that was complete, or got. */
  release(answer: Answer): void {
    if (this.#waiting.delete(answer)) this.#pool.give(answer.size);
  }

  #makeRoom(bytes: number): void {
    while (this.#pool.free < bytes && this.#dropOldest());
  }

  #dropOldest(): boolean {
    for (const key of this.#kept.keys()) {
      this.#drop(key);
      return true;
    }
    return false;
  }

  #drop(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#pool.give(kept.answer.size);
  }
}
