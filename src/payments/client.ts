import { randomBytes } from "node:crypto";
import { codeOf } from "../lib/caught.ts";
import { isAddress } from "./address.ts";
import { type Asset, findAsset } from "./assets.ts";
import { decodeHeader, encodeHeader } from "./header.ts";
import {
  PAYMENT_REQUIRED,
  PAYMENT_RESPONSE,
  PAYMENT_SIGNATURE,
  type PaymentPayload,
  type PaymentRequired,
  type PaymentRequirements,
  paymentRequiredSchema,
  type Receipt,
  receiptSchema,
} from "./messages.ts";
import { networkTitle, parseNetwork } from "./networks.ts";
import { formatAmount, parsePrice } from "./price.ts";
import { signHash } from "./signature.ts";
import { type Authorization, authorizationHash } from "./typed-data.ts";
import { type Account } from "./wallet.ts";

export interface PayOptions {
  /** Asked for only where there is something to pay. */
  readonly account: () => Account;
  /** The most that one request may cost, `$0.10`. */
  readonly maxPrice: string;
  /** Unix milliseconds. */
  readonly now?: () => number;
  /** Waits so many milliseconds between two tries with the same payment. */
  readonly sleep?: (ms: number) => Promise<void>;
  /** Sends each request; the global fetch where it is left out. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

export interface Paid {
  readonly response: Response;
  /** What was signed for; undefined where nothing was asked. */
  readonly offer: Offer | undefined;
  /** What the gateway says became of it. */
  readonly receipt: Receipt | undefined;
}

/** One of the gateway's prices that this client can pay. */
export interface Offer {
  readonly requirements: PaymentRequirements;
  readonly asset: Asset;
}

/** A payment that was not made: nothing was signed. */
export class PaymentDeclined extends Error {}

/** A payment that was not made because it is more than the limit. */
export class PriceTooHigh extends PaymentDeclined {}

/** The longest that a signed payment stays good, in seconds, whatever the gateway asks for. */
const MAX_VALID_S = 600;
/** A payment that was sent and never answered: whether it was charged is not known. */
export class PaymentUnanswered extends Error {
  constructor(reason: string, options: ErrorOptions) {
    super(`Cannot learn what became of the payment: ${reason}; it may have been charged`, options);
  }
}

/** Milliseconds until the same payment is sent again to a gateway that did not answer it. */
const NO_ANSWER_WAIT_MS = 1000;
/** How often the same payment is sent again while its outcome is open. */
const MAX_RESENDS = 5;
/** The longest wait between two of them, in milliseconds, whatever the gateway asks for. */
const MAX_WAIT_MS = 10_000;

/**
 * Sends a request, pays for it where it must be paid for, and sends it once more with the payment. It signs once: while the
 * outcome is open the very same payment is sent again, a few times. Throws PaymentDeclined where it will not pay,
 * PaymentUnanswered where it paid for nothing, and what fetch throws where the gateway cannot be reached.
 */
export async function payAndFetch(url: string, init: RequestInit, options: PayOptions): Promise<Paid> {
  const send = options.fetch ?? fetch;
  const first = await send(url, init);
  if (first.status !== 402) return { response: first, offer: undefined, receipt: undefined };
  await first.body?.cancel();
  const required = readChallenge(first);
  const offer = chooseOffer(required, options.maxPrice);
  const payment = signPayment(required, offer, options);
  const headers = new Headers(init.headers);
  headers.set(PAYMENT_SIGNATURE, encodeHeader(payment));
  // A redirect would carry a spendable payment to wherever it points.
  const paid: RequestInit = { ...init, headers, redirect: "manual" };
  const response = await sendPaid(() => send(url, paid), init.signal ?? undefined, options.sleep ?? sleepFor);
  return { response, offer, receipt: readReceipt(response) };
}

