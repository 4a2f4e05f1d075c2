import { LateWrites } from "../../../../store/late-writes.ts";
import { type Store } from "../../../../store/store.ts";
import { LedgerWatch } from "./ledger-watch.ts";
import { type MaintenanceDeps, type MaintenanceSettings, PaymentMaintenance } from "./payment-maintenance.ts";

interface LedgerUpkeepDeps extends Pick<MaintenanceDeps, "counts" | "log" | "onEvent"> {
  /** The open store of the process; undefined if no configuration has needed it yet. */
  readonly store: () => Store | undefined;
}

/** The ledger's part of a process, which outlives configurations: its watch, its late writes and its maintenance. */
export class LedgerUpkeep {
  readonly watch: LedgerWatch;
  readonly lateWrites: LateWrites;
  readonly #deps: LedgerUpkeepDeps;
  #maintenance: PaymentMaintenance | undefined;
  #isClosed = false;

  constructor(deps: LedgerUpkeepDeps) {
    this.#deps = deps;
    this.watch = new LedgerWatch(deps.counts, deps.onEvent, deps.log);
    this.lateWrites = new LateWrites(deps.log);
  }

  /** Starts the maintenance of the ledger, if the store is open, or gives it the settings that are served now. */
  use(settings: MaintenanceSettings): void {
    const store = this.#deps.store();
    if (this.#maintenance !== undefined) this.#maintenance.use(settings);
    else if (store !== undefined && !this.#isClosed) {
      const deps = { ...this.#deps, store, clock: Date.now, random: Math.random, watch: this.watch };
      this.#maintenance = new PaymentMaintenance(deps, settings);
      this.#maintenance.start();
    }
  }

  /** Looks at once for charges that are due. */
  readonly collect = (): void => this.#maintenance?.collect();

  /** Ends the maintenance, which can use `graceMs`. Resolves when the store may be closed, but for late writes. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    await this.#maintenance?.close(graceMs);
  }
}
