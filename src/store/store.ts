import { type Channels } from "./channels.ts";
import { type Credits } from "./credits.ts";
import { type SimulatedTransfers } from "./simulated-transfers.ts";
import { type KeptResponses } from "./kept-responses.ts";
import { type Ledger } from "./ledger.ts";
import { type LedgerView } from "./ledger-view.ts";
import { type Outbox } from "./outbox.ts";
import { type PaymentIds } from "./payment-ids.ts";
import { type CreditRefunds } from "./credit-refunds.ts";
import { type UsageStore } from "./usage-store.ts";

/** All data that outlives a process, in one database. Related parts are written in one transaction. */
export interface Store {
  readonly ledger: Ledger;
  readonly view: LedgerView;
  readonly outbox: Outbox;
  readonly refunds: CreditRefunds;
  readonly paymentIds: PaymentIds;
  readonly credits: Credits;
  readonly channels: Channels;
  readonly simulatedTransfers: SimulatedTransfers;
  readonly usage: UsageStore;
  /** Undefined: the store belongs to one machine, or keeps no responses. */
  readonly responses: KeptResponses | undefined;
  /** Resolves once the database is reachable and has the schema of this program. Rejects if that fails. */
  ready(): Promise<void>;
  /**
   * Removes at most `limit` payments that are settled or failed and were last changed before `before` (Unix
   * milliseconds). Returns how many were removed. Open payments stay, however old they are.
   */
  forget(before: number, limit: number): Promise<number>;
  close(): Promise<void>;
}
