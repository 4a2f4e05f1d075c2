import { encodeHeader, MAX_HEADER_LENGTH } from "../x402/header.ts";
import { type PaymentPayload, type PaymentRequired } from "../x402/messages.ts";
import { type AnyChoice } from "./choice.ts";
import { randomHex } from "./random-hex.ts";
import { type Account } from "../signatures/signature.ts";
import { signTransfer } from "../signatures/sign-transfer.ts";

/**
 * The longest validity of a signed payment in seconds, even if the gateway asks for more. An `upto` payment can pay for a job,
 * which is charged at its end.
 */
const MAX_VALID_S = 600;
const MAX_UPTO_VALID_S = 7_200;
const PAYMENT_IDENTIFIER = "payment-identifier";

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
  return withExtensions(required, { x402Version: 2, resource: required.resource, accepted: requirements, payload });
}

/** A payment with the gateway's extensions if they fit. */
export function withExtensions(required: PaymentRequired, payment: PaymentPayload): PaymentPayload {
  const extensions = echo(required);
  const whole = extensions === undefined ? payment : { ...payment, extensions };
  if (encodeHeader(whole).length <= MAX_HEADER_LENGTH) return whole;
  // A payment without extensions is still accepted. A payment that is too long is not.
  const id = extensions?.[PAYMENT_IDENTIFIER];
  return id === undefined ? payment : { ...payment, extensions: { [PAYMENT_IDENTIFIER]: id } };
}

/**
 * The gateway's extensions. If the gateway accepts a payment identifier, adds a new one, so that the gateway recognizes
 * the payment again even if the nonce differs.
 */
export function echo({ extensions }: PaymentRequired): Record<string, unknown> | undefined {
  const offered = extensions?.[PAYMENT_IDENTIFIER];
  if (typeof offered !== "object" || offered === null) return extensions;
  const info: unknown = Reflect.get(offered, "info");
  const named = { ...(typeof info === "object" ? info : {}), id: `pay_${randomHex()}` };
  return { ...extensions, [PAYMENT_IDENTIFIER]: { ...offered, info: named } };
}
