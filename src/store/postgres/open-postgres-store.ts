import { type Store } from "../store.ts";
import { PostgresBookings } from "./bookings.ts";
import { Database } from "./database.ts";
import { PostgresLedger } from "./ledger.ts";
import { PostgresLedgerView } from "./ledger-view.ts";
import { PostgresOutbox } from "./outbox.ts";
import { PostgresPaymentIds } from "./payment-ids.ts";
import { type PoolSettings } from "./pool.ts";

/**
 * Opens the store in a PostgreSQL database, 12 or later, that any number of gateways share. It connects when it is first
 * needed, or asked whether it is ready. `now`, in milliseconds, stands in for the database's clock in tests.
 */
export function openPostgresStore(settings: PoolSettings, now?: () => number): Store {
  const database = new Database(settings, now);
  const ledger = new PostgresLedger(database);
  return {
    ledger,
    view: new PostgresLedgerView(database),
    outbox: new PostgresOutbox(database),
    paymentIds: new PostgresPaymentIds(database),
    bookings: new PostgresBookings(database),
    ready: () => database.ready(),
    forget: (before, limit) => ledger.forget(before, limit),
    async close() {
      await ledger.close();
      await database.close();
    },
  };
}
