import { messageOf } from "../../../lib/caught.ts";
import { type SharedZone } from "../../../lib/shared-zone.ts";
import { within } from "../../../lib/within.ts";
import { type OpenUsageStore, type UsageBatch } from "../../../store/usage-store.ts";
import { UsageDeltas } from "./usage-deltas.ts";
import { readingOf } from "./usage-reading.ts";
import { type UsageReading, type UsageReport } from "./usage-report.ts";

/** Between two times that usage is written down, in milliseconds: as much as a crash of the whole server may lose. @bound */
const FLUSH_MS = 10_000;
/** Longest wait for the last time, when the server is stopped, in milliseconds. @bound */
const LAST_FLUSH_MS = 3000;

export interface UsageKeeperOptions {
  /** Where all workers count. */
  readonly zone: SharedZone;
  /** Opens the store; called again later where it throws. */
  readonly open: () => OpenUsageStore;
  /** It is gone with the process: at the end there is nothing to write down. */
  readonly inMemory?: boolean;
  readonly log: (message: string) => void;
  /** For tests: in place of `FLUSH_MS`. */
  readonly flushMs?: number;
}

/**
 * Writes down what the workers count, for the whole server, and tells it. One for all workers: in the supervisor, or in the one
 * process.
 *
 *   counters of the workers ── take ──▶ a batch ── add ──▶ the store, every `FLUSH_MS`
 *
 * A batch that cannot be written is kept and tried again as it is, whatever has come since: so the store can tell that it had it
 * already. Meanwhile the workers count on.
 */
export class UsageKeeper implements UsageReport {
  readonly #options: UsageKeeperOptions;
  readonly #deltas: UsageDeltas;
  /** No other process ever has the same. */
  readonly #gateway = crypto.randomUUID();
  #sequence = 0;
  #batch: UsageBatch | undefined;
  /** Of a reset of which it is not known whether it was done. */
  #resetId: string | undefined;
  #store: OpenUsageStore | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isFlushing = false;
  /** The log says that usage cannot be kept. */
  #isFailing = false;
  #isClosed = false;
  /** Settles when all that was asked so far is done: one after another. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: UsageKeeperOptions) {
    this.#options = options;
    this.#deltas = new UsageDeltas(options.zone);
  }

  /** Writes down from now on; without it nothing is, unless it is asked for. */
  start(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => void this.#flushNow(), this.#options.flushMs ?? FLUSH_MS);
    this.#timer.unref();
    // A store that cannot be opened is told of now, and not with the first request.
    void this.#flushNow();
  }

  read(): Promise<UsageReading> {
    return this.#inTurn(async () => {
      const totals = await this.#opened().read(this.#gateway);
      const batch = this.#batch;
      const waiting = batch !== undefined && totals.sequence < batch.sequence ? [batch] : [];
      return readingOf(totals, ...waiting, this.#deltas.look());
    });
  }

  readAndReset(): Promise<UsageReading> {
    return this.#inTurn(async () => {
      await this.#flushAll();
      this.#resetId ??= crypto.randomUUID();
      const totals = await this.#opened().reset(this.#resetId, this.#gateway);
      this.#resetId = undefined;
      return readingOf(totals);
    });
  }

  /** Writes down what is left, as far as that can be done in time. Call it when no worker counts any more. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    clearInterval(this.#timer);
    if (this.#timer !== undefined && this.#options.inMemory !== true) await this.#flushLast();
    this.#isClosed = true;
    await within(LAST_FLUSH_MS, this.#store?.close() ?? Promise.resolve());
  }

  async #flushLast(): Promise<void> {
    let fault: string | undefined = `not written down within ${LAST_FLUSH_MS} ms`;
    const last = this.#inTurn(() => this.#flushAll()).then(
      () => (fault = undefined),
      (error: unknown) => (fault = messageOf(error)),
    );
    await within(LAST_FLUSH_MS, last);
    if (fault !== undefined) this.#options.log(`usage: the last counts are lost: ${fault}`);
  }

  /** What an earlier time has left, and then what has come since. */
  async #flushAll(): Promise<void> {
    if (this.#batch !== undefined) await this.#send(this.#batch);
    await this.#flush();
  }

  async #flushNow(): Promise<void> {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    try {
      await this.#inTurn(() => this.#flush());
      if (this.#isFailing) this.#options.log("usage: it is kept again, and what was counted meanwhile too");
      this.#isFailing = false;
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#isFlushing = false;
    }
  }

  #failed(error: unknown): void {
    if (!this.#isFailing)
      this.#options.log(`usage: it cannot be kept: ${messageOf(error)}; counting goes on in memory`);
    this.#isFailing = true;
  }

  /** The batch before, where there is one, or what has come since. */
  async #flush(): Promise<void> {
    this.#opened();
    if (this.#batch === undefined) {
      const uses = this.#deltas.take();
      if (uses.routes.length === 0 && uses.upstreams.length === 0) return;
      this.#batch = { gateway: this.#gateway, sequence: ++this.#sequence, ...uses };
    }
    await this.#send(this.#batch);
  }

  async #send(batch: UsageBatch): Promise<void> {
    await this.#opened().add(batch);
    this.#batch = undefined;
  }

  #opened(): OpenUsageStore {
    if (this.#isClosed) throw new Error("the server is about to stop");
    this.#store ??= this.#options.open();
    return this.#store;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }
}
