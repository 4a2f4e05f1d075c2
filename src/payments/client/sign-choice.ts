import { isAddress } from "../x402/address.ts";
import { encodeHeader, MAX_HEADER_LENGTH } from "../x402/header.ts";
import { type PaymentPayload, type PaymentRequired, type PaymentRequirements } from "../x402/messages.ts";
import { type Choice, PaymentDeclined } from "./choice.ts";
import { type Permit2Authorization, permit2Hash, PROXIES } from "../signatures/permit2-typed-data.ts";
import { type Account, signHash } from "../signatures/signature.ts";
import { type Authorization, authorizationHash } from "../signatures/typed-data.ts";

/** The longest validity of a signed payment in seconds, even if the gateway asks for more. */
const MAX_VALID_S = 600;
const PAYMENT_IDENTIFIER = "payment-identifier";

/** The Unix time in seconds until which a payment that is signed at `now`, in Unix milliseconds, is valid. */
export function expiryOf({ requirements }: Choice, now: number): number {
  return Math.floor(now / 1000) + Math.min(requirements.maxTimeoutSeconds, MAX_VALID_S);
}

/** Signs a payment that is valid until `expires` (Unix seconds), with the gateway's extensions if they fit. */
export function signChoice(
  required: PaymentRequired,
  choice: Choice,
  account: Account,
  expires: number,
): PaymentPayload {
  const { requirements } = choice;
  const until = String(expires);
  const payload = choice.method === "permit2" ? permit(choice, account, until) : authorize(choice, account, until);
  const payment: PaymentPayload = { x402Version: 2, resource: required.resource, accepted: requirements, payload };
  const extensions = echo(required);
  const whole = extensions === undefined ? payment : { ...payment, extensions };
  if (encodeHeader(whole).length <= MAX_HEADER_LENGTH) return whole;
  // A payment without extensions is still accepted. A payment that is too long is not.
  const id = extensions?.[PAYMENT_IDENTIFIER];
  return id === undefined ? payment : { ...payment, extensions: { [PAYMENT_IDENTIFIER]: id } };
}

function payeeOf({ payTo }: PaymentRequirements) {
  if (!isAddress(payTo)) throw new PaymentDeclined("Cannot pay: the payee is not an address");
  return payTo;
}

function authorize({ requirements, asset }: Choice, account: Account, validBefore: string) {
  const authorization: Authorization = {
    from: account.address,
    to: payeeOf(requirements),
    value: requirements.amount,
    validAfter: "0",
    validBefore,
    nonce: `0x${randomHex()}`,
  };
  // Uses the token's domain that is known here. A domain from the gateway could make the signature valid for another
  // token.
  const domain = { name: asset.name, version: asset.version, network: asset.network, asset: asset.address };
  return { signature: signHash(authorizationHash(domain, authorization), account.privateKey), authorization };
}

function permit({ requirements, asset }: Choice, account: Account, deadline: string) {
  const { scheme, amount, extra } = requirements;
  const facilitator = extra["facilitatorAddress"];
  const isUpto = scheme === "upto";
  if (isUpto && (typeof facilitator !== "string" || !isAddress(facilitator))) {
    throw new PaymentDeclined("Cannot pay: the facilitator is not an address");
  }
  const permit2Authorization: Permit2Authorization = {
    permitted: { token: asset.address, amount },
    from: account.address,
    spender: PROXIES[isUpto ? "upto" : "exact"],
    nonce: BigInt(`0x${randomHex()}`).toString(),
    deadline,
    witness: {
      to: payeeOf(requirements),
      ...(isUpto && typeof facilitator === "string" && isAddress(facilitator) ? { facilitator } : {}),
      validAfter: "0",
    },
  };
  const hash = permit2Hash(asset.network, permit2Authorization);
  return { signature: signHash(hash, account.privateKey), permit2Authorization };
}

/** 32 random bytes. Uses no API of a single runtime: this code also runs in the callers' programs. */
function randomHex(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The gateway's extensions. If the gateway accepts a payment identifier, adds a new one, so that the gateway recognizes
 * the payment again even if the nonce differs.
 */
function echo({ extensions }: PaymentRequired): Record<string, unknown> | undefined {
  const offered = extensions?.[PAYMENT_IDENTIFIER];
  if (typeof offered !== "object" || offered === null) return extensions;
  const info: unknown = Reflect.get(offered, "info");
  const named = { ...(typeof info === "object" ? info : {}), id: `pay_${randomHex()}` };
  return { ...extensions, [PAYMENT_IDENTIFIER]: { ...offered, info: named } };
}
