import { encodeHeader, MAX_HEADER_LENGTH } from "../x402/header.ts";
import { type PaymentPayload, type PaymentRequired } from "../x402/messages.ts";
import { type AnyChoice, type Choice } from "./choice.ts";
import { randomHex } from "../../lib/text/random-hex.ts";
import { type Account } from "../signatures/signature.ts";
import { signApproval } from "../evm/permit2/sign-approval.ts";
import { GAS_APPROVAL } from "../signatures/gas-approval.ts";
import { GAS_PERMIT, signGasPermit } from "../signatures/gas-permit.ts";
import { signTransfer } from "../signatures/sign-transfer.ts";

/**
 * The longest validity of a signed payment in seconds, even if the gateway asks for more. An `upto` payment can pay for a job,
 * which is charged at its end.
 */
const MAX_VALID_S = 600;
const MAX_UPTO_VALID_S = 7_200;
const PAYMENT_IDENTIFIER = "payment-identifier";
/** Without these extensions a payment means something else. */
const KEPT = new Set([PAYMENT_IDENTIFIER, GAS_PERMIT, GAS_APPROVAL]);

/** The Unix time in seconds until which a payment that is signed at `now`, in Unix milliseconds, is valid. */
export function expiryOf({ requirements }: Pick<AnyChoice, "requirements">, now: number): number {
  const most = requirements.scheme === "upto" ? MAX_UPTO_VALID_S : MAX_VALID_S;
  return Math.floor(now / 1000) + Math.min(requirements.maxTimeoutSeconds, most);
}

/** Signs a payment that is valid until `expires` (Unix seconds), with the gateway's extensions if they fit. */
export function signChoice(
  required: PaymentRequired,
  choice: AnyChoice,
  account: Account,
  expires: number,
): PaymentPayload {
  const { requirements } = choice;
  if (choice.method === "solana") throw new Error("a payment on Solana needs a blockhash");
  const payload = signTransfer({ ...choice, validBefore: expires, nonce: randomHex() }, account);
  const payment: PaymentPayload = { x402Version: 2, resource: required.resource, accepted: requirements, payload };
  return withExtensions(required, payment, (extensions) => withPermit(extensions, choice, account, expires));
}

type Extensions = Record<string, unknown> | undefined;

/** A payment with the gateway's extensions if they fit, and with those that `add` adds. */
export function withExtensions(
  required: PaymentRequired,
  payment: PaymentPayload,
  add: (extensions: Extensions) => Extensions = (extensions) => extensions,
): PaymentPayload {
  const extensions = add(echo(required));
  const whole = extensions === undefined ? payment : { ...payment, extensions };
  if (encodeHeader(whole).length <= MAX_HEADER_LENGTH) return whole;
  // A payment without extensions is still accepted. A payment that is too long is not.
  const kept = Object.entries(extensions ?? {}).filter(([key]) => KEPT.has(key));
  return kept.length === 0 ? payment : { ...payment, extensions: Object.fromEntries(kept) };
}

/** The extensions with the payer's permit or approval for Permit2, if the choice needs one. */
function withPermit(
  extensions: Record<string, unknown> | undefined,
  { requirements, asset, permitNonce: nonce, approval }: Choice,
  account: Account,
  deadline: number,
): Record<string, unknown> | undefined {
  if (approval !== undefined)
    return {
      ...extensions,
      [GAS_APPROVAL]: informed(extensions?.[GAS_APPROVAL], signApproval(asset, approval, account)),
    };
  if (nonce === undefined) return extensions;
  const permit = signGasPermit(asset, { amount: requirements.amount, nonce, deadline }, account);
  return { ...extensions, [GAS_PERMIT]: informed(extensions?.[GAS_PERMIT], permit) };
}

/** An extension as the gateway declares it, with the client's information. */
function informed(offered: unknown, added: object): object {
  const declared = typeof offered === "object" && offered !== null ? offered : {};
  const info: unknown = Reflect.get(declared, "info");
  return { ...declared, info: { ...(typeof info === "object" ? info : {}), ...added } };
}

/**
 * The gateway's extensions. If the gateway accepts a payment identifier, adds a new one, so that the gateway recognizes
 * the payment again even if the nonce differs.
 */
export function echo({ extensions }: PaymentRequired): Record<string, unknown> | undefined {
  const offered = extensions?.[PAYMENT_IDENTIFIER];
  if (typeof offered !== "object" || offered === null) return extensions;
  return { ...extensions, [PAYMENT_IDENTIFIER]: informed(offered, { id: `pay_${randomHex()}` }) };
}
