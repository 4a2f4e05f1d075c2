import { PROXIES } from "../x402/transfer.ts";
import { hexToBytes } from "@noble/hashes/utils.js";
import { type Address, isAddress } from "../x402/address.ts";
import { type PaymentRequirements, type Permit2Payment } from "../x402/messages.ts";
import { parseEvmNetwork } from "../x402/networks.ts";
import { type Permit2Authorization, permit2Hash } from "../signatures/permit2-typed-data.ts";
import { signHash } from "../signatures/signature.ts";
import { facilitatorOf } from "../x402/terms.ts";
import { freshNonce, PAYER, PRIVATE_KEY } from "./payment.ts";

function addressOf(text: string): Address {
  if (!isAddress(text)) throw new Error(`Cannot sign a payment: "${text}" is not an address`);
  return text;
}

/**
 * The authorization that a payer signs for Permit2 `requirements`. `change` is applied before signing. `now` is in Unix
 * seconds.
 */
export function permit2Authorization(
  requirements: PaymentRequirements,
  now: number,
  change: Partial<Permit2Authorization> = {},
): Permit2Authorization {
  const facilitator = facilitatorOf(requirements.extra);
  return {
    permitted: { token: addressOf(requirements.asset), amount: requirements.amount },
    from: PAYER,
    spender: PROXIES[requirements.scheme === "upto" ? "upto" : "exact"],
    nonce: String(BigInt(freshNonce())),
    deadline: String(Math.floor(now) + requirements.maxTimeoutSeconds),
    witness: {
      to: addressOf(requirements.payTo),
      ...(facilitator === undefined ? {} : { facilitator }),
      validAfter: "0",
    },
    ...change,
  };
}

/** A payment that fits `requirements`, unless it is changed. Signed with PAYER's key by default. */
export function signedPermit2(
  requirements: PaymentRequirements,
  now: number,
  change: Partial<Permit2Authorization> = {},
  privateKey: Uint8Array = hexToBytes(PRIVATE_KEY.slice(2)),
): Permit2Payment {
  const network = parseEvmNetwork(requirements.network);
  if (network === undefined) throw new Error(`Cannot sign a payment: "${requirements.network}" is not a network`);
  const authorization = permit2Authorization(requirements, now, change);
  const signature = signHash(permit2Hash(network, authorization), privateKey);
  return {
    x402Version: 2,
    accepted: requirements,
    payload: { signature, permit2Authorization: authorization },
  };
}
