export interface BufferPoolLimits {
  /** Bytes of one buffer. */
  readonly bufferSize: number;
  readonly bufferCount: number;
  /** Buffers that must be free for a new request to be taken on. */
  readonly reserve: number;
}

/** Is told how a pool fares. */
export interface PoolWatcher {
  /** So many bytes are in use now. */
  used(bytes: number): void;
  /** Somebody was refused. */
  refused(): void;
}

/** Where a holder of memory says how much it has. */
export interface BufferAccount {
  /**
   * Makes a holder's part enough for `bytes`; `held` is what the last call returned, 0 before the first. Returns the part; -1,
   * with the part as it was, where there is not so much.
   */
  resize(held: number, bytes: number): number;
  /** Gives back what a holder has beyond `bytes`; takes nothing more, whatever was said of buffers meanwhile. */
  shrink(held: number, bytes: number): number;
}

const NOBODY: PoolWatcher = { used() {}, refused() {} };

/**
 * The account of the memory that one worker may hold for one purpose, as a number of buffers. It is asked only where bytes have
 * to wait, so what never waits costs nothing. No memory is set aside: holders take their own, and say here how much. Decision 0105.
 */
export class BufferPool implements BufferAccount {
  #limits: BufferPoolLimits;
  readonly #watcher: PoolWatcher;
  #used = 0;

  constructor(limits: BufferPoolLimits, watcher: PoolWatcher = NOBODY) {
    this.#limits = limits;
    this.#watcher = watcher;
  }

  /** Other limits from now on; who holds more than they allow keeps it. */
  set limits(limits: BufferPoolLimits) {
    this.#limits = limits;
  }

  /** Bytes in use. */
  get used(): number {
    return this.#used;
  }

  get free(): number {
    return this.capacity - this.#used;
  }

  /** Bytes that must be free for a new request to be taken on. */
  get reserve(): number {
    return this.#limits.reserve * this.#limits.bufferSize;
  }

  /** Bytes in all. */
  get capacity(): number {
    return this.#limits.bufferSize * this.#limits.bufferCount;
  }

  /** False while a new request must be refused, so that those in flight find what they need. */
  admits(): boolean {
    if (this.free >= this.reserve) return true;
    this.#watcher.refused();
    return false;
  }

  /** Takes `bytes`; false, with nothing taken, where the pool has not so many. */
  take(bytes: number): boolean {
    if (bytes > this.free) {
      this.#watcher.refused();
      return false;
    }
    this.#set(this.#used + bytes);
    return true;
  }

  /** Gives back what was taken. */
  give(bytes: number): void {
    this.#set(this.#used - bytes);
  }

  /** In whole buffers. */
  resize(held: number, bytes: number): number {
    const { bufferSize } = this.#limits;
    const wanted = Math.ceil(bytes / bufferSize) * bufferSize;
    if (wanted === held) return held;
    if (wanted > held && !this.take(wanted - held)) return -1;
    if (wanted < held) this.give(held - wanted);
    return wanted;
  }

  /** In whole buffers; larger ones since a reload take nothing more. */
  shrink(held: number, bytes: number): number {
    const { bufferSize } = this.#limits;
    const wanted = Math.min(held, Math.ceil(bytes / bufferSize) * bufferSize);
    if (wanted < held) this.give(held - wanted);
    return wanted;
  }

  #set(used: number): void {
    this.#used = used;
    this.#watcher.used(used);
  }
}
