import { type Bookings } from "./bookings.ts";
import { type Ledger } from "./ledger.ts";
import { type LedgerView } from "./ledger-view.ts";
import { type Outbox } from "./outbox.ts";
import { type PaymentIds } from "./payment-ids.ts";
import { type UsageStore } from "./usage-store.ts";

/** Everything that outlives a process. One database, whose parts are written together or not at all. */
export interface Store {
  readonly ledger: Ledger;
  readonly view: LedgerView;
  readonly outbox: Outbox;
  readonly paymentIds: PaymentIds;
  /** Test mode's chain. */
  readonly bookings: Bookings;
  readonly usage: UsageStore;
  /** Resolves once the database is there and its schema is this program's; rejects where that cannot be. */
  ready(): Promise<void>;
  /**
   * Removes payments that were last changed before `before` (Unix milliseconds) and are settled or failed for good, `limit`
   * at most. How many it removed. What is open stays, however old it is.
   */
  forget(before: number, limit: number): Promise<number>;
  close(): Promise<void>;
}
