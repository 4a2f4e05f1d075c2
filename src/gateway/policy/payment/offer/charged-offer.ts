import { checkTerms } from "../../../../payments/signatures/check-payment.ts";
import { challengeNonce, payerDid, readChargeRequest } from "../../../../payments/mpp/evm-charge.ts";
import { type Eip3009Payment, type PaymentRequirements } from "../../../../payments/x402/messages.ts";
import { NO_MATCH } from "../../../../payments/x402/terms.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { type ChallengeError } from "../challenge/challenge.ts";
import { type PaidRoute } from "../route/paid-route.ts";
import { type PresentedCredential } from "../mpp/presented-credential.ts";

/** A credential as an `exact` payment of x402, with the reason why it is not accepted. */
export interface ChargedOffer {
  readonly payload: Eip3009Payment;
  readonly requirements: PaymentRequirements;
  readonly error: ChallengeError | undefined;
}

/**
 * The payment of a credential. The authorization is the same as in x402, so it has the same key in the ledger, the same
 * facilitators, and is spent once by both protocols (decision 0819). Undefined if its challenge is not for a charge.
 */
export function chargedOffer(
  { accepts, auth, clock }: PaidRoute,
  exchange: Exchange,
  { credential, payment: { payload } }: PresentedCredential,
): ChargedOffer | undefined {
  const { challenge, source } = credential;
  const asked = readChargeRequest(challenge.request);
  if (asked === undefined) return undefined;
  const agreed = accepts.current()?.chargedBy(challenge.request);
  // Of terms that have changed, only existing work is looked up.
  const requirements = agreed ?? { ...asked, scheme: "exact", maxTimeoutSeconds: 1, extra: {} };
  const payment = { x402Version: 2, accepted: requirements, payload } as const;
  const { from, nonce } = payload.authorization;
  const isBound =
    nonce.toLowerCase() === challengeNonce(challenge) &&
    (source === undefined || source.toLowerCase() === payerDid(asked, from).toLowerCase());
  const error =
    auth?.errorOf(exchange, credential) ??
    (agreed === undefined ? NO_MATCH : undefined) ??
    (isBound ? checkTerms(payment, requirements, clock() / 1000) : "challenge_signature_mismatch");
  return { payload: payment, requirements, error };
}
