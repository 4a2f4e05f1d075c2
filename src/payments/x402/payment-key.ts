import { createHash } from "node:crypto";
import { isObject } from "../../lib/is-object.ts";
import { type PaymentKey } from "../../store/ledger.ts";
import { decodeTransaction } from "../solana/transaction.ts";
import { canonicalAddress } from "./address.ts";
import {
  isEvmPayment,
  isSolanaPayment,
  type PaymentPayload,
  type PaymentRequirements,
  type SolanaPayment,
} from "./messages.ts";
import { transferOf } from "./transfer.ts";

/**
 * Seconds from its first use for which a payment without a time of its own is kept at least. A transaction of Solana can be
 * executed for 150 slots, about a minute.
 */
const KEPT_S = 300;

/**
 * A payment's key in the ledger: of what is signed, not of the header, which can encode a payment in many ways (decision
 * 0820).
 */
export function paymentKey(payment: PaymentPayload, requirements: PaymentRequirements): PaymentKey {
  const { network, asset } = requirements;
  if (isEvmPayment(payment)) {
    const { contract, from, nonce } = transferOf(payment, requirements);
    return { network, asset: contract.toLowerCase(), from: from.toLowerCase(), nonce: nonce.toLowerCase() };
  }
  const key = { network, asset: canonicalAddress(asset), from: payerIn(payment) };
  if (isSolanaPayment(payment)) return { ...key, nonce: `0x${transactionOf(payment).digest}` };
  return {
    ...key,
    nonce: `0x${createHash("sha256")
      .update(JSON.stringify(sorted(payment.payload)))
      .digest("hex")}`,
  };
}

/** The account that pays by the payment itself. Empty if only a facilitator can say it. */
export function payerIn(payment: PaymentPayload): string {
  if (isEvmPayment(payment)) {
    const { payload } = payment;
    return "authorization" in payload ? payload.authorization.from : payload.permit2Authorization.from;
  }
  // The first signer pays the fee, and every payment has one other.
  return isSolanaPayment(payment) ? (transactionOf(payment).keys[1] ?? "") : "";
}

/** Unix seconds until which a payment can be used, at the time `now` (Unix seconds). */
export function validUntil(payment: PaymentPayload, requirements: PaymentRequirements, now: number): number {
  if (!isEvmPayment(payment)) return Math.floor(now) + Math.max(requirements.maxTimeoutSeconds, KEPT_S);
  // The number loses precision only for terms that are rejected. In that case only existing work is looked up.
  return Math.min(Number(transferOf(payment, requirements).validBefore), Number.MAX_SAFE_INTEGER);
}

const transactions = new WeakMap<SolanaPayment["payload"], ReturnType<typeof transactionOf>>();

/** The transaction of a payment, which must not be changed afterwards. */
export function transactionOf({ payload }: SolanaPayment): NonNullable<ReturnType<typeof decodeTransaction>> {
  const known = transactions.get(payload);
  if (known !== undefined) return known;
  const transaction = decodeTransaction(payload.transaction);
  if (transaction === undefined) throw new Error("Cannot read a payment: its transaction was not checked");
  transactions.set(payload, transaction);
  return transaction;
}

/** The value with the members of all objects in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, sorted(value[key])]),
  );
}
