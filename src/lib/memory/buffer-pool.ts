export interface BufferPoolLimits {
  readonly bufferSize: number;
  readonly bufferCount: number;
  /** Free buffers that a new request requires. */
  readonly reserve: number;
}

/** Receives the state of a pool, for metrics. */
export interface PoolWatcher {
  /** `bytes` are in use now. */
  used(bytes: number): void;
  refused(): void;
}

/** The account that a holder of memory reports to. */
export interface BufferAccount {
  /**
   * Changes a holder's part so that it has room for `bytes`. `held` is the result of the last call, 0 before the first.
   * Returns the new part, or -1 if there is not enough memory; then the part stays as it was.
   */
  resize(held: number, bytes: number): number;
  /** Returns a holder's memory beyond `bytes`. Never takes more, even if a reload changed the buffers' size. */
  shrink(held: number, bytes: number): number;
}

const NOBODY: PoolWatcher = { used() {}, refused() {} };

/**
 * Accounts for the memory that one worker may use for one purpose, as a number of buffers. Only bytes that have to wait
 * are counted, so bytes that never wait cost nothing. The pool allocates no memory: holders allocate their own, and
 * report its size here. Decision 0105.
 */
export class BufferPool implements BufferAccount {
  /** Holders keep memory that exceeds new limits. */
  limits: BufferPoolLimits;
  readonly #watcher: PoolWatcher;
  #used = 0;

  constructor(limits: BufferPoolLimits, watcher: PoolWatcher = NOBODY) {
    this.limits = limits;
    this.#watcher = watcher;
  }

  /** Bytes in use. */
  get used(): number {
    return this.#used;
  }

  get free(): number {
    return this.capacity - this.#used;
  }

  /** Free bytes that a new request requires. */
  get reserve(): number {
    return this.limits.reserve * this.limits.bufferSize;
  }

  get capacity(): number {
    return this.limits.bufferSize * this.limits.bufferCount;
  }

  /** False if a new request must be refused, so that running requests have enough memory. */
  admits(): boolean {
    if (this.free >= this.reserve) return true;
    this.#watcher.refused();
    return false;
  }

  /** Takes `bytes`. False: the pool does not have enough, and nothing was taken. */
  take(bytes: number): boolean {
    if (bytes > this.free) {
      this.#watcher.refused();
      return false;
    }
    this.#set(this.#used + bytes);
    return true;
  }

  give(bytes: number): void {
    this.#set(this.#used - bytes);
  }

  /** Rounds up to whole buffers. */
  resize(held: number, bytes: number): number {
    const { bufferSize } = this.limits;
    const wanted = Math.ceil(bytes / bufferSize) * bufferSize;
    if (wanted === held) return held;
    if (wanted > held && !this.take(wanted - held)) return -1;
    if (wanted < held) this.give(held - wanted);
    return wanted;
  }

  /** Rounds up to whole buffers. If a reload has made buffers larger, it uses no more memory for that. */
  shrink(held: number, bytes: number): number {
    const { bufferSize } = this.limits;
    const wanted = Math.min(held, Math.ceil(bytes / bufferSize) * bufferSize);
    if (wanted < held) this.give(held - wanted);
    return wanted;
  }

  #set(used: number): void {
    this.#used = used;
    this.#watcher.used(used);
  }
}
