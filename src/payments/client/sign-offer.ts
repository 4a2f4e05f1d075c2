import { isAddress } from "../signatures/address.ts";
import { encodeHeader, MAX_HEADER_LENGTH } from "../x402/header.ts";
import { type PaymentPayload, type PaymentRequired, type PaymentRequirements } from "../x402/messages.ts";
import { type Offer, PaymentDeclined } from "./offers.ts";
import { type Permit2Authorization, permit2Hash, PROXIES } from "../signatures/permit2-typed-data.ts";
import { signHash } from "../signatures/signature.ts";
import { type Authorization, authorizationHash } from "../signatures/typed-data.ts";
import { type Account } from "./wallet.ts";

/** The longest that a signed payment stays good, in seconds, whatever the gateway asks for. */
const MAX_VALID_S = 600;
const PAYMENT_IDENTIFIER = "payment-identifier";

/** Signs for an offer; `now` in Unix milliseconds. Echoes the gateway's extensions as far as a header has room for them. */
export function signOffer(required: PaymentRequired, offer: Offer, account: Account, now: number): PaymentPayload {
  const { requirements } = offer;
  const until = String(Math.floor(now / 1000) + Math.min(requirements.maxTimeoutSeconds, MAX_VALID_S));
  const payload = offer.method === "permit2" ? permit(offer, account, until) : authorize(offer, account, until);
  const payment: PaymentPayload = { x402Version: 2, resource: required.resource, accepted: requirements, payload };
  const extensions = echo(required);
  const whole = extensions === undefined ? payment : { ...payment, extensions };
  if (encodeHeader(whole).length <= MAX_HEADER_LENGTH) return whole;
  // What is left out is no mismatch; a payment that is too long is none.
  const id = extensions?.[PAYMENT_IDENTIFIER];
  return id === undefined ? payment : { ...payment, extensions: { [PAYMENT_IDENTIFIER]: id } };
}

function payeeOf({ payTo }: PaymentRequirements) {
  if (!isAddress(payTo)) throw new PaymentDeclined("Cannot pay: the payee is not an address");
  return payTo;
}

function authorize({ requirements, asset }: Offer, account: Account, validBefore: string) {
  const authorization: Authorization = {
    from: account.address,
    to: payeeOf(requirements),
    value: requirements.amount,
    validAfter: "0",
    validBefore,
    nonce: `0x${randomHex()}`,
  };
  // The domain is the token's as known here: one that the gateway names could make the signature good for another token.
  const domain = { name: asset.name, version: asset.version, network: asset.network, asset: asset.address };
  return { signature: signHash(authorizationHash(domain, authorization), account.privateKey), authorization };
}

function permit({ requirements, asset }: Offer, account: Account, deadline: string) {
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

/** 32 bytes. Nothing of one runtime's: this also runs in the programs of callers. */
function randomHex(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The gateway's extensions, with an id of ours where it takes one: by that it knows the payment again, whatever the nonce. */
function echo({ extensions }: PaymentRequired): Record<string, unknown> | undefined {
  const offered = extensions?.[PAYMENT_IDENTIFIER];
  if (typeof offered !== "object" || offered === null) return extensions;
  const info: unknown = Reflect.get(offered, "info");
  const named = { ...(typeof info === "object" ? info : {}), id: `pay_${randomHex()}` };
  return { ...extensions, [PAYMENT_IDENTIFIER]: { ...offered, info: named } };
}
