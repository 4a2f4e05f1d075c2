import { type Account } from "../../signatures/signature.ts";
import { sameAddress } from "../../x402/address.ts";
import { BATCH_SETTLEMENT } from "../../x402/channel-messages.ts";
import { decodeHeader, encodeHeader } from "../../x402/header.ts";
import {
  PAYMENT_REQUIRED,
  PAYMENT_SIGNATURE,
  type PaymentRequired,
  paymentRequiredSchema,
  type PaymentRequirements,
  receiptSchema,
} from "../../x402/messages.ts";
import { PaymentDeclined } from "../choice.ts";
import { readChallenge } from "../read-challenge.ts";
import { receiptField } from "../send-paid.ts";
import { type Channel } from "./channel-file.ts";
import { channelTermsOf } from "./channel-terms.ts";
import { channelPayment, type Channels, type Hold } from "./channels.ts";
import { isCorrective, resynchronised } from "./resynchronise.ts";
import { signVoucher } from "./sign-channel.ts";

export interface Refunded {
  /** Atomic units. */
  readonly amount: string;
  readonly transaction: string;
}

interface RefundRequest {
  readonly channels: Channels;
  readonly account: Account;
  readonly send: (url: string, init: RequestInit) => Promise<Response>;
}

/**
 * Asks the server of the channel `id` to pay back all that is not charged. Throws PaymentDeclined if the server refuses. After
 * that, the wallet can withdraw from the chain.
 */
export async function refundChannel(id: string, request: RefundRequest): Promise<Refunded> {
  const { channels } = request;
  const hold = channels.hold(id);
  try {
    const { url, method } = hold.channel;
    const price = await request.send(url, { method });
    if (price.status !== 402) {
      await price.body?.cancel();
      throw new PaymentDeclined(`Cannot get a refund: ${url} responds with ${price.status}, and asks for no payment`);
    }
    const { required } = await readChallenge(price, url);
    const accepted = required.accepts.find((accept) => isOf(hold.channel, accept));
    if (accepted === undefined)
      throw new PaymentDeclined(`Cannot get a refund: ${url} no longer sells from this channel`);
    return await ask(request, hold, { required, accepted, isLast: false });
  } finally {
    channels.release(hold);
  }
}

interface Asked {
  readonly required: PaymentRequired;
  readonly accepted: PaymentRequirements;
  readonly isLast: boolean;
}

async function ask(request: RefundRequest, { channel, key }: Hold, asked: Asked): Promise<Refunded> {
  const { channels, account, send } = request;
  const { required, accepted, isLast } = asked;
  const { url, method, config, network, id, charged, balance } = channel;
  const payload = { type: "refund", channelConfig: config, voucher: signVoucher(network, id, charged, account) };
  const header = encodeHeader(channelPayment({ payload }, required, accepted));
  const response = await send(url, { method, headers: { [PAYMENT_SIGNATURE]: header }, redirect: "manual" });
  await response.body?.cancel();
  const receipt = receiptSchema.safeParse(decodeHeader(receiptField(response) ?? "")).data;
  if (receipt?.success === true) {
    channels.change({ channel, key }, (now) => ({ ...now, balance: now.charged, open: "0" }));
    return { amount: (BigInt(balance) - BigInt(charged)).toString(), transaction: receipt.transaction };
  }
  const told = paymentRequiredSchema.safeParse(decodeHeader(response.headers.get(PAYMENT_REQUIRED) ?? "")).data;
  if (told !== undefined && isCorrective(told) && !isLast) {
    const adopted = resynchronised({ channel, sent: BigInt(charged) }, told, accepted, account);
    if ("fault" in adopted) throw new PaymentDeclined(`Cannot get a refund: ${adopted.fault}`);
    const corrected = channels.change({ channel, key }, ({ busy }) => ({ ...adopted, busy }));
    return await ask(request, { channel: corrected, key }, { ...asked, isLast: true });
  }
  const reason = receipt?.errorReason ?? told?.error ?? `status ${response.status}`;
  throw new PaymentDeclined(`Cannot get a refund: the server refuses (${reason.slice(0, 100)})`);
}

/** True if a payment by these requirements can come from the channel. */
function isOf({ config, network }: Channel, requirements: PaymentRequirements): boolean {
  const terms = channelTermsOf(requirements);
  return (
    typeof terms === "object" &&
    requirements.scheme === BATCH_SETTLEMENT &&
    requirements.network === network &&
    sameAddress(config.token, terms.token) &&
    sameAddress(config.receiver, terms.receiver) &&
    sameAddress(config.receiverAuthorizer, terms.receiverAuthorizer) &&
    config.withdrawDelay === terms.withdrawDelay
  );
}
