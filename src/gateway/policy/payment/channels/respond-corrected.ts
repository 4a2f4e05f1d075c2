import { isDeniable } from "../../../../payments/channels/due.ts";
import { type Reason } from "../../../../payments/x402/reasons.ts";
import { type Channel } from "../../../../store/channels.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { channelStateOf } from "../protocol/receipt.ts";
import { type PaidRoute } from "../route/paid-route.ts";
import { respondRefused } from "../route/refusals.ts";
import { type ChannelOffer } from "./channel-offer.ts";

/**
 * Sends the requirements again, with the state of the channel, and the client's own newest voucher as proof. Without a
 * voucher, clients ask the chain. Clients cannot check the signature of a contract, and need none if the chain has all.
 */
export function respondCorrected(
  paidRoute: PaidRoute,
  exchange: Exchange,
  { offer, channel, error }: { readonly offer: ChannelOffer; readonly channel: Channel; readonly error: Reason },
): void {
  const { agreed } = offer;
  const { signed, signature, base, claimed } = channel;
  const challenge = paidRoute.accepts.current();
  if (challenge === undefined) {
    respondRefused(exchange, paidRoute, error);
    return;
  }
  const needsProof = signature !== "" && !(isDeniable(channel) && base === claimed);
  const proof = needsProof ? { voucherState: { signedMaxClaimable: signed, signature } } : {};
  const extra = { ...agreed.extra, channelState: channelStateOf(channel), ...proof };
  challenge.respondCorrected(exchange, error, { ...agreed, extra });
}
