import { type Credential, readCredential } from "../../../../payments/mpp/credential.ts";
import { CHARGE, EVM, readAuthorization } from "../../../../payments/mpp/evm-charge.ts";
import { paymentProblem, type Problem } from "../../../../payments/mpp/problems.ts";
import { type Eip3009Payment } from "../../../../payments/x402/messages.ts";

/** The credential of a request. Neither its challenge nor its signature is checked. */
export interface PresentedCredential {
  readonly version: "mpp";
  /** As it was sent. */
  readonly header: string;
  readonly credential: Credential;
  readonly payment: { readonly payload: Eip3009Payment["payload"] };
}

/** Reads the credential of a request; a problem if it is not one that the gateway accepts. `encoded` is empty: several. */
export function readPresentedCredential(encoded: string): PresentedCredential | Problem {
  const credential = readCredential(encoded);
  if (credential === undefined) {
    return paymentProblem("malformed-credential", "There must be one credential: base64url of JSON, without padding.");
  }
  const { method, intent } = credential.challenge;
  if (method !== EVM || intent !== CHARGE) {
    return paymentProblem("method-unsupported", `The gateway accepts ${EVM}/${CHARGE} only.`);
  }
  const payload = readAuthorization(credential.payload);
  if (payload === undefined) {
    return paymentProblem(
      "malformed-credential",
      'The payload must be an EIP-3009 authorization: type "authorization".',
    );
  }
  return { version: "mpp", header: encoded, credential, payment: { payload } };
}
