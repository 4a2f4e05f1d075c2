import { openConfiguredStore } from "../../../store/open/configured-store.ts";
import { type LedgerView } from "../../../store/ledger-view.ts";
import type * as LedgerViews from "../../../store/open/open-ledger-view.ts";
import { type Config } from "../../config/config.ts";

/** Loaded when the ledger is read (bench start). */
const ledgerViews = (): typeof LedgerViews => require("../../../store/open/open-ledger-view.ts");

/** The ledger of the workers, for the supervisor, which opens it when an operator first queries it. */
export class SupervisorLedger {
  readonly #storePath: string;
  #opened: { readonly view: LedgerView; close(): Promise<void> } | undefined;

  constructor(storePath: string) {
    this.#storePath = storePath;
  }

  /** Undefined if no route is paid or the ledger is in memory. Throws if the ledger cannot be opened. */
  view({ routes, postgres }: Config): LedgerView | undefined {
    if (this.#opened === undefined) {
      if (routes.every(({ x402 }) => x402 === undefined) || this.#storePath === ":memory:") return undefined;
      this.#opened =
        (postgres.url ?? "") === ""
          ? ledgerViews().openLedgerView(this.#storePath)
          : openConfiguredStore(postgres, this.#storePath);
    }
    return this.#opened.view;
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.close();
  }
}
