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
  /** Bytes of all bodies together: those that wait for settlement, and those kept for a retry. */
  readonly maxBytes: number;
  /** Bytes of one body. */
  readonly maxAnswerBytes: number;
  /** Answers that are kept for a retry. */
  readonly maxEntries: number;
}

/** For one process. One answer may be as long as a route's `max_response_bytes` lets it by default. */
export const ANSWER_BOUNDS: AnswerBounds = {
  maxBytes: 128 * 1024 * 1024,
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
  readonly #bounds: AnswerBounds;
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(bounds: AnswerBounds = ANSWER_BOUNDS) {
    this.#bounds = bounds;
  }

  get maxAnswerBytes(): number {
    return this.#bounds.maxAnswerBytes;
  }

  /** Bytes in use. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes room for `bytes` of an answer that waits, at the cost of the oldest that are kept. False: there is none. */
  take(bytes: number): boolean {
    while (this.#bytes + bytes > this.#bounds.maxBytes) {
      if (!this.#dropOldest()) return false;
    }
    this.#bytes += bytes;
    return true;
  }

  /** Gives back what was taken. */
  give(bytes: number): void {
    this.#bytes -= bytes;
  }

  /** Keeps an answer whose room is taken, until `until` in milliseconds. */
  keep(key: string, answer: Answer, until: number): void {
    this.#drop(key);
    while (this.#kept.size >= this.#bounds.maxEntries) this.#dropOldest();
    this.#kept.set(key, { answer, until });
  }

  /** The kept answer, unless its time is over. `now` in milliseconds. */
  get(key: string, now: number): Answer | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    if (kept.until > now) return kept.answer;
    this.#drop(key);
    return undefined;
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
    this.#bytes -= kept.answer.size;
  }
}
