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

const CONTRACTS = {
  ledger: testLedger,
  view: testLedgerView,
  outbox: testOutbox,
  forgetting: testForgetting,
  paymentIds: testPaymentIds,
  simulatedTransfers: testSimulatedTransfers,
  refunds: testRefunds,
  creditRefunds: testCreditRefunds,
  usage: testUsage,
  credits: testCredits,
  channels: testChannels,
  deferrals: testDeferrals,
};

export type PartOfStore = keyof typeof CONTRACTS;

/** Parts whose contracts run in test files of their modules. The others run in that of the whole store. */
const WITH_OWN_FILES = new Set<PartOfStore>([
  "ledger",
  "deferrals",
  "forgetting",
  "view",
  "credits",
  "creditRefunds",
  "channels",
  "usage",
  "refunds",
]);
export const OTHER_PARTS = (Object.keys(CONTRACTS) as PartOfStore[]).filter((part) => !WITH_OWN_FILES.has(part)); // its own keys

/** For tests only: behaviour that every store must have. `newDatabase` creates an empty database for each test. */
export function testStore(
  name: string,
  newDatabase: () => Promise<OpenStore>,
  parts: readonly PartOfStore[] = OTHER_PARTS,
): void {
  describe(name, () => {
    for (const part of parts) CONTRACTS[part](newDatabase);
  });
}
