import { type BufferAccount, type BufferPool } from "./buffer-pool.ts";

/** Memory of a pool for optional work. It gets none while less than the given part of the pool is free for others. */
export class SpareAccount implements BufferAccount {
  readonly #pool: BufferPool;
  readonly #leftToOthers: number;
  readonly #inBuffers: boolean;

  /** `leftToOthers`: the part of the pool, 0 to 1. `unit`: holders take whole buffers, or exact bytes. */
  constructor(pool: BufferPool, leftToOthers: number, unit: "buffers" | "bytes") {
    this.#pool = pool;
    this.#leftToOthers = leftToOthers;
    this.#inBuffers = unit === "buffers";
  }

  get admits(): boolean {
    return this.#pool.free >= this.#pool.capacity * this.#leftToOthers;
  }

  resize(held: number, bytes: number): number {
    if (bytes > held && !this.admits) return -1;
    if (this.#inBuffers) return this.#pool.resize(held, bytes);
    if (bytes <= held) return this.shrink(held, bytes);
    return this.#pool.take(bytes - held) ? bytes : -1;
  }

  shrink(held: number, bytes: number): number {
    if (this.#inBuffers) return this.#pool.shrink(held, bytes);
    if (bytes >= held) return held;
    this.#pool.give(held - bytes);
    return bytes;
  }
}
