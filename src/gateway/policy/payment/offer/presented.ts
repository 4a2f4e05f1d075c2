import { TurnpikeError } from "../../../../lib/errors.ts";
import { type Fields, fieldValues } from "../../../../lib/http/fields.ts";
import { contradictionIn } from "../../../../payments/x402/contradiction.ts";
import { type ChannelPayment, channelPaymentSchema } from "../../../../payments/x402/channel-messages.ts";
import { decodeHeader, MAX_HEADER_LENGTH } from "../../../../payments/x402/header.ts";
import { type PaymentPayload, paymentPayloadSchema } from "../../../../payments/x402/messages.ts";
import { payerIn } from "../../../../payments/x402/payment-key.ts";
import { type V1Payment, v1PaymentSchema } from "../../../../payments/x402/v1.ts";
import { isObject } from "../../../../lib/is-object.ts";
import { CHANNEL_SCHEME } from "../../../../store/channels.ts";
import { paymentError } from "../protocol/respond.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { type Problem } from "../../../../payments/mpp/problems.ts";
import { type PaymentAuth } from "../mpp/payment-auth.ts";
import { type PresentedCredential, readPresentedCredential } from "../mpp/presented-credential.ts";

const TWO_PROTOCOLS = unreadable("there must be one, by x402 or in Authorization");
const NOT_PRIVATE = unreadable("a credential in Authorization must be sent over HTTPS");
const NO_SECRETS = paymentError("overloaded", "The payment could not be looked up. Send the same payment again.");

/** The payment in a request, as it was sent. */
export type Presented =
  | { readonly version: 2; readonly header: string; readonly payment: PaymentPayload }
  | { readonly version: 1; readonly header: string; readonly payment: V1Payment }
  | PresentedChannel
  | PresentedCredential;

/** The reason why the payment of a request cannot be read. */
export class Unreadable {
  readonly why: TurnpikeError | Problem;

  constructor(why: TurnpikeError | Problem) {
    this.why = why;
  }
}

/** Reads the payment of a request; undefined without one. `auth`: accepts the `Payment` scheme. */
export function readPresented(
  exchange: Pick<Exchange, "head" | "paymentCredential" | "peerAddress">,
  auth: PaymentAuth | undefined,
): Presented | Unreadable | undefined {
  const presented = readPayment(exchange.head.payment);
  const { paymentCredential: encoded } = exchange;
  if (encoded === undefined || auth === undefined) {
    return presented instanceof TurnpikeError ? new Unreadable(presented) : presented;
  }
  if (presented !== undefined) return new Unreadable(TWO_PROTOCOLS);
  if (!auth.isPrivate(exchange)) return new Unreadable(NOT_PRIVATE);
  if (auth.isUnable) return new Unreadable(NO_SECRETS);
  const credential = readPresentedCredential(encoded);
  return "version" in credential ? credential : new Unreadable(credential);
}

export interface PresentedChannel {
  readonly version: "channel";
  readonly header: string;
  readonly payment: ChannelPayment;
}

/** Reads the payment in a request's head; undefined without one, an error if it cannot be read. */
function readPayment(fields: Fields): Presented | TurnpikeError | undefined {
  const headers = fieldValues(fields, "payment-signature");
  const old = fieldValues(fields, "x-payment");
  if (headers.length === 0 && old.length === 0) return undefined;
  const [header = ""] = headers.length === 0 ? old : headers;
  if (headers.length + old.length > 1) {
    return unreadable("there must be one, in PAYMENT-SIGNATURE or in X-PAYMENT");
  }
  if (header.length > MAX_HEADER_LENGTH) {
    return unreadable(`the header exceeds ${MAX_HEADER_LENGTH} characters`);
  }
  return headers.length === 1 ? readV2(header) : readV1(header);
}

/** The address whose money a payment would move; empty if only its facilitator knows. Its signature is not checked. */
export function payerOf(presented: Presented): string {
  if (presented.version === "channel") return presented.payment.payload.channelConfig.payer;
  const { version, payment } = presented;
  return version === 2 ? payerIn(payment) : payment.payload.authorization.from;
}

function readV2(header: string): Presented | TurnpikeError {
  const sent = decodeHeader(header);
  if (isOfChannel(sent)) {
    const { data } = channelPaymentSchema.safeParse(sent);
    if (data !== undefined) return { version: "channel", header, payment: data };
    return unreadable("it must be a deposit, a voucher or a refund of the scheme batch-settlement");
  }
  const parsed = paymentPayloadSchema.safeParse(sent);
  if (parsed.success) {
    const contradiction = contradictionIn(parsed.data);
    return contradiction === undefined ? { version: 2, header, payment: parsed.data } : unreadable(contradiction);
  }
  return unreadable(
    "PAYMENT-SIGNATURE must be one base64 header with an x402 version 2 payment, on an EVM chain by EIP-3009 or Permit2",
  );
}

function isOfChannel(sent: unknown): boolean {
  return isObject(sent) && isObject(sent["accepted"]) && sent["accepted"]["scheme"] === CHANNEL_SCHEME;
}

function readV1(header: string): Presented | TurnpikeError {
  const parsed = v1PaymentSchema.safeParse(decodeHeader(header));
  if (parsed.success) return { version: 1, header, payment: parsed.data };
  return unreadable("X-PAYMENT must be one base64 header with an x402 version 1 payment by EIP-3009");
}

function unreadable(what: string): TurnpikeError {
  return paymentError("invalid-payment", `Cannot read the payment: ${what}`);
}
