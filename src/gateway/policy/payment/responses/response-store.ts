import { type BufferPool } from "../../../../lib/memory/buffer-pool.ts";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { type Fields } from "../../../../lib/http/fields.ts";
import { type ResponseHead } from "../../../exchange/exchange.ts";
import { type ResponseDisk, type DiskBufferListener, type StoredResponse } from "./response-disk.ts";
import { ResponseFile } from "./response-file.ts";
import { type SharedResponses } from "./shared-responses.ts";
import { type DiskBuffer } from "./disk-buffer.ts";

/** A complete response of an upstream, ready to be sent. */
export interface PaidResponse {
  readonly head: ResponseHead;
  readonly body: readonly Uint8Array[] | ResponseFile;
  readonly trailers: Fields;
  /** Bytes of body. */
  readonly size: number;
}

/** The limits of a process on the paid responses that it keeps in memory. */
export interface ResponseBounds {
  /** Bytes of one body if there is no disk for it. */
  readonly maxResponseBytes: number;
  /** Responses that are kept in memory for a retry. */
  readonly maxEntries: number;
}

/** Paid responses that one process keeps in memory: bytes of one response, and their number. @operator @bound */
const RESPONSE_BOUNDS: ResponseBounds = {
  maxResponseBytes: 32 * 1024 * 1024,
  maxEntries: 1024,
};

/** Bytes of one body in memory. If there is a folder on disk, the rest is written there. */
const MAX_BUFFERED_BYTES = 131_072;

interface HeldResponse {
  readonly response: PaidResponse;
  readonly until: number;
}

/**
 * The paid responses of a process: while they wait for settlement, and afterwards, so that a client that paid and lost
 * its connection can ask again. It is created once per process and outlives the policies of a configuration. Waiting
 * responses have priority over stored ones. If there is a disk, it holds the long responses and those that other
 * workers can be asked for.
 */
export class ResponseStore {
  readonly #pool: BufferPool;
  readonly #bounds: ResponseBounds;
  readonly #kept = new Map<string, HeldResponse>();
  /** Responses whose memory does not count for the cache. */
  readonly #waiting = new WeakSet<PaidResponse>();
  /** The disk and the shared responses that are used until `close`. */
  disk: ResponseDisk | undefined;
  shared: SharedResponses | undefined;

  /** `pool` counts the worker's buffered bodies in bytes; small bodies share a buffer. */
  constructor(pool: BufferPool, bounds: ResponseBounds = RESPONSE_BOUNDS) {
    this.#pool = pool;
    this.#bounds = bounds;
  }

  get maxResponseBytes(): number {
    if (this.disk !== undefined) return Math.max(this.disk.maxBytes, MAX_BUFFERED_BYTES);
    return Math.min(this.#bounds.maxResponseBytes, this.#pool.capacity);
  }

  /** Bytes of one body that can wait in memory. */
  get maxBufferedBytes(): number {
    return this.disk === undefined ? this.maxResponseBytes : MAX_BUFFERED_BYTES;
  }

  /** False if a new response would find no room: in that case the upstream should not be asked. */
  admits(): boolean {
    this.#makeRoom(this.#pool.reserve);
    return this.#pool.admits();
  }

  /** Takes room for `bytes` of a waiting response, and evicts the oldest stored if needed. False: no room. */
  take(bytes: number): boolean {
    this.#makeRoom(bytes);
    return this.#pool.take(bytes);
  }

  /** Returns room that `take` took. */
  give(bytes: number): void {
    this.#pool.give(bytes);
  }

  /** Opens a disk buffer for a long response of `announced` bytes or -1. Undefined: no file can be written. */
  openDiskBuffer(announced: number, listener: DiskBufferListener): DiskBuffer | undefined {
    return this.disk?.openDiskBuffer(announced, listener);
  }

  /** Marks a response as complete. Its body has room from `take` or a file; `release` returns it. */
  complete(response: PaidResponse): PaidResponse {
    this.#waiting.add(response);
    return response;
  }

  /** Stores a response until `until` (Unix ms). Resolves when all workers find it, or if it fails. Never rejects. */
  async keep(key: string, response: PaidResponse, until: number): Promise<void> {
    const { head, trailers, body } = response;
    const record = { key, until, head, trailers };
    this.#drop(key);
    const shared = this.shared?.keep(response, record);
    if (body instanceof ResponseFile) {
      await Promise.all([this.disk?.keepFile(body, record), shared]);
      return;
    }
    const stored = this.disk?.keepBody(body, record);
    while (this.#kept.size >= this.#bounds.maxEntries) this.#dropOldest();
    this.#waiting.delete(response);
    this.#kept.set(key, { response, until });
    await Promise.all([stored, shared]);
  }

  /** True if this gateway stores the response, or another one can have it. Also false if the database fails. */
  async isKept(key: string, now: number): Promise<boolean> {
    return this.has(key, now) || (await this.shared?.has(key)) === true;
  }

  /** True if a response is stored on this machine. `now` in milliseconds. */
  has(key: string, now: number): boolean {
    return (this.#kept.get(key)?.until ?? 0) > now || this.disk?.has(key, now) === true;
  }

  /** The stored response at `now` (ms), if any; call `release` afterwards. Rejects without room to read it. */
  async get(key: string, now: number): Promise<PaidResponse | undefined> {
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.until > now) return kept.response;
    this.#drop(key);
    const stored = (await this.disk?.get(key, now)) ?? (await this.shared?.get(key));
    return stored === undefined ? undefined : this.#taken(stored);
  }

  /** Ends the use of a response. Called once for each response from `complete` or `get`. */
  release(response: PaidResponse): void {
    if (!this.#waiting.delete(response)) return;
    if (response.body instanceof ResponseFile) response.body.release();
    else this.#pool.give(response.size);
  }

  async close(): Promise<void> {
    this.shared?.close();
    this.shared = undefined;
    await this.disk?.close();
    this.disk = undefined;
  }

  #taken({ record: { head, trailers }, body }: StoredResponse): PaidResponse {
    if (body instanceof ResponseFile) return this.complete({ head, trailers, body, size: body.size });
    if (!this.take(body.length)) throw new TurnpikeError("overloaded", "Too many paid responses are being sent");
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
    this.#pool.give(kept.response.size);
  }
}
