import { channelOf } from "../../../../store/channels.ts";
import { type PaymentId } from "../../../../store/payment-ids.ts";

/** Milliseconds for which a payment waits for the process that has its response. @bound */
export const HANDOVER_MS = 600_000;

/**
 * Stands for a payment after the response has ended, for `ENDED_MS` milliseconds: less than the ledger keeps a released payment,
 * so that no later response has the same name. @bound
 */
export const ENDED = "ended";
export const ENDED_MS = 120_000;

/**
 * The place at which a process that gets a payment for a response of another process leaves the payment's nonce. Its owner looks
 * there while the response is paused. One payment can be there.
 */
export function handover(nonce: string, stream: string): PaymentId {
  return { payer: channelOf(nonce), id: `stream:${stream}` };
}
