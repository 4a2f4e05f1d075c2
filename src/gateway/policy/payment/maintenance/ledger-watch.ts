import { Outage } from "../../../../lib/time/outage.ts";
import { type Store } from "../../../../store/store.ts";
import { type OnEvent } from "../../../telemetry/event.ts";
import { type Counts } from "../../../telemetry/metrics/counts.ts";

/**
 * Milliseconds after a failed write in which another write proves nothing: a full disk of PostgreSQL has room for some rows.
 */
const UNPROVEN_MS = 10_000;
/** No payer has this address, and no client can send this id. */
const TRIAL_ID = { payer: "", id: "trial" };

/**
 * Whether a process can read and write its ledger, for the metrics. Reports once that it cannot, and once that it can
 * again. A full disk refuses writes while reads succeed.
 */
export class LedgerWatch {
  readonly #counts: Pick<Counts, "set">;
  readonly #onEvent: OnEvent;
  readonly #log: (line: string) => void;
  readonly #now: () => number;
  readonly #outage: Outage;
  #cannotRead = false;
  /** The time of the last failed write since which the ledger counts as one that cannot be changed. */
  #writeFailed: number | undefined;
  #away = false;

  /** `now` returns monotonic milliseconds. */
  constructor(
    counts: Pick<Counts, "set">,
    onEvent: OnEvent,
    log: (line: string) => void,
    now: () => number = () => performance.now(),
  ) {
    this.#counts = counts;
    this.#onEvent = onEvent;
    this.#log = log;
    this.#now = now;
    this.#outage = new Outage(now);
  }

  /** The ledger was read, or could not be read. */
  read(succeeded: boolean): void {
    this.#cannotRead = !succeeded;
    this.#tell(succeeded);
  }

  /** The ledger was changed, or could not be changed. A write that changed no row proves nothing. */
  wrote(succeeded: boolean): void {
    const isUnproven = this.#writeFailed !== undefined && this.#now() - this.#writeFailed < UNPROVEN_MS;
    if (!succeeded) this.#writeFailed = this.#now();
    else if (!isUnproven) this.#writeFailed = undefined;
    this.#tell(succeeded);
  }

  /** Resolves to the result of `write`, and notes whether it failed. `changed`: the result is that of a changed row. */
  async writing<T>(write: Promise<T>, changed: (result: T) => boolean): Promise<T> {
    try {
      const result = await write;
      if (changed(result)) this.wrote(true);
      return result;
    } catch (error) {
      this.wrote(false);
      throw error;
    }
  }

  /** After a failed write, tries another one, because there may be no payments. Never rejects. */
  async tryAgain({ paymentIds }: Pick<Store, "paymentIds">, now: number): Promise<void> {
    if (this.#writeFailed === undefined) return;
    try {
      await paymentIds.tie(TRIAL_ID, "", now);
      await paymentIds.untie(TRIAL_ID, "");
      this.wrote(true);
    } catch {
      this.wrote(false);
    }
  }

  #tell(succeeded: boolean): void {
    if (!succeeded) this.#outage.failed();
    const away = this.#cannotRead || this.#writeFailed !== undefined;
    this.#counts.set("ledgerAway", away ? 1 : 0);
    if (away === this.#away) return;
    this.#away = away;
    const trouble = "the ledger cannot be read or written: payments get 503 until it can";
    this.#log(`payment: ${away ? trouble : `the ledger works again ${this.#outage.ended() ?? ""}`}`);
    const message = away ? trouble : "the ledger can be read and written again";
    this.#onEvent({ kind: "payment", message, details: { ledger: away ? "away" : "back" } });
  }
}
