import { type Account } from "../signatures/signature.ts";
import { signTransfer } from "../signatures/sign-transfer.ts";
import { type PaymentRequirements, type Receipt } from "../x402/messages.ts";
import { decodeJson } from "../mpp/canonical-json.ts";
import { type PaymentChallenge, readChallenges } from "../mpp/challenge.ts";
import { writeCredential } from "../mpp/credential.ts";
import { CHARGE, challengeNonce, EVM, payerDid, readChargeRequest, writeAuthorization } from "../mpp/evm-charge.ts";
import { PAYMENT_RECEIPT } from "../mpp/receipt.ts";
import { type Choice, PaymentDeclined } from "./choice.ts";

/** The least seconds that a challenge must still be valid, so that its payment can be settled in time. */
const MIN_VALID_S = 10;

/** The charges of a 402 by the `Payment` scheme, with the challenge that each one is for. */
export type Charges = ReadonlyMap<PaymentRequirements, PaymentChallenge>;

interface Asking {
  /** Unix milliseconds. */
  readonly now: number;
  readonly url: string;
  readonly headers: Headers;
}

/**
 * Reads the charges that one EIP-3009 authorization can pay, in the form of x402's requirements. Empty if the request has
 * credentials of its own, which the payment would replace, or if the network could read the payment.
 */
export function chargesIn({ headers }: Response, { now, url, headers: sent }: Asking): Charges {
  const field = headers.get("www-authenticate");
  if (field === null || sent.has("authorization") || !isPrivate(url)) return new Map();
  return new Map(
    readChallenges(field).flatMap((challenge) => {
      const asked = challenge.method === EVM && challenge.intent === CHARGE && readChargeRequest(challenge.request);
      const seconds = challenge.expires === undefined ? 300 : Math.floor((Date.parse(challenge.expires) - now) / 1000);
      if (asked === false || asked === undefined || !(seconds >= MIN_VALID_S)) return [];
      return [[{ ...asked, scheme: "exact", maxTimeoutSeconds: seconds, extra: {} }, challenge] as const];
    }),
  );
}

/** The value of Authorization that pays for a challenge. It is valid until `expires` (Unix seconds). */
export function signCharge(challenge: PaymentChallenge, choice: Choice, account: Account, expires: number): string {
  const nonce = challengeNonce(challenge).slice(2);
  const payload = signTransfer({ ...choice, method: "eip3009", validBefore: expires, nonce }, account);
  if (!("authorization" in payload)) throw new PaymentDeclined("Cannot pay: the challenge needs an EIP-3009 signature");
  const source = payerDid(choice.requirements, account.address);
  return writeCredential({ challenge, source, payload: writeAuthorization(payload) });
}

/** The receipt of a charge in the form of x402. Undefined if there is no receipt of a success. */
export function chargeReceipt({ headers }: Response, { requirements }: Choice, account: Account): Receipt | undefined {
  const receipt = decodeJson(headers.get(PAYMENT_RECEIPT) ?? "");
  if (typeof receipt !== "object" || receipt === null) return undefined;
  const member = (name: string): unknown => Reflect.get(receipt, name);
  const transaction = member("reference");
  const isOurs = member("status") === "success" && member("method") === EVM && typeof transaction === "string";
  if (!isOurs || !/^0x[0-9a-fA-F]{64}$/.test(transaction)) return undefined;
  return { success: true, transaction, network: requirements.network, payer: account.address };
}

/** The scheme requires TLS; a server on the same machine needs none. */
function isPrivate(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || /^(?:localhost|127(?:\.[0-9]+){3}|\[::1\])$/.test(hostname);
}
