import { type BufferPool } from "../../../../lib/buffer-pool.ts";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { type Fields } from "../../../../lib/fields.ts";
import { type ResponseHead } from "../../../exchange.ts";
import { type AnswerDisk, type SpillListener, type StoredAnswer } from "./answer-disk.ts";
import { AnswerFile } from "./answer-file.ts";
import { type SharedAnswers } from "./shared-answers.ts";
import { type Spill } from "./spill.ts";

/** A complete response of an upstream, ready to be sent. */
export interface Answer {
  readonly head: ResponseHead;
  readonly body: readonly Uint8Array[] | AnswerFile;
  readonly trailers: Fields;
  /** Bytes of body. */
  readonly size: number;
}

export interface AnswerBounds {
  /** Bytes of one body if there is no disk for it. */
  readonly maxAnswerBytes: number;
  /** Responses that are kept in memory for a retry. */
  readonly maxEntries: number;
}

/** Limits of one process. One response can be as long as the default `max_response_bytes` of a route. @bound */
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
 * The paid responses of a process: while they wait for settlement, and afterwards, so that a client that paid and lost
 * its connection can ask again. It is created once per process and outlives the policies of a configuration. Waiting
 * responses have priority over stored ones. If there is a disk, it holds the long responses and those that other
 * workers can be asked for.
 */
export class Answers {
  readonly #pool: BufferPool;
  readonly #bounds: AnswerBounds;
  readonly #kept = new Map<string, Kept>();
  /** Responses whose memory does not count for the cache. */
  readonly #waiting = new WeakSet<Answer>();
  #disk: AnswerDisk | undefined;
  #shared: SharedAnswers | undefined;

  /** `pool` counts the worker's buffered bodies in bytes; small bodies share a buffer. */
  constructor(pool: BufferPool, bounds: AnswerBounds = ANSWER_BOUNDS) {
    this.#pool = pool;
    this.#bounds = bounds;
  }

  /** Uses this disk until `close`. */
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

  /** Bytes of one body that can wait in memory. */
  get maxHeldBytes(): number {
    return this.#disk === undefined ? this.maxAnswerBytes : MAX_HELD_BYTES;
  }

  /** False if a new response would find no room: in that case the upstream should not be asked. */
  admits(): boolean {
    this.#makeRoom(this.#pool.reserve);
    return this.#pool.admits();
  }

  /**
   * Takes room for `bytes` of a waiting response, and evicts the oldest stored responses if needed. False: there is no
   * room.
   */
  take(bytes: number): boolean {
    this.#makeRoom(bytes);
    return this.#pool.take(bytes);
  }

  /** Returns room that `take` took. */
  give(bytes: number): void {
    this.#pool.give(bytes);
  }

  /**
   * Opens a disk buffer for a response that is too long for memory, of `announced` bytes or -1. Undefined: no file can
   * be written.
   */
  spill(announced: number, listener: SpillListener): Spill | undefined {
    return this.#disk?.spill(announced, listener);
  }

  /** Marks a response as complete. Its body has room from `take` or a file; `release` returns it. */
  complete(answer: Answer): Answer {
    this.#waiting.add(answer);
    return answer;
  }

  /**
   * Stores a response until `until` (Unix milliseconds). Resolves when every worker can find it, or if it cannot be
   * stored. Never rejects.
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

  /** True if this gateway stores the response, or another one can have it. Also false if the database fails. */
  async isKept(key: string, now: number): Promise<boolean> {
    return this.has(key, now) || (await this.#shared?.has(key)) === true;
  }

  /** True if a response is stored on this machine. `now` in milliseconds. */
  has(key: string, now: number): boolean {
    return (this.#kept.get(key)?.until ?? 0) > now || this.#disk?.has(key, now) === true;
  }

  /**
   * The stored response, unless it has expired; call `release` afterwards. `now` in milliseconds. Rejects if there is
   * no room to read it.
   */
  async get(key: string, now: number): Promise<Answer | undefined> {
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.until > now) return kept.answer;
    this.#drop(key);
    const stored = (await this.#disk?.get(key, now)) ?? (await this.#shared?.get(key));
    return stored === undefined ? undefined : this.#taken(stored);
  }

  /** Ends the use of a response. Called once for each response from `complete` or `get`. */
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
