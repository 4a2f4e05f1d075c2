import { z } from "zod";
import { MAX_HEADER_LENGTH } from "../x402/header.ts";
import { decodeJson, encodeJson, type CanonicalJson } from "./canonical-json.ts";
import { type PaymentChallenge, PAYMENT_SCHEME } from "./challenge.ts";

const text = z.string().max(MAX_HEADER_LENGTH);

const credentialSchema = z.looseObject({
  challenge: z.looseObject({
    id: text.min(1),
    realm: text,
    method: text,
    intent: text,
    request: text,
    expires: text.optional(),
    digest: text.optional(),
    opaque: text.optional(),
  }),
  source: text.optional(),
  payload: z.record(z.string(), z.unknown()),
});

/** A payment for a challenge. `payload` depends on the method and intent of the challenge. */
export interface Credential {
  readonly challenge: PaymentChallenge;
  /** The payer, as a DID. */
  readonly source?: string | undefined;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Reads a credential. Undefined if it is too long, or not base64url, JSON or a credential. */
export function readCredential(encoded: string): Credential | undefined {
  if (encoded.length > MAX_HEADER_LENGTH) return undefined;
  const { success, data } = credentialSchema.safeParse(decodeJson(encoded));
  return success ? data : undefined;
}

/** A credential as a value of Authorization. */
export function writeCredential(credential: {
  readonly challenge: PaymentChallenge;
  readonly source: string;
  readonly payload: Readonly<Record<string, string>>;
}): string {
  const { challenge, source, payload } = credential;
  const echo: Record<string, CanonicalJson> = {};
  for (const [name, value] of Object.entries(challenge)) if (typeof value === "string") echo[name] = value;
  return `${PAYMENT_SCHEME} ${encodeJson({ challenge: echo, source, payload })}`;
}
