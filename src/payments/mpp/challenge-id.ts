import { createHmac, timingSafeEqual } from "node:crypto";
import { type ChallengeTerms, type PaymentChallenge } from "./challenge.ts";

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
