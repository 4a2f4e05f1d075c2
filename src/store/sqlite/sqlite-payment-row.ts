import { type Payment, type PaymentKey, type PaymentState } from "../ledger.ts";

/** Values of a statement, by parameter name. */
export type Bindings = Record<string, string | number | null>;

/** A row of the table `payments`. */
export interface PaymentRow {
  network: string;
  asset: string;
  payer_from: string;
  nonce: string;
  state: PaymentState;
  attempt: number;
  owner: string;
  held_until: number;
  token: string;
  scheme: string;
  amount: string;
  pay_to: string;
  route: string;
  consumer: string;
  fingerprint: string;
  valid_before: number;
  payload: string;
  tx: string;
  reason: string;
  payer: string;
  delivered: number;
  cuts: number;
  partials: number;
  repeats: number;
  body_digest: string;
  created_at: number;
  updated_at: number;
}

/** Converts a row to a payment. */
export function toPayment(row: PaymentRow): Payment {
  return {
    network: row.network,
    asset: row.asset,
    from: row.payer_from,
    nonce: row.nonce,
    token: row.token,
    scheme: row.scheme,
    state: row.state,
    attempt: row.attempt,
    amount: row.amount,
    payTo: row.pay_to,
    route: row.route,
    consumer: row.consumer,
    fingerprint: row.fingerprint,
    validBefore: row.valid_before,
    payload: row.payload,
    transaction: row.tx,
    reason: row.reason,
    payer: row.payer,
    delivered: row.delivered === 1,
    cuts: row.cuts,
    partials: row.partials,
    repeats: row.repeats,
    bodyDigest: row.body_digest,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The parameters of a payment's key. */
export function keyOf({ network, asset, from, nonce }: PaymentKey): Bindings {
  return { $network: network, $asset: asset, $from: from, $nonce: nonce };
}
