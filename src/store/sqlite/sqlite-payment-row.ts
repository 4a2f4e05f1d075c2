import { type Payment, type PaymentKey } from "../ledger.ts";

/** Values of a statement, by parameter name. */
export type Bindings = Record<string, string | number | null>;

/** The columns of `PaymentRow`, for SELECT and RETURNING. */
export const PAYMENT = `network, asset, payer_from AS "from", nonce, token, scheme, state, attempt, amount, pay_to AS payTo, route,
  consumer, fingerprint, valid_before AS validBefore, payload, tx AS "transaction", reason, payer, facilitator, delivered, cuts, partials,
  repeats, body_digest AS bodyDigest, refunded, created_at AS createdAt, updated_at AS updatedAt`;

/** A row of the table `payments`. SQLite has no booleans. */
export type PaymentRow = Omit<Payment, "delivered"> & { readonly delivered: number };

/** Converts a row to a payment. */
export function toPayment(row: PaymentRow): Payment {
  return { ...row, delivered: row.delivered === 1 };
}

/** The parameters of a payment's key. */
export function keyOf({ network, asset, from, nonce }: PaymentKey): Bindings {
  return { $network: network, $asset: asset, $from: from, $nonce: nonce };
}
