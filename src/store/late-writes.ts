import { faultOf } from "../lib/caught.ts";
import { type PaymentKey } from "./ledger.ts";

/** Writes of one process that wait for the ledger. Further ones are tried only once. */
const MAX_LATE_WRITES = 10_000;
/** Milliseconds before the second attempt. The pause doubles up to `MAX_PAUSE_MS`. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5000;
/** Milliseconds for which a process that ends tries again to write; at least the second if its grace is used up. @bound */
const LAST_TRIES_MS = 5000;
const SHORTEST_LAST_TRIES_MS = 1000;
/** Nonces that one log line shows. */
const MAX_SHOWN = 100;

interface LateWrite {
  readonly nonce: string;
  readonly write: () => Promise<unknown>;
}

/**
 * Writes of facts that the ledger must learn, such as a delivery. A failed write is made again until the ledger takes it
 * or the process ends. One per process: it outlives the configurations.
 */
export class LateWrites {
  readonly #log: (message: string) => void;
  /** Those that failed, the next one first. */
  readonly #waiting = new Set<LateWrite>();
  /** First attempts that are being made. */
  #begun = 0;
  #dropped = 0;
  #isRunning = false;
  #isClosing = false;
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(log: (message: string) => void) {
    this.#log = log;
  }

  /** Makes a write, which must have no effect twice. Resolves after the first attempt, never rejects. */
  async insist({ nonce }: Pick<PaymentKey, "nonce">, write: () => Promise<unknown>): Promise<void> {
    this.#begun++;
    try {
      await write();
    } catch (error) {
      this.#add({ nonce, write }, error);
    } finally {
      this.#begun--;
      if (this.#isClosing) this.#wake?.();
    }
  }

  /** Tries again within `graceMs`, and logs what is not written then. The ledger may be closed afterwards. */
  async close(graceMs: number): Promise<void> {
    const ms = Math.min(Math.max(graceMs, SHORTEST_LAST_TRIES_MS), LAST_TRIES_MS);
    this.#isClosing = true;
    const timer = setTimeout(() => {
      this.#isOver = true;
      this.#wake?.();
    }, ms);
    this.#wake?.();
    if (!this.#isRunning) await this.#run();
    else while (this.#isRunning) await new Promise(setImmediate);
    clearTimeout(timer);
    this.#isOver = true;
    this.#tellLost([...this.#waiting]);
  }

  #add(late: LateWrite, error: unknown): void {
    if (this.#isOver) {
      this.#tellLost([late]);
      return;
    }
    if (this.#waiting.size >= MAX_LATE_WRITES) {
      this.#dropped++;
      return;
    }
    this.#waiting.add(late);
    if (this.#isRunning) return;
    this.#log(
      `payment: the ledger did not take the result of a payment: ${faultOf(error)}; it is written again until the ledger takes it`,
    );
    void this.#run();
  }

  #tellLost(lost: readonly LateWrite[]): void {
    const count = lost.length + this.#dropped;
    if (count === 0) return;
    const nonces = lost.slice(0, MAX_SHOWN).map(({ nonce }) => nonce);
    this.#dropped = 0;
    this.#log(
      `payment: the process ends, and the results of ${count} payments are not in the ledger; delivered ones stay owed there: ${nonces.join(", ")}`,
    );
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    let pauseMs = FIRST_PAUSE_MS;
    let written = 0;
    while (!this.#isOver && (this.#waiting.size > 0 || (this.#isClosing && this.#begun > 0))) {
      await this.#pause(this.#isClosing ? FIRST_PAUSE_MS : pauseMs);
      const count = await this.#writeAll();
      written += count;
      pauseMs = count > 0 ? FIRST_PAUSE_MS : Math.min(2 * pauseMs, MAX_PAUSE_MS);
    }
    this.#isRunning = false;
    if (written === 0) return;
    const dropped = this.#dropped === 0 ? "" : `; ${this.#dropped} were dropped, and delivered ones stay owed`;
    this.#dropped = 0;
    this.#log(`payment: the ledger has taken the results of ${written} payments late${dropped}`);
  }

  /** Makes the waiting writes up to the first failure. Returns how many were made. */
  async #writeAll(): Promise<number> {
    let count = 0;
    for (const late of this.#waiting) {
      if (this.#isOver) break;
      this.#waiting.delete(late);
      try {
        // oxlint-disable-next-line no-await-in-loop -- a ledger that has just come back gets one write at a time
        await late.write();
        count++;
      } catch {
        // To the end: a write that fails for a reason of its own must not stop the others.
        this.#waiting.add(late);
        break;
      }
    }
    return count;
  }

  async #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    // Only `close` keeps the process alive.
    if (!this.#isClosing) timer.unref();
    this.#wake = resolve;
    await promise;
    clearTimeout(timer);
  }
}