/** Nothing of Bun's: this also runs in the programs of callers. */
function sleepFor(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

async function sendPaid(
  send: () => Promise<Response>,
  signal: AbortSignal | undefined,
  sleep: (ms: number) => Promise<void>,
): Promise<Response> {
  for (let resends = 0; ; resends++) {
    const last = resends === MAX_RESENDS;
    const response = await send().catch((error: unknown) => {
      if (signal?.aborted === true) throw new PaymentUnanswered("the call was given up", { cause: error });
      if (last) throw new PaymentUnanswered(codeOf(error) ?? "no answer", { cause: error });
    });
    const wait = response === undefined ? NO_ANSWER_WAIT_MS : waitBeforeResend(response);
    if (response !== undefined && (wait === undefined || last)) return response;
    await response?.body?.cancel();
    await Promise.race([sleep(wait ?? NO_ANSWER_WAIT_MS), aborted(signal)]);
  }
}

/** Settles when the caller gives the call up. */
function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Milliseconds until the same payment may be sent again; undefined where that is of no use. */
function waitBeforeResend(response: Response): number | undefined {
  const seconds = response.headers.get("retry-after") ?? "";
  if ((response.status !== 503 && response.status !== 409) || !/^[0-9]{1,4}$/.test(seconds)) return undefined;
  return Math.min(Number(seconds) * 1000, MAX_WAIT_MS);
}

function readChallenge(response: Response): PaymentRequired {
  const parsed = paymentRequiredSchema.safeParse(decodeHeader(response.headers.get(PAYMENT_REQUIRED) ?? ""));
  if (!parsed.success) throw new PaymentDeclined("Cannot pay: the 402 has no readable PAYMENT-REQUIRED header");
  return parsed.data;
}

/** The first price that this client can pay, if it is not too high. Unknown tokens are never paid with. */
function chooseOffer(required: PaymentRequired, maxPrice: string): Offer {
  for (const requirements of required.accepts) {
    const method = requirements.extra["assetTransferMethod"] ?? "eip3009";
    const flow = requirements.extra["paymentFlow"] ?? "authorization";
    const asset = findAsset(requirements.network, requirements.asset);
    if (requirements.scheme !== "exact" || method !== "eip3009" || flow !== "authorization" || asset === undefined)
      continue;
    const limit = parsePrice(maxPrice, asset.decimals);
    if (BigInt(requirements.amount) > BigInt(limit)) {
      const price = formatAmount(requirements.amount, asset.decimals);
      throw new PriceTooHigh(`Cannot pay $${price}: the limit is ${maxPrice}`);
    }
    return { requirements, asset };
  }
  const asked = required.accepts.map(({ scheme, network }) => `${scheme} on ${networkTitle(network)}`).join(", ");
  throw new PaymentDeclined(`Cannot pay: none of the ways asked for is known here (${asked || "none"})`);
}

function signPayment(required: PaymentRequired, { requirements, asset }: Offer, options: PayOptions): PaymentPayload {
  const network = parseNetwork(requirements.network);
  const { payTo } = requirements;
  if (network === undefined || !isAddress(payTo)) throw new PaymentDeclined("Cannot pay: the payee is no address");
  const account = options.account();
  const now = Math.floor((options.now ?? Date.now)() / 1000);
  const authorization: Authorization = {
    from: account.address,
    to: payTo,
    value: requirements.amount,
    validAfter: "0",
    validBefore: String(now + Math.min(requirements.maxTimeoutSeconds, MAX_VALID_S)),
    nonce: `0x${randomBytes(32).toString("hex")}`,
  };
  // The domain is the token's as known here: one that the gateway names could make the signature good for another token.
  const domain = { name: asset.name, version: asset.version, network, asset: asset.address };
  const signature = signHash(authorizationHash(domain, authorization), account.privateKey);
  return {
    x402Version: 2,
    resource: required.resource,
    accepted: requirements,
    payload: { signature, authorization },
    ...(required.extensions === undefined ? {} : { extensions: required.extensions }),
  };
}

function readReceipt(response: Response): Receipt | undefined {
  const parsed = receiptSchema.safeParse(decodeHeader(response.headers.get(PAYMENT_RESPONSE) ?? ""));
  return parsed.success ? parsed.data : undefined;
}

/** What was paid, for people: `$0.01 USDC on Base Sepolia (eip155:84532), transaction 0x…`. */
export function describeReceipt({ requirements, asset }: Offer, receipt: Receipt): string {
  const amount = `$${formatAmount(requirements.amount, asset.decimals)} ${asset.symbol}`;
  const test = receipt.extra?.["testMode"] === true ? " (test mode: nothing real moved)" : "";
  return `${amount} on ${networkTitle(requirements.network)}, transaction ${receipt.transaction}${test}`;
}
