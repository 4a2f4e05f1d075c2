import { type BufferPool } from "../../lib/memory/buffer-pool.ts";

/**
 * Bytes of a pipeline's later requests that were read while an earlier one is served. They are counted in the worker's
 * buffer pool.
 */
export class UnreadBytes {
  readonly #pool: BufferPool;
  #bytes: Buffer | undefined;
  #held = 0;

  constructor(pool: BufferPool) {
    this.#pool = pool;
  }

  get empty(): boolean {
    return this.#bytes === undefined;
  }

  /** Appends `bytes`. If the pool has no buffer for them, drops everything and returns false. */
  keep(bytes: Buffer): boolean {
    // A small piece of a large read would keep the whole buffer alive.
    const own = bytes.length * 2 < bytes.buffer.byteLength ? Buffer.from(bytes) : bytes;
    const all = this.#bytes === undefined ? own : Buffer.concat([this.#bytes, bytes]);
    const held = this.#pool.resize(this.#held, all.buffer.byteLength);
    if (held === -1) {
      this.take();
      return false;
    }
    this.#held = held;
    this.#bytes = all;
    return true;
  }

  take(): Buffer | undefined {
    const bytes = this.#bytes;
    this.#bytes = undefined;
    this.#held = this.#pool.resize(this.#held, 0);
    return bytes;
  }
}
