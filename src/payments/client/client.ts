import { isSimulated } from "../facilitator/simulated-transaction.ts";
import { type Account } from "../signatures/signature.ts";
import { sameAddress } from "../x402/address.ts";
import { BATCH_SETTLEMENT } from "../x402/channel-messages.ts";
import { decodeHeader, encodeHeader } from "../x402/header.ts";
import { PAYMENT_SIGNATURE, type Receipt, receiptSchema } from "../x402/messages.ts";
import { networkTitle } from "../x402/networks.ts";
import { formatAmount, isAtomic } from "../x402/price.ts";
import { fromV1Network, toV1Payment, X_PAYMENT } from "../x402/v1.ts";
import { chargeReceipt, chargesIn, signCharge } from "./charges.ts";
import {
  type AnyChoice,
  type Choice,
  type ChoiceOptions,
  type SolanaChoice,
  choosePayment,
  dollarsOf,
  PaymentDeclined,
  toDollars,
} from "./choice.ts";
import { readChallenge } from "./read-challenge.ts";
import {
  type ChannelPayer,
  isOpenAfter,
  type Paid,
  type PaidRequest,
  receiptField,
  type Release,
  type Sent,
  sendPaid,
} from "./send-paid.ts";
import { signSolana, solanaExpiry, type SolanaPayer } from "./solana-payer.ts";
import { expiryOf, signChoice } from "./sign-choice.ts";

export { type Paid, PaymentOutcomeUnknown, PENDING } from "./send-paid.ts";
export { type AnyChoice, PaymentDeclined, PriceTooHigh } from "./choice.ts";

