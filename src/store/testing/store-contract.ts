import { describe } from "bun:test";
import { type Store } from "../store.ts";
import { testSimulatedTransfers } from "./simulated-transfers-contract.ts";
import { testChannels } from "./channels-contract.ts";
import { testCreditRefunds } from "./credit-refunds-contract.ts";
import { testCredits } from "./credits-contract.ts";
import { testDeferrals } from "./deferrals-contract.ts";
import { testForgetting } from "./forgetting-contract.ts";
import { testLedger } from "./ledger-contract.ts";
import { testLedgerView } from "./ledger-view-contract.ts";
import { testOutbox } from "./outbox-contract.ts";
import { testPaymentIds } from "./payment-ids-contract.ts";
import { testRefunds } from "./refunds-contract.ts";
import { testUsage } from "./usage-contract.ts";

/** Opens one database again, as another process would, ready for use. `now` gives Unix milliseconds. */
export type OpenStore = (now: () => number) => Promise<Store>;

/** For tests only: behaviour that every store must have. `newDatabase` creates an empty database for each test. */
export function testStore(name: string, newDatabase: () => Promise<OpenStore>): void {
  describe(name, () => {
    testLedger(newDatabase);
    testLedgerView(newDatabase);
    testOutbox(newDatabase);
    testForgetting(newDatabase);
    testPaymentIds(newDatabase);
    testSimulatedTransfers(newDatabase);
    testRefunds(newDatabase);
    testCreditRefunds(newDatabase);
    testUsage(newDatabase);
    testCredits(newDatabase);
    testChannels(newDatabase);
    testDeferrals(newDatabase);
  });
}
