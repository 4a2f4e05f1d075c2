import { type BufferPool } from "../../../../lib/buffer-pool.ts";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { type Fields } from "../../../../lib/fields.ts";
import { type ResponseHead } from "../../../exchange.ts";
import { type AnswerDisk, type SpillListener, type StoredAnswer } from "./answer-disk.ts";
import { AnswerFile } from "./answer-file.ts";
import { type SharedAnswers } from "./shared-answers.ts";
import { type Spill } from "./spill.ts";

/** An upstream's answer as a whole, ready to be sent. */
export interface Answer {
  readonly head: ResponseHead;
  readonly body: readonly Uint8Array[] | AnswerFile;
  readonly trailers: Fields;
  /** Bytes of body. */
  readonly size: number;
}

export interface AnswerBounds {
  /** Bytes of one body, where there is no disk for it. */
  readonly maxAnswerBytes: number;
  /** Answers that are kept in memory for a retry. */
  readonly maxEntries: number;
}

/** For one process. One answer may be as long as a route's `max_response_bytes` lets it by default. @bound */
const ANSWER_BOUNDS: AnswerBounds = {
  maxAnswerBytes: 32 * 1024 * 1024,
  maxEntries: 1024,
};

/** Bytes of one body in memory. If there is a folder on disk, the rest is written there. */
const MAX_HELD_BYTES = 131_072;

interface Kept {
  readonly answer: Answer;
  readonly until: number;
}

/**
 * The paid answers of a process: while they wait for settlement, and afterwards, so that who paid and lost the connection can
 * ask again. Made once per process: it outlives the policies of a configuration. What waits goes before what is kept. Where
 * there is a disk, long ones are there, and what other workers may be asked for.
 */
export class Answers {
  readonly #pool: BufferPool;
  readonly #bounds: AnswerBounds;
  readonly #kept = new Map<string, Kept>();
  /** Whose room is not the cache's. */
  readonly #waiting = new WeakSet<Answer>();
  #disk: AnswerDisk | undefined;
  #shared: SharedAnswers | undefined;

  /** `pool` is the worker's for bodies that are gathered, by their bytes: small ones share a buffer. */
  constructor(pool: BufferPool, bounds: AnswerBounds = ANSWER_BOUNDS) {
    this.#pool = pool;
    this.#bounds = bounds;
  }

  /** From now on, and until `close`. */
  useDisk(disk: AnswerDisk): void {
    this.#disk = disk;
  }

  /** From now on, and until `close`. */
  useShared(shared: SharedAnswers): void {
    this.#shared = shared;
  }

  get isShared(): boolean {
    return this.#shared !== undefined;
  }

  get disk(): AnswerDisk | undefined {
    return this.#disk;
  }

  get maxAnswerBytes(): number {
    if (this.#disk !== undefined) return Math.max(this.#disk.maxBytes, MAX_HELD_BYTES);
    return Math.min(this.#bounds.maxAnswerBytes, this.#pool.capacity);
  }

  /** Bytes of one body that may wait in memory. */
  get maxHeldBytes(): number {
    return this.#disk === undefined ? this.maxAnswerBytes : MAX_HELD_BYTES;
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

  /** Where an answer goes that is too long for memory, of `announced` bytes or -1. Undefined: nothing can be written. */
  spill(announced: number, listener: SpillListener): Spill | undefined {
    return this.#disk?.spill(announced, listener);
  }

  /** An answer for whose body room was taken, or a file was made; `release` gives it back. */
  complete(answer: Answer): Answer {
    this.#waiting.add(answer);
    return answer;
  }

  /**
   * Keeps an answer until `until` in milliseconds. Resolves, never rejects, once every worker and every gateway of the
   * database finds it, or it cannot be kept.
   */
  async keep(key: string, answer: Answer, until: number): Promise<void> {
    const { head, trailers, body } = answer;
    const record = { key, until, head, trailers };
    this.#drop(key);
    const shared = this.#shared?.keep(answer, record);
    if (body instanceof AnswerFile) {
      await Promise.all([this.#disk?.keepFile(body, record), shared]);
      return;
    }
    this.#disk?.keepBody(body, record);
    while (this.#kept.size >= this.#bounds.maxEntries) this.#dropOldest();
    this.#waiting.delete(answer);
    this.#kept.set(key, { answer, until });
    await shared;
  }

  /** True if another gateway may keep the answer, or this one does. False also if the database fails. */
  async isKept(key: string, now: number): Promise<boolean> {
    return this.has(key, now) || (await this.#shared?.has(key)) === true;
  }

  /** True where an answer is kept on this machine. `now` in milliseconds. */
  has(key: string, now: number): boolean {
    return (this.#kept.get(key)?.until ?? 0) > now || this.#disk?.has(key, now) === true;
  }

  /** The kept answer, unless its time is over; `release` it. `now` in milliseconds. Rejects where there is no room to read it. */
  async get(key: string, now: number): Promise<Answer | undefined> {
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.until > now) return kept.answer;
    this.#drop(key);
    const stored = (await this.#disk?.get(key, now)) ?? (await this.#shared?.get(key));
    return stored === undefined ? undefined : this.#taken(stored);
  }

  /** Whoever had an answer, kept or not, needs it no more: said once for each answer that was complete, or got. */
  release(answer: Answer): void {
    if (!this.#waiting.delete(answer)) return;
    if (answer.body instanceof AnswerFile) answer.body.release();
    else this.#pool.give(answer.size);
  }

  async close(): Promise<void> {
    this.#shared?.close();
    this.#shared = undefined;
    await this.#disk?.close();
    this.#disk = undefined;
  }

  #taken({ record: { head, trailers }, body }: StoredAnswer): Answer {
    if (body instanceof AnswerFile) return this.complete({ head, trailers, body, size: body.size });
    if (!this.take(body.length)) throw new TurnpikeError("overloaded", "Too many paid answers are being sent");
    return this.complete({ head, trailers, body: [body], size: body.length });
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
