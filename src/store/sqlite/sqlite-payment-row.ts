import { type Payment, type PaymentKey } from "../ledger.ts";

/** The columns of `PaymentRow`, for SELECT and RETURNING. */
export const PAYMENT = `network, asset, payer_from AS "from", nonce, token, scheme, state, attempt, amount, pay_to AS payTo, route,
  consumer, fingerprint, valid_before AS validBefore, payload, tx AS "transaction", reason, payer, facilitator, delivered, cuts, partials,
  repeats, body_digest AS bodyDigest, refunded, deferral, created_at AS createdAt, updated_at AS updatedAt`;

/** SQL that selects the row of a `PaymentKey`. */
export const OF_KEY = "network = $network AND asset = $asset AND payer_from = $from AND nonce = $nonce";

/** A row of the table `payments`. SQLite has no booleans. */
export type PaymentRow = Omit<Payment, "delivered"> & { readonly delivered: number };

/** Converts a row to a payment. */
export function toPayment(row: PaymentRow): Payment {
  return { ...row, delivered: row.delivered === 1 };
}

/** The key of a payment, without its other properties. */
export function keyOf({ network, asset, from, nonce }: PaymentKey): PaymentKey {
  return { network, asset, from, nonce };
}
