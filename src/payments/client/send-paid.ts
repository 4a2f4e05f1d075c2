import { codeOf } from "../../lib/caught.ts";
import { readJsonUpTo } from "../../lib/http/response-bytes.ts";
import { type Account } from "../signatures/signature.ts";
import { PAYMENT_RESPONSE, type PaymentRequired, type Receipt } from "../x402/messages.ts";
import { X_PAYMENT_RESPONSE } from "../x402/v1.ts";
import { type AnyChoice, type Choice } from "./choice.ts";

/** The response to a request that the client may have paid for. */
export interface Paid {
  readonly response: Response;
  /** The payment requirements that the client signed; undefined if no payment was requested. */
  readonly choice: AnyChoice | undefined;
  /** The gateway's receipt for the payment. */
  readonly receipt: Receipt | undefined;
  /** True if the payment's outcome is unknown: it may be charged, and a second payment as well. */
  readonly isOpen: boolean;
  /** True if the request failed and the server says that it charged nothing: there is no receipt, or one of a failure. */
  readonly isFree: boolean;
  /** The sum that was paid further so far, in 10^-36 dollars, if the response is paid for while its body is read. */
  readonly further?: () => bigint;
}

/**
 * Takes an amount out of a total of signatures, or a part of it in 10^-36 dollars, once its signature has expired, at a Unix time in
 * seconds.
 */
export type Release = (expires: number, part?: bigint) => void;

export interface PaidRequest {
  readonly url: string;
  readonly init: RequestInit;
  readonly send: (url: string, init: RequestInit) => Promise<Response>;
  readonly required: PaymentRequired;
  readonly choice: Choice;
  readonly account: Account;
  readonly options: {
    /** The highest price of one request, of all of its units if they are metered. */
    readonly maxPrice: string;
    readonly spend?: ((dollars: bigint) => Release | undefined) | undefined;
    readonly sleep?: (ms: number) => Promise<void>;
  };
}

/** Pays from payment channels. Both throw PaymentDeclined if their state cannot be read or kept. */
export interface ChannelPayer {
  /** The deposit that a payment needs, 0 without one; or why a channel cannot make it. */
  weigh(choice: Choice, account: Account): bigint | string;
  /** Throws as `payAndFetch`. */
  pay(request: PaidRequest): Promise<Paid>;
}

/** Bytes of a body that are read to find the type of a problem. */
const MAX_READ_BYTES = 256 * 1024;
/** The client sent a payment and got no response. It does not know whether the payment was charged. */
export class PaymentOutcomeUnknown extends Error {
  constructor(reason: string, options: ErrorOptions) {
    super(`Cannot find out the result of the payment: ${reason}; it may have been charged`, options);
  }
}

/** Milliseconds until the same payment is sent again to a gateway that did not respond. */
const NO_RESPONSE_WAIT_MS = 1000;
/** The number of times that the same payment is sent again while its outcome is open. */
const MAX_RESENDS = 5;
/** The gateway's error type while the outcome of a settlement is unknown. */
export const PENDING = "urn:turnpike:error:settlement-pending";
/** The longest wait between two tries with one payment, in milliseconds, even if the gateway asks for more. */
const MAX_WAIT_MS = 10_000;

/** True if a failed response does not say that nothing was charged. */
export async function isOpenAfter(response: Response): Promise<boolean> {
  if (receiptField(response) !== null) return true;
  if (response.status === 409) return waitBeforeResend(response) !== undefined;
  return response.status === 503 && (await isPending(response.clone()));
}

/** Uses no Bun API: this code also runs in the callers' programs, which may use another runtime. */
export function sleepFor(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

/** The last response to a payment. `wasBroken`: a response got lost before. */
export interface Sent {
  readonly response: Response;
  readonly wasBroken: boolean;
}

/**
 * Sends a request with a payment, and sends it again while the outcome is open. Throws PaymentOutcomeUnknown without any
 * response.
 */
export async function sendPaid(
  send: () => Promise<Response>,
  signal?: AbortSignal | null,
  sleep: (ms: number) => Promise<void> = sleepFor,
): Promise<Sent> {
  let wasBroken = false;
  for (let resends = 0; ; resends++) {
    const last = resends === MAX_RESENDS;
    const response = await send().catch((error: unknown) => {
      if (signal?.aborted === true) throw new PaymentOutcomeUnknown("the call was given up", { cause: error });
      if (last) throw new PaymentOutcomeUnknown(codeOf(error) ?? "no response", { cause: error });
    });
    const wait = response && !last ? waitBeforeResend(response) : undefined;
    if (response !== undefined && wait === undefined) return { response, wasBroken };
    wasBroken ||= response === undefined;
    await response?.body?.cancel();
    await Promise.race([sleep(wait ?? NO_RESPONSE_WAIT_MS), aborted(signal)]);
  }
}

/** Settles when the caller aborts the call. */
function aborted(signal?: AbortSignal | null): Promise<void> {
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

/** The receipt's field of a response. */
export function receiptField({ headers }: Response): string | null {
  return headers.get(PAYMENT_RESPONSE) ?? headers.get(X_PAYMENT_RESPONSE);
}
