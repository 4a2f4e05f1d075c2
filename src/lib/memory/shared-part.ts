import { type BufferAccount, type BufferPool } from "./buffer-pool.ts";

/**
 * A part of a pool that several holders share, for example the streams of a connection. The part has whole buffers;
 * each holder's use is counted in bytes. If each holder took whole buffers, many small holders would use up a pool
 * whose memory is mostly unused.
 */
export class SharedPart implements BufferAccount {
  readonly #pool: BufferPool;
  /** Bytes of all holders, and bytes of the pool's buffers for them. */
  #bytes = 0;
  #held = 0;

  constructor(pool: BufferPool) {
    this.#pool = pool;
  }

  resize(held: number, bytes: number): number {
    const total = this.#bytes - held + bytes;
    const buffers = this.#pool.resize(this.#held, total);
    if (buffers === -1) return -1;
    this.#held = buffers;
    this.#bytes = total;
    return bytes;
  }

  shrink(held: number, bytes: number): number {
    const left = Math.min(held, bytes);
    this.#bytes -= held - left;
    this.#held = this.#pool.shrink(this.#held, this.#bytes);
    return left;
  }
}
