import { fieldLine, type Fields } from "../../../../lib/http/fields.ts";
import { encodeHeader } from "../../../../payments/x402/header.ts";
import { PAYMENT_RESPONSE, type Receipt } from "../../../../payments/x402/messages.ts";
import { type SettlementTarget } from "../../../../payments/settlement/settlement-record.ts";
import { v1Receipt, X_PAYMENT_RESPONSE } from "../../../../payments/x402/v1.ts";
import { PAYMENT_RECEIPT, writeReceipt } from "../../../../payments/mpp/receipt.ts";
import { baseOf, type Channel, CHANNEL_SCHEME, channelOf } from "../../../../store/channels.ts";
import { CREDIT_SCHEME } from "../../../../store/credits.ts";
import { type Payment } from "../../../../store/ledger.ts";

/** The fields of a payment that its receipt shows. */
export type Paid = Pick<Payment, "network" | "scheme" | "amount" | "transaction" | "payer" | "nonce">;

/**
 * The receipt of a settled payment; with `upto` and with prepaid credit it has the amount that was charged. `channel`: the
 * channel that paid, if it is known.
 */
export function receiptOf(target: SettlementTarget, paid: Paid, channel?: Channel): Receipt {
  const { network, scheme, amount, transaction, payer } = paid;
  const extra = {
    ...(target.testMode ? { testMode: true } : {}),
    ...(target.gateway_id === "" ? {} : { gatewayId: target.gateway_id }),
    ...(scheme === CHANNEL_SCHEME ? channelReceipt(paid, channel) : {}),
  };
  return {
    success: true,
    transaction,
    network,
    payer,
    ...(scheme === "upto" || scheme === CREDIT_SCHEME ? { amount } : {}),
    ...(scheme === CHANNEL_SCHEME ? { amount: "" } : {}),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** The charge, and the sum of all charges to the channel, from which its client counts on. */
function channelReceipt({ amount, nonce }: Paid, channel: Channel | undefined): object {
  const chargedCumulativeAmount = String(BigInt(baseOf(nonce)) + BigInt(amount));
  const state = channel === undefined ? { channelId: channelOf(nonce) } : channelStateOf(channel);
  return { chargedAmount: amount, channelState: { ...state, chargedCumulativeAmount } };
}

/** A channel in messages to its client. */
export function channelStateOf({ id, balance, claimed, withdrawAt, refundNonce, base }: Channel) {
  return {
    channelId: id,
    balance,
    totalClaimed: claimed,
    withdrawRequestedAt: withdrawAt,
    refundNonce,
    chargedCumulativeAmount: base,
  };
}

/** The receipt of a settlement that was rejected. */
export function refusalOf({ network, from }: Pick<Payment, "network" | "from">, reason: string): Receipt {
  return { success: false, errorReason: reason, transaction: "", network, payer: from };
}

export interface PaymentForm {
  /** The x402 version that the client uses, or the `Payment` scheme. */
  readonly version: 1 | 2 | "mpp";
  /** For the `Payment` scheme: the challenge that the client has paid. */
  readonly challengeId?: string;
}

/**
 * The receipt as field lines. A client of version 1 also gets it under the name that version 1 uses. The `Payment` scheme has
 * receipts of success only. `at`:
 * Unix milliseconds of the settlement.
 */
export function receiptFields(receipt: Receipt, { version, challengeId = "" }: PaymentForm, at = 0): Fields {
  if (version === "mpp") {
    const { success, network, transaction } = receipt;
    return success ? fieldLine(PAYMENT_RECEIPT, writeReceipt({ network, transaction, challengeId, at })) : "";
  }
  const fields = fieldLine(PAYMENT_RESPONSE, encodeHeader(receipt));
  return version === 2 ? fields : fields + fieldLine(X_PAYMENT_RESPONSE, encodeHeader(v1Receipt(receipt)));
}
