import { readJsonUpTo } from "../../lib/http/response-bytes.ts";
import { codeOf } from "../../lib/caught.ts";
import { type Account } from "../signatures/signature.ts";
import { sameAddress } from "../x402/address.ts";
import { decodeHeader, encodeHeader } from "../x402/header.ts";
import {
  PAYMENT_REQUIRED,
  PAYMENT_RESPONSE,
  PAYMENT_SIGNATURE,
  type PaymentRequired,
  paymentRequiredSchema,
  type Receipt,
  receiptSchema,
} from "../x402/messages.ts";
import { networkTitle } from "../x402/networks.ts";
import { fromV1Challenge, fromV1Network, toV1Payment, X_PAYMENT, X_PAYMENT_RESPONSE } from "../x402/v1.ts";
import { type ChoiceOptions, choosePayment, dollarsOf, type Choice, PaymentDeclined } from "./choice.ts";
import { formatAmount, isAtomic } from "../x402/price.ts";
import { chargeReceipt, type Charges, chargesIn, signCharge } from "./charges.ts";
import { expiryOf, signChoice } from "./sign-choice.ts";

export { type Choice, PaymentDeclined, PriceTooHigh } from "./choice.ts";

/** The wallet of a client, its limits, and how it sends requests. */
export interface PayOptions extends ChoiceOptions {
  /** Called only if there is something to pay. */
  readonly account: () => Account;
  /**
   * Called before signing, with the amount in 10^-36 dollars. Throws PaymentDeclined if the amount is too high. May return a
   * function, which is called if the server says that it charged nothing, with the Unix time in seconds at which the signature
   * expires.
   */
  readonly spend?: ((dollars: bigint) => ((expires: number) => void) | undefined) | undefined;
  /** Unix milliseconds. */
  readonly now?: () => number;
  /** Waits `ms` milliseconds between two tries with the same payment. */
  readonly sleep?: (ms: number) => Promise<void>;
  /** Sends each request; the global fetch by default. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** The response to a request that the client may have paid for. */
export interface Paid {
  readonly response: Response;
  /** The payment requirements that the client signed; undefined if no payment was requested. */
  readonly choice: Choice | undefined;
  /** The gateway's receipt for the payment. */
  readonly receipt: Receipt | undefined;
  /** True if the payment's outcome is unknown: it may be charged, and a second payment as well. */
  readonly isOpen: boolean;
  /** True if the request failed and the server says that it charged nothing: there is no receipt, or one of a failure. */
  readonly isFree: boolean;
}

/** The client sent a payment and got no response. It does not know whether the payment was charged. */
export class PaymentOutcomeUnknown extends Error {
  constructor(reason: string, options: ErrorOptions) {
    super(`Cannot find out the result of the payment: ${reason}; it may have been charged`, options);
  }
}

/** Bytes of a body that are read to find a version 1 price, or the type of a problem. */
const MAX_READ_BYTES = 256 * 1024;
/** Milliseconds until the same payment is sent again to a gateway that did not respond. */
const NO_RESPONSE_WAIT_MS = 1000;
/** The number of times that the same payment is sent again while its outcome is open. */
const MAX_RESENDS = 5;
/** The gateway's error type while the outcome of a settlement is unknown. */
export const PENDING = "urn:turnpike:error:settlement-pending";
/** The longest wait between two tries with one payment, in milliseconds, even if the gateway asks for more. */
const MAX_WAIT_MS = 10_000;

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
  const { version, required } = await readChallenge(first, url, charges);
  // Of equal prices, the first one is taken.
  const choice = await choosePayment({ ...required, accepts: [...required.accepts, ...charges.keys()] }, options);
  const charge = charges.get(choice.requirements);
  init.signal?.throwIfAborted();
  const account = options.account();
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
  const sent = await sendPaid(() => send(url, paid), init.signal ?? undefined, options.sleep ?? sleepFor);
  const { response } = sent;
  const receipt =
    charge === undefined ? readReceipt(response, choice, account) : chargeReceipt(response, choice, account);
  if (response.ok || receipt?.success === true) return { response, choice, receipt, isOpen: false, isFree: false };
  // A failure by the `Payment` scheme has no receipt, and only some statuses say that the payment was refused.
  const isUnclear = charge !== undefined && response.status !== 402 && response.status !== 400;
  const isOpen = sent.wasBroken || isUnclear || (receipt === undefined && (await isOpenAfter(response)));
  if (!isOpen) release?.(expires);
  return { response, choice, receipt, isOpen, isFree: !isOpen };
}

/** True if a failed response does not say that nothing was charged. */
async function isOpenAfter(response: Response): Promise<boolean> {
  if (receiptField(response) !== null) return true;
  if (response.status === 409) return waitBeforeResend(response) !== undefined;
  return response.status === 503 && (await isPending(response.clone()));
}

