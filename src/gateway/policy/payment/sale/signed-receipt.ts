import { type Receipt } from "../../../../payments/x402/messages.ts";
import { type Channel } from "../../../../store/channels.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { type PaidRoute } from "../route/paid-route.ts";
import { type Paid, receiptOf } from "../protocol/receipt.ts";

/** The receipt of a settled payment for a request, signed if the configuration says so. */
export function signedReceipt(
  { target, signer, accepts }: PaidRoute,
  exchange: Exchange,
  paid: Paid,
  channel?: Channel,
): Receipt {
  const receipt = receiptOf(target, paid, channel);
  const url = signer && accepts.current()?.urlOf(exchange.head);
  return url === undefined || signer === undefined ? receipt : signer.receipt(receipt, url);
}
