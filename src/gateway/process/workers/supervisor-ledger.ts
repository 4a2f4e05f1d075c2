import { existsSync } from "node:fs";
import { openConfiguredStore } from "../../../store/open/configured-store.ts";
import { type LedgerView } from "../../../store/ledger-view.ts";
import type * as LedgerViews from "../../../store/open/open-ledger-view.ts";
import { type Store } from "../../../store/store.ts";
import { type Config } from "../../config/config.ts";

/** Loaded when the ledger is read (bench start). */
const ledgerViews = (): typeof LedgerViews => require("../../../store/open/open-ledger-view.ts");

/** The ledger of the workers, for the supervisor, which opens it when an operator first queries it or refunds are sent. */
export class SupervisorLedger {
  readonly #storePath: string;
  #opened: { readonly view: LedgerView; close(): Promise<void> } | undefined;
  #store: Store | undefined;

  constructor(storePath: string) {
    this.#storePath = storePath;
  }

  /** Undefined if no route is paid or the ledger is in memory. Throws if the ledger cannot be opened. */
  view(config: Config): LedgerView | undefined {
    if (this.#store !== undefined) return this.#store.view;
    if (!this.#exists(config)) return undefined;
    if (isShared(config)) return this.store(config)?.view;
    this.#opened ??= ledgerViews().openLedgerView(this.#storePath);
    return this.#opened.view;
  }

  /** The same, to write to it. */
  store(config: Config): Store | undefined {
    if (this.#store === undefined && this.#exists(config)) {
      // The workers create it. A new one in place of a deleted one would accept spent payments again.
      if (!isShared(config) && !existsSync(this.#storePath))
        throw new Error(`Cannot open the ledger "${this.#storePath}": there is no such file`);
      this.#store = openConfiguredStore(config.postgres, this.#storePath);
    }
    return this.#store;
  }

  async close(): Promise<void> {
    await this.#opened?.close();
    await this.#store?.close();
    this.#opened = this.#store = undefined;
  }

  #exists(config: Config): boolean {
    const isPaid = config.x402.credit !== undefined || config.routes.some(({ x402 }) => x402 !== undefined);
    return isPaid && (isShared(config) || this.#storePath !== ":memory:");
  }
}

function isShared({ postgres }: Config): boolean {
  return (postgres.url ?? "") !== "";
}
