import { type Facilitator } from "../../../payments/facilitator.ts";
import { encodeHeader } from "../../../payments/header.ts";
import { type PaymentRequirements, type Receipt } from "../../../payments/messages.ts";
import { type Ledger } from "../../../store/ledger.ts";
import { type Answers } from "./answers.ts";
import { type Challenge } from "./challenge.ts";

/** What a route sells, and with whose help: compiled once, shared by all its requests. */
export interface Sale {
  readonly route: string;
  readonly challenge: Challenge;
  readonly requirements: PaymentRequirements;
  readonly testMode: boolean;
  readonly ledger: Ledger;
  readonly facilitator: Facilitator;
  readonly answers: Answers;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly log: (message: string) => void;
}

/** The PAYMENT-RESPONSE of a settled payment. */
export function receiptOf(sale: Sale, transaction: string, payer: string): string {
  const receipt: Receipt = { success: true, transaction, network: sale.requirements.network, payer };
  return encodeHeader(sale.testMode ? { ...receipt, extra: { testMode: true } } : receipt);
}

/** The PAYMENT-RESPONSE of a settlement that was refused. */
export function refusalOf(sale: Sale, reason: string, payer: string): string {
  const receipt: Receipt = {
    success: false,
    errorReason: reason,
    transaction: "",
    network: sale.requirements.network,
    payer,
  };
  return encodeHeader(receipt);
}
