import { messageOf } from "../../../lib/caught.ts";
import { type SharedZone } from "../../../lib/memory/shared-zone.ts";
import { within } from "../../../lib/time/within.ts";
import { FUNNEL_DAYS, type HourUse, type OpenUsageStore, type UsageBatch } from "../../../store/usage-store.ts";
import { Funnel } from "../../telemetry/funnel.ts";
import { SUPERVISOR_ROW } from "../../telemetry/metrics/layout.ts";
import { type FunnelReading } from "../shapes/funnel.ts";
import { DAY_MS, daysOf, FunnelHour } from "./funnel-history.ts";
import { UsageDeltas } from "./usage-deltas.ts";
import { readingOf } from "./usage-reading.ts";
import { type UsageReading } from "../shapes/usage.ts";
import { Turns } from "../../../lib/process/turns.ts";

/** Milliseconds between two writes of the usage. A crash of the whole server loses at most this much. @bound */
const FLUSH_MS = 10_000;
/** Milliseconds that the last write may take when the server stops. @bound */
const LAST_FLUSH_MS = 3000;

/** The counters that a `UsageKeeper` reads, and the store that it writes them to. */
export interface UsageKeeperOptions {
  readonly zone: SharedZone;
  /** Opens the store. It is called again later if it throws. */
  readonly open: () => OpenUsageStore;
  /** The store is in memory and ends with the process, so there is no last write. */
  readonly inMemory?: boolean;
  readonly log: (message: string) => void;
  /** For tests: replaces `FLUSH_MS`. */
  readonly flushMs?: number;
  /** Unix milliseconds. */
  readonly clock?: () => number;
}

/**
 * Stores and reads the usage that the workers count. There is one for the whole server: in the supervisor, or in the
 * only process.
 *
 *   counters of the workers ── take ──▶ a batch ── add ──▶ the store, every `FLUSH_MS`
 *
 * A batch that cannot be written is kept and written again unchanged, without later usage. The store can then detect
 * that it already has the batch. Meanwhile the workers continue to count.
 */
export class UsageKeeper {
  readonly #options: UsageKeeperOptions;
  readonly #deltas: UsageDeltas;
  readonly #hour: FunnelHour;
  readonly #clock: () => number;
  /** Unique to this process. */
  readonly #gateway = crypto.randomUUID();
  #sequence = 0;
  #batch: UsageBatch | undefined;
  /** The id of a reset whose outcome is unknown. */
  #resetId: string | undefined;
  #store: OpenUsageStore | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isFlushing = false;
  /** The log already says that the usage cannot be stored. */
  #isFailing = false;
  #isClosed = false;
  /** Settles after all earlier tasks are done. Tasks run one after another. */
  readonly #turns = new Turns();

  constructor(options: UsageKeeperOptions) {
    this.#options = options;
    const { zone, clock = Date.now } = options;
    this.#clock = clock;
    this.#deltas = new UsageDeltas(zone, clock);
    this.#hour = new FunnelHour(new Funnel(zone, SUPERVISOR_ROW), clock);
  }

  /** Starts the regular writes. Without it, usage is written only on request. */
  start(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => void this.#flushNow(), this.#options.flushMs ?? FLUSH_MS);
    this.#timer.unref();
    // The first write is immediate, so that a store that cannot be opened is reported at the start.
    void this.#flushNow();
  }

  /** Rejects with an Error whose message gives the reason. */
  read(): Promise<UsageReading> {
    return this.#turns.run(async () => {
      const totals = await this.#opened().read(this.#gateway);
      const batch = this.#batch;
      const waiting = batch !== undefined && totals.sequence < batch.sequence ? [batch] : [];
      return readingOf(totals, ...waiting, this.#deltas.look());
    });
  }

  /** The progress of requests on priced routes. Does not reject: without the store, the last hour can still be read. */
  async funnel(): Promise<FunnelReading> {
    const hour = this.#hour.read();
    try {
      const days = await this.#turns.run(async () => {
        await this.#flushAll();
        return daysOf(await this.#opened().funnel(Math.floor(this.#clock() / DAY_MS) - FUNNEL_DAYS + 1));
      });
      return { hour, days };
    } catch (error) {
      return { hour, days: [], reason: messageOf(error) };
    }
  }

  /** The stored hours. Rejects as `read` does. */
  hours(): Promise<readonly HourUse[]> {
    return this.#turns.run(() => this.#opened().hours());
  }

  /** Reads the counts and resets them. Every request is in exactly one reading. Rejects as `read` does. */
  readAndReset(): Promise<UsageReading> {
    return this.#turns.run(async () => {
      await this.#flushAll(true);
      this.#resetId ??= crypto.randomUUID();
      const totals = await this.#opened().reset(this.#resetId, this.#gateway);
      this.#resetId = undefined;
      return readingOf(totals);
    });
  }

  /** Writes the remaining usage, as far as the time allows. Call it after all workers have stopped counting. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    clearInterval(this.#timer);
    if (this.#timer !== undefined && this.#options.inMemory !== true) await this.#flushLast();
    this.#isClosed = true;
    await within(LAST_FLUSH_MS, this.#store?.close() ?? Promise.resolve());
  }

  async #flushLast(): Promise<void> {
    let reason: string | undefined = `not stored within ${LAST_FLUSH_MS} ms`;
    const last = this.#turns
      .run(() => this.#flushAll())
      .then(
        () => (reason = undefined),
        (error: unknown) => (reason = messageOf(error)),
      );
    await within(LAST_FLUSH_MS, last);
    if (reason !== undefined) this.#options.log(`Cannot store the usage: the last counts are lost: ${reason}`);
  }

  /** Writes the waiting batch, and then the usage since then. */
  async #flushAll(frees = false): Promise<void> {
    if (this.#batch !== undefined) await this.#send(this.#batch);
    await this.#flush(frees);
  }

  async #flushNow(): Promise<void> {
    this.#hour.note();
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    try {
      await this.#turns.run(() => this.#flush());
      if (this.#isFailing) this.#options.log("the usage is stored again, with the counts of the time between");
      this.#isFailing = false;
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#isFlushing = false;
    }
  }

  #failed(error: unknown): void {
    if (!this.#isFailing)
      this.#options.log(`Cannot store the usage: ${messageOf(error)}; counting continues in memory`);
    this.#isFailing = true;
  }

  /** Writes the waiting batch if there is one, or else the usage since the last batch. */
  async #flush(frees = false): Promise<void> {
    this.#opened();
    if (this.#batch === undefined) {
      const uses = this.#deltas.take(frees);
      if (uses.routes.length + uses.upstreams.length + uses.funnel.length === 0) return;
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
}