function originOf(url: string): string {
  return URL.parse(url)?.origin ?? "the gateway";
}

/** Uses no Bun API: this code also runs in the callers' programs, which may use another runtime. */
function sleepFor(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

async function sendPaid(
  send: () => Promise<Response>,
  signal: AbortSignal | undefined,
  sleep: (ms: number) => Promise<void>,
): Promise<{ readonly response: Response; readonly wasBroken: boolean }> {
  let wasBroken = false;
  for (let resends = 0; ; resends++) {
    const last = resends === MAX_RESENDS;
    const response = await send().catch((error: unknown) => {
      if (signal?.aborted === true) throw new PaymentOutcomeUnknown("the call was given up", { cause: error });
      if (last) throw new PaymentOutcomeUnknown(codeOf(error) ?? "no response", { cause: error });
    });
    const wait = response === undefined ? NO_RESPONSE_WAIT_MS : waitBeforeResend(response);
    if (response !== undefined && (wait === undefined || last)) return { response, wasBroken };
    wasBroken ||= response === undefined;
    await response?.body?.cancel();
    await Promise.race([sleep(wait ?? NO_RESPONSE_WAIT_MS), aborted(signal)]);
  }
}

/** Settles when the caller aborts the call. */
function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Milliseconds until the same payment may be sent again; undefined if sending it again is useless. */
function waitBeforeResend(response: Response): number | undefined {
  const seconds = response.headers.get("retry-after") ?? "";
  if ((response.status !== 503 && response.status !== 409) || !/^[0-9]{1,4}$/.test(seconds)) return undefined;
  return Math.min(Number(seconds) * 1000, MAX_WAIT_MS);
}

async function isPending(response: Pick<Response, "body">): Promise<boolean> {
  const problem = await readJsonUpTo(response, MAX_READ_BYTES).catch(() => undefined);
  return typeof problem === "object" && problem !== null && Reflect.get(problem, "type") === PENDING;
}

interface Challenge {
  /** The x402 version in which the server sent its price. */
  readonly version: 1 | 2;
  readonly required: PaymentRequired;
}

/** Reads the price: version 2 from a header, otherwise version 1 from the body, as the reference clients do. */
async function readChallenge(response: Response, url: string, charges: Charges): Promise<Challenge> {
  const header = response.headers.get(PAYMENT_REQUIRED);
  if (header === null) {
    const body = await readJsonUpTo(response, MAX_READ_BYTES).catch(() => undefined);
    const required = fromV1Challenge(body, url);
    if (required !== undefined) return { version: 1, required };
    if (charges.size > 0) return { version: 2, required: { x402Version: 2, resource: { url }, accepts: [] } };
    throw new PaymentDeclined(
      "Cannot pay: the 402 has no x402 payment requirements, neither in PAYMENT-REQUIRED nor in its body",
    );
  }
  await response.body?.cancel();
  const parsed = paymentRequiredSchema.safeParse(decodeHeader(header));
  if (!parsed.success) throw new PaymentDeclined("Cannot pay: the 402 has no readable PAYMENT-REQUIRED header");
  return { version: 2, required: parsed.data };
}

/** A transaction's hash. It is empty if no transaction was needed, for example if an `upto` payment charges 0. */
const TRANSACTION = /^(?:0x[0-9a-fA-F]{1,64})?$/;

function receiptField({ headers }: Response): string | null {
  return headers.get(PAYMENT_RESPONSE) ?? headers.get(X_PAYMENT_RESPONSE);
}

/** The receipt if it fits this payment: same network and payer, and at most the signed amount. */
function readReceipt(response: Response, { requirements }: Choice, account: Account): Receipt | undefined {
  const parsed = receiptSchema.safeParse(decodeHeader(receiptField(response) ?? ""));
  if (!parsed.success) return undefined;
  const { network, payer, transaction, amount } = parsed.data;
  const isOurs =
    fromV1Network(network) === requirements.network && (payer === undefined || sameAddress(payer, account.address));
  const isWithin =
    amount === undefined ||
    (typeof amount === "string" && isAtomic(amount) && BigInt(amount) <= BigInt(requirements.amount));
  return isOurs && isWithin && TRANSACTION.test(transaction) ? parsed.data : undefined;
}

/** Describes the payment for people: `$0.01 USDC on Base Sepolia (eip155:84532), transaction 0x…`. */
export function describeReceipt({ requirements, asset }: Choice, receipt: Receipt): string {
  const charged = receipt["amount"];
  const atomic = typeof charged === "string" && isAtomic(charged) ? charged : requirements.amount;
  const amount = `$${formatAmount(atomic, asset.decimals)} ${asset.symbol}`;
  const test = receipt.extra?.["testMode"] === true ? " (test mode: no money moved)" : "";
  return `${amount} on ${networkTitle(requirements.network)}, transaction ${receipt.transaction}${test}`;
}
