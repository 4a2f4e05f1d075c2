import { type BufferPool } from "../../lib/buffer-pool.ts";

/** What was read of a pipeline's later requests, while an earlier one is served; in buffers of the worker's pool. */
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

  /** Puts `bytes` behind what is there; false, with nothing left, where the pool has no buffer for them. */
  keep(bytes: Buffer): boolean {
    // A small piece of a large read would keep all of it.
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

  /** Gives all that is there, and forgets it. */
  take(): Buffer | undefined {
    const bytes = this.#bytes;
    this.#bytes = undefined;
    this.#held = this.#pool.resize(this.#held, 0);
    return bytes;
  }
}
