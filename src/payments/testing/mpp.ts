import { hexToBytes } from "@noble/hashes/utils.js";
import { type PaymentChallenge, readChallenges } from "../mpp/challenge.ts";
import { writeCredential } from "../mpp/credential.ts";
import { challengeNonce, payerDid, readChargeRequest, writeAuthorization } from "../mpp/evm-charge.ts";
import { signHash } from "../signatures/signature.ts";
import { type Authorization, authorizationHash } from "../signatures/typed-data.ts";
import { parseEvmNetwork } from "../x402/networks.ts";
import { isAddress } from "../x402/address.ts";
import { PAYER, PRIVATE_KEY } from "./payment.ts";

/** The challenges of the `Payment` scheme in a response. */
export function challengesOf(response: Response): readonly PaymentChallenge[] {
  return readChallenges(response.headers.get("www-authenticate") ?? "");
}

/** The parts of a credential that a test changes. */
export interface CredentialChanges {
  /** Before the signature. */
  readonly authorization?: Partial<Authorization>;
  readonly payload?: Readonly<Record<string, string>>;
  readonly challenge?: Partial<PaymentChallenge>;
  readonly source?: string;
  /** The domain of the token; by default USDC on Base Sepolia. */
  readonly domain?: { readonly name: string; readonly version: string };
}

/** The value of Authorization that pays for a challenge, signed by `PAYER`. */
export function answerTo(challenge: PaymentChallenge, changes: CredentialChanges = {}): string {
  const asked = readChargeRequest(challenge.request);
  const network = parseEvmNetwork(asked?.network ?? "");
  if (asked === undefined || network === undefined || !isAddress(asked.asset) || !isAddress(asked.payTo)) {
    throw new Error("Cannot pay for the challenge: it is not for a charge");
  }
  const authorization: Authorization = {
    from: PAYER,
    to: asked.payTo,
    value: asked.amount,
    validAfter: "0",
    validBefore: String(Math.floor(Date.parse(challenge.expires ?? "") / 1000)),
    nonce: challengeNonce(challenge),
    ...changes.authorization,
  };
  const hash = authorizationHash(
    { name: "USDC", version: "2", ...changes.domain, network, asset: asked.asset },
    authorization,
  );
  const signature = signHash(hash, hexToBytes(PRIVATE_KEY.slice(2)));
  return writeCredential({
    challenge: { ...challenge, ...changes.challenge },
    source: changes.source ?? payerDid(asked, PAYER),
    payload: { ...writeAuthorization({ signature, authorization }), ...changes.payload },
  });
}
