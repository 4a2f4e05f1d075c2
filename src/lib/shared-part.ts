import { type BufferAccount, type BufferPool } from "./buffer-pool.ts";

/**
 * One part of a pool for several holders, as the streams of a connection: whole buffers for all of them together, to the byte
 * for each. Else many who hold little would use up a pool whose memory nobody has.
 */
export class SharedPart implements BufferAccount {
  readonly #pool: BufferPool;
  /** Bytes that the holders have, and of the pool's buffers for them. */
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
