/** Milliseconds after a worker was ended in which its memory is taken as the reason for the process's. @bound */
const ENDING_MS = 500;
/** Milliseconds after which extractions begin again, although the memory of an ended worker has not come back. @bound */
const RETURN_MS = 5_000;

/** The limits of a process's memory during extractions, in bytes, and how to measure it. */
export interface MemoryLimits {
  readonly maxBytes: number;
  /** The memory that extractions may always take, so that earlier pages do not reduce the memory for these. */
  readonly minGrowth: number;
  readonly rss: () => number;
  /** A clock in milliseconds. */
  readonly now: () => number;
}

/**
 * Decides whether extractions take too much memory. The memory of an ended worker comes back within seconds, and until
 * then neither ends other extractions nor raises their limit above `maxBytes` and `minGrowth`.
 */
export class MemoryWatch {
  readonly #limits: MemoryLimits;
  /** Bytes from which the growth counts. */
  #before = 0;
  #endedAt = Number.NEGATIVE_INFINITY;

  constructor(limits: MemoryLimits) {
    this.#limits = limits;
  }

  /** To be called before the first of the present extractions. */
  begin(): void {
    const { maxBytes, rss, now } = this.#limits;
    const bytes = rss();
    this.#before = now() - this.#endedAt < RETURN_MS ? Math.min(bytes, maxBytes) : bytes;
  }

  /** To be called when a worker is ended because of its time or memory. */
  ended(): void {
    const { maxBytes, rss, now } = this.#limits;
    this.#endedAt = now();
    this.#before = Math.max(this.#before, Math.min(rss(), maxBytes));
  }

  isExceeded(): boolean {
    const { maxBytes, minGrowth, rss, now } = this.#limits;
    const bytes = rss();
    this.#before = Math.min(this.#before, bytes);
    return bytes > Math.max(maxBytes, this.#before + minGrowth) && now() - this.#endedAt >= ENDING_MS;
  }

  /** Whether the next extraction should wait for the memory of an ended worker. */
  isReturning(): boolean {
    const { maxBytes, rss, now } = this.#limits;
    return now() - this.#endedAt < RETURN_MS && rss() > maxBytes;
  }
}
