import { type QuicStream } from "node:quic";
import { type BufferPool } from "../../lib/memory/buffer-pool.ts";

/**
 * Bytes of one response that the engine may have uncounted. Thus short responses need no memory of the pool. A stream
 * by itself takes more memory.
 */
const MAX_UNCOUNTED_BYTES = 4096;
/** Bytes after which the engine is asked how many it has sent. */
const RECOUNT_BYTES = 65_536;

/**
 * The data of one response that the engine has, and has not sent because the client's windows are shut. The engine
 * accepts a whole read of the upstream at once and copies it, so this memory counts against the worker's buffers.
 */
export class UnsentData {
  readonly #pool: BufferPool;
  #written = 0;
  /** Bytes that count in the pool. */
  #held = 0;

  constructor(pool: BufferPool) {
    this.#pool = pool;
  }

  /** Counts `length` bytes that the engine gets on `quic`. False: the pool has no room for them. */
  add(length: number, quic: Pick<QuicStream, "stats">): boolean {
    const written = this.#written + length;
    if (written > MAX_UNCOUNTED_BYTES) {
      if (this.#held + length > RECOUNT_BYTES) this.recount(quic);
      const more = Math.min(length, written - MAX_UNCOUNTED_BYTES);
      if (!this.#pool.take(more)) return false;
      this.#held += more;
    }
    this.#written = written;
    return true;
  }

  /** Returns the memory of the bytes that were sent since the last count. */
  recount(quic: Pick<QuicStream, "stats">): void {
    this.#shrink(Math.max(this.#written - Number(quic.stats.bytesSent), 0));
  }

  /** The engine has closed the stream. */
  release(): void {
    this.#shrink(0);
  }

  #shrink(bytes: number): void {
    if (bytes >= this.#held) return;
    this.#pool.give(this.#held - bytes);
    this.#held = bytes;
  }
}
