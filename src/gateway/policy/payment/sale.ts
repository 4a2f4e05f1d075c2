import { type Facilitator } from "../../../payments/facilitator/facilitator.ts";
import { type SettlementTarget } from "../../../payments/settlement/settlement-record.ts";
import { type Ledger } from "../../../store/ledger.ts";
import { type PaymentIds } from "../../../store/payment-ids.ts";
import { type Answers } from "./answers/answers.ts";
import { type Offers } from "./challenge/offers.ts";

/** What a route sells, and with whose help: made once, shared by all its requests. */
export interface Sale {
  readonly route: string;
  readonly offers: Offers;
  /** When the money moves: once the upstream's answer is there, or before the upstream is asked. */
  readonly settle: "after" | "before";
  readonly inlineReceipt: boolean;
  /** Answers to one payment that may go out in part before the upstream is not run for it again. */
  readonly maxPartials: number;
  /** The upstream is trusted to charge for failures, which are free otherwise. */
  readonly chargesFailures: boolean;
  /** Every payment must have an id of the client's. */
  readonly requiresId: boolean;
  /** Where settlements are reported. */
  readonly target: SettlementTarget;
  readonly ledger: Ledger;
  readonly paymentIds: PaymentIds;
  readonly facilitator: Facilitator;
  readonly answers: Answers;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly log: (message: string) => void;
}