/** The wallet of a client, its limits, and how it sends requests. */
export interface PayOptions extends Omit<ChoiceOptions, "weighChannel" | "solanaBalance"> {
  /** Called only if there is something to pay. */
  readonly account: () => Account;
  /**
   * Called before signing, with the amount in 10^-36 dollars. Throws PaymentDeclined if the amount is too high. May return a
   * function, which is called with what the server says it has not charged.
   */
  readonly spend?: ((dollars: bigint) => Release | undefined) | undefined;
  /** Called with the fields of the request that pays, before it is sent. Not for payments from a channel. */
  readonly paying?: (headers: Headers) => void;
  /** Unix milliseconds. */
  readonly now?: () => number;
  /** The wallet's channels; without them no payment is made from a channel. */
  readonly channels?: ChannelPayer | undefined;
  /** The wallet on Solana; without it no payment is made there. */
  readonly solana?: SolanaPayer | undefined;
  /** Waits `ms` milliseconds between two tries with the same payment. */
  readonly sleep?: (ms: number) => Promise<void>;
  /** Sends each request; the global fetch by default. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/**
 * Sends a request. If the response asks for a payment, signs one and sends the request again with it. Signs only once:
 * while the outcome is open, the same payment is sent again, at most `MAX_RESENDS` times. Throws PaymentDeclined if it
 * does not pay, PaymentUnanswered if it paid and got no response, and the error of fetch if the gateway cannot be
 * reached.
 */
export async function payAndFetch(url: string, init: RequestInit, options: PayOptions): Promise<Paid> {
  const send = options.fetch ?? fetch;
  const first = await send(url, init);
  if (first.status !== 402)
    return { response: first, choice: undefined, receipt: undefined, isOpen: false, isFree: false };
  // After a redirect, the price comes from a server that the caller did not name.
  if (first.redirected) {
    await first.body?.cancel();
    const price = `the price is not from ${originOf(url)}, which redirected the request to ${originOf(first.url)}`;
    throw new PaymentDeclined(`Cannot pay: ${price}. Call that address instead`);
  }
  const now = options.now ?? Date.now;
  const headers = new Headers(init.headers);
  const charges = chargesIn(first, { now: now(), url, headers });
  const { version, required } = await readChallenge(first, url, charges.size > 0);
  const { channels } = options;
  const weighChannel = channels && version === 2 ? (one: Choice) => channels.weigh(one, options.account()) : undefined;
  // Of equal prices, the first one is taken.
  const all = { ...required, accepts: [...required.accepts, ...charges.keys()] };
  const solana = version === 2 ? options.solana?.account() : undefined;
  const solanaBalance = solana && options.solana && options.solana.balance.bind(options.solana);
  const choice = await choosePayment(all, { ...options, weighChannel, solanaBalance });
  const charge = charges.get(choice.requirements);
  init.signal?.throwIfAborted();
  if (choice.method === "solana") return await payOnSolana({ url, init, send, required, choice }, options);
  const account = options.account();
  if (channels !== undefined && choice.requirements.scheme === BATCH_SETTLEMENT)
    return await channels.pay({ url, init, send, required, choice, account, options });
  // Before the signature: each holder of a signature can spend it, whatever the gateway responds.
  const release = options.spend?.(dollarsOf(choice));
  const expires = expiryOf(choice, now());
  if (charge === undefined) {
    const payment = signChoice(required, choice, account, expires);
    if (version === 2) headers.set(PAYMENT_SIGNATURE, encodeHeader(payment));
    else headers.set(X_PAYMENT, encodeHeader(toV1Payment(payment)));
  } else headers.set("authorization", signCharge(charge, choice, account, expires));
  // A redirect would send a spendable payment to its target.
  const paid: RequestInit = { ...init, headers, redirect: "manual" };
  options.paying?.(headers);
  const sent = await sendPaid(() => send(url, paid), init.signal, options.sleep);
  const { response } = sent;
  const free = (part?: bigint): void => release?.(expires, part);
  if (charge === undefined) return await outcomeOf(sent, choice, readReceipt(response, choice, account), free);
  // A failure by the `Payment` scheme has no receipt, and only some statuses say that the payment was refused.
  const isRefused = response.status === 402 || response.status === 400;
  const wasBroken = sent.wasBroken || !isRefused;
  return await outcomeOf({ response, wasBroken }, choice, chargeReceipt(response, choice, account), free);
}

/** The outcome of a payment. Calls `free` if the server says that it charged nothing, or with the part that it did not charge. */
async function outcomeOf(
  { response, wasBroken }: Sent,
  choice: AnyChoice,
  receipt: Receipt | undefined,
  free: (part?: bigint) => void,
): Promise<Paid> {
  const rest = restOf(choice, receipt);
  if (rest > 0n) free(rest);
  if (response.ok || receipt?.success === true) return { response, choice, receipt, isOpen: false, isFree: false };
  const isOpen = wasBroken || (receipt === undefined && (await isOpenAfter(response)));
  if (!isOpen) free();
  return { response, choice, receipt, isOpen, isFree: !isOpen };
}

/** The part of a payment that a receipt does not charge, in 10^-36 dollars. Only `upto` has one. */
function restOf({ requirements: { scheme, amount }, asset }: AnyChoice, receipt: Receipt | undefined): bigint {
  const charged = receipt?.success === true ? receipt["amount"] : undefined;
  if (scheme !== "upto" || typeof charged !== "string") return 0n;
  return toDollars(BigInt(amount) - BigInt(charged), asset.decimals);
}

/** Like `payAndFetch`, after the choice of a payment on Solana. */
async function payOnSolana(
  {
    url,
    init,
    send,
    required,
    choice,
  }: Omit<PaidRequest, "choice" | "account" | "options"> & { readonly choice: SolanaChoice },
  options: PayOptions,
): Promise<Paid> {
  const account = options.solana?.account();
  if (options.solana === undefined || account === undefined)
    throw new PaymentDeclined("Cannot pay: there is no wallet on Solana");
  const blockhash = await options.solana.blockhash(choice);
  init.signal?.throwIfAborted();
  const release = options.spend?.(dollarsOf(choice));
  const expires = solanaExpiry((options.now ?? Date.now)());
  const headers = new Headers(init.headers);
  headers.set(PAYMENT_SIGNATURE, encodeHeader(signSolana(required, choice, account, blockhash)));
  const paid: RequestInit = { ...init, headers, redirect: "manual" };
  const sent = await sendPaid(() => send(url, paid), init.signal, options.sleep);
  return await outcomeOf(sent, choice, readReceipt(sent.response, choice, account), (part) => release?.(expires, part));
}

function originOf(url: string): string {
  return URL.parse(url)?.origin ?? "the gateway";
}

/** A transaction's hash. It is empty if no transaction was needed, for example if an `upto` payment charges 0. */
const TRANSACTION = /^(?:0x[0-9a-fA-F]{1,64})?$/;
const SOLANA_TRANSACTION = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/** The receipt if it fits this payment: same network and payer, and at most the signed amount. */
function readReceipt(
  response: Response,
  { requirements, method }: AnyChoice,
  account: { readonly address: string },
): Receipt | undefined {
  const parsed = receiptSchema.safeParse(decodeHeader(receiptField(response) ?? ""));
  if (!parsed.success) return undefined;
  const { network, payer, transaction, amount } = parsed.data;
  const isOurs =
    fromV1Network(network) === requirements.network && (payer === undefined || sameAddress(payer, account.address));
  const isWithin =
    amount === undefined ||
    (typeof amount === "string" && isAtomic(amount) && BigInt(amount) <= BigInt(requirements.amount));
  const isNamed = (method === "solana" && SOLANA_TRANSACTION.test(transaction)) || TRANSACTION.test(transaction);
  return isOurs && isWithin && isNamed ? parsed.data : undefined;
}

/** Describes the payment for people: `$0.01 USDC on Base Sepolia (eip155:84532), transaction 0x…`. */
export function describeReceipt({ requirements, asset }: AnyChoice, receipt: Receipt): string {
  const charged = receipt["amount"];
  const atomic = typeof charged === "string" && isAtomic(charged) ? charged : requirements.amount;
  const amount = `$${formatAmount(atomic, asset.decimals)} ${asset.symbol}`;
  // A receipt of the `Payment` scheme has no place for the mode.
  const isTest = receipt.extra?.["testMode"] === true || isSimulated(receipt.transaction);
  const test = isTest ? " (test mode: no money moved)" : "";
  const way = receipt.transaction === "" ? "by a voucher" : `transaction ${receipt.transaction}`;
  return `${amount} on ${networkTitle(requirements.network)}, ${way}${test}`;
}
