import { describe } from "bun:test";
import { type Store } from "../store.ts";
import { testBookings } from "./bookings-contract.ts";
import { testForgetting } from "./forgetting-contract.ts";
import { testLedger } from "./ledger-contract.ts";
import { testLedgerView } from "./ledger-view-contract.ts";
import { testOutbox } from "./outbox-contract.ts";
import { testPaymentIds } from "./payment-ids-contract.ts";
import { testUsage } from "./usage-contract.ts";

/** Opens one database once more, as another process would, ready to be used. `now` is in milliseconds. */
export type OpenStore = (now: () => number) => Promise<Store>;

/** For tests alone: what every store must do. `newDatabase` makes an empty database for each test. */
export function testStore(name: string, newDatabase: () => Promise<OpenStore>): void {
  describe(name, () => {
    testLedger(newDatabase);
    testLedgerView(newDatabase);
    testOutbox(newDatabase);
    testForgetting(newDatabase);
    testPaymentIds(newDatabase);
    testBookings(newDatabase);
    testUsage(newDatabase);
  });
}
