import { chainId } from "../x402/networks.ts";
import { encodeJson } from "./canonical-json.ts";
import { EVM } from "./evm-charge.ts";

/** The field with the receipt of a payment. */
export const PAYMENT_RECEIPT = "Payment-Receipt";

/** The facts that a receipt has. `at`: Unix milliseconds. */
export interface ReceiptFacts {
  readonly network: string;
  readonly transaction: string;
  readonly challengeId: string;
  readonly at: number;
}

/** The receipt of a charge. Only successful responses have one. */
function receiptMembers({ network, transaction, challengeId, at }: ReceiptFacts) {
  return {
    status: "success",
    method: EVM,
    timestamp: new Date(at).toISOString(),
    reference: transaction,
    challengeId,
    chainId: Number(chainId(network)),
  } as const;
}

/** The receipt as a value of Payment-Receipt. */
export function writeReceipt(facts: ReceiptFacts): string {
  return encodeJson(receiptMembers(facts));
}
