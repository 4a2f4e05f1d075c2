import { createHmac, timingSafeEqual } from "node:crypto";

/** The `Payment` scheme of HTTP authentication (draft-httpauth-payment-00). */
export const PAYMENT_SCHEME = "Payment";
/** The field with the payment methods that a client accepts. */
export const ACCEPT_PAYMENT = "Accept-Payment";

/** A challenge without its id. `request` and `opaque` are canonical JSON in base64url, `expires` is of RFC 3339. */
export interface ChallengeTerms {
  readonly realm: string;
  readonly method: string;
  readonly intent: string;
  readonly request: string;
  readonly expires?: string | undefined;
  /** Of the request's body, by RFC 9530. */
  readonly digest?: string | undefined;
  readonly opaque?: string | undefined;
}

export interface PaymentChallenge extends ChallengeTerms {
  readonly id: string;
}

const NAMES = ["id", "realm", "method", "intent", "request", "expires", "digest", "opaque"] as const;

/** The id that binds the terms to a secret (§5.1.2.1.1): an absent member is an empty slot. */
export function challengeId(terms: ChallengeTerms, secret: Uint8Array): string {
  const { realm, method, intent, request, expires = "", digest = "", opaque = "" } = terms;
  const slots = [realm, method, intent, request, expires, digest, opaque].join("|");
  return createHmac("sha256", secret).update(slots).digest("base64url");
}

/** True if one of the secrets gives the challenge its id. */
export function isIssued(challenge: PaymentChallenge, secrets: readonly Uint8Array[]): boolean {
  const id = Buffer.from(challenge.id);
  return secrets.some((secret) => {
    const expected = Buffer.from(challengeId(challenge, secret));
    return expected.length === id.length && timingSafeEqual(expected, id);
  });
}

/** A challenge as a value of WWW-Authenticate. */
export function writeChallenge(challenge: PaymentChallenge): string {
  const parameters = NAMES.flatMap((name) => {
    const value = challenge[name];
    return value === undefined ? [] : [`${name}="${value.replace(/["\\]/g, "\\$&")}"`];
  });
  return `${PAYMENT_SCHEME} ${parameters.join(", ")}`;
}
