import { type Address } from "../x402/address.ts";
import { hashText, hashWords, numberWord, signedHash, word } from "./eip712.ts";
import { type Permit2Payment } from "../x402/messages.ts";
import { chainId, type Network } from "../x402/networks.ts";
import { PERMIT2 } from "../x402/transfer.ts";

/** What a payer signs under Permit2, with x402's witness. Numbers are decimal strings, times Unix seconds. */
export type Permit2Authorization = Readonly<Permit2Payment["payload"]["permit2Authorization"]>;

/** x402's proxies, the spenders under Permit2: equal on every chain, and they send only to the witness's `to`. */
export const PROXIES: Readonly<Record<"exact" | "upto", Address>> = {
  exact: "0x402085c248EeA27D92E8b30b2C58ed07f9E20001",
  upto: "0x4020A4f3b7b90ccA423B9fabCc0CE57C6C240002",
};

const DOMAIN_TYPE = hashText("EIP712Domain(string name,uint256 chainId,address verifyingContract)");
const DOMAIN_NAME = hashText("Permit2");

const TOKEN_PERMISSIONS = "TokenPermissions(address token,uint256 amount)";
const EXACT_WITNESS = "Witness(address to,uint256 validAfter)";
const UPTO_WITNESS = "Witness(address to,address facilitator,uint256 validAfter)";
const PERMIT =
  "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,Witness witness)";

const TOKEN_PERMISSIONS_TYPE = hashText(TOKEN_PERMISSIONS);
const EXACT_WITNESS_TYPE = hashText(EXACT_WITNESS);
const UPTO_WITNESS_TYPE = hashText(UPTO_WITNESS);
const EXACT_PERMIT_TYPE = hashText(PERMIT + TOKEN_PERMISSIONS + EXACT_WITNESS);
const UPTO_PERMIT_TYPE = hashText(PERMIT + TOKEN_PERMISSIONS + UPTO_WITNESS);

function domainHash(network: Network): Uint8Array {
  return hashWords([DOMAIN_TYPE, DOMAIN_NAME, numberWord(chainId(network)), word(PERMIT2.slice(2))]);
}

function witnessHash({ to, facilitator, validAfter }: Permit2Authorization["witness"]): Uint8Array {
  return hashWords([
    facilitator === undefined ? EXACT_WITNESS_TYPE : UPTO_WITNESS_TYPE,
    word(to.slice(2)),
    ...(facilitator === undefined ? [] : [word(facilitator.slice(2))]),
    numberWord(BigInt(validAfter)),
  ]);
}

/**
 * The EIP-712 hash of a Permit2 PermitWitnessTransferFrom: the 32 bytes that are signed. Uses the `upto` form of the
 * witness if it names a facilitator, otherwise the `exact` form.
 */
export function permit2Hash(network: Network, authorization: Permit2Authorization): Uint8Array {
  const { permitted, spender, nonce, deadline, witness } = authorization;
  const message = hashWords([
    witness.facilitator === undefined ? EXACT_PERMIT_TYPE : UPTO_PERMIT_TYPE,
    hashWords([TOKEN_PERMISSIONS_TYPE, word(permitted.token.slice(2)), numberWord(BigInt(permitted.amount))]),
    word(spender.slice(2)),
    numberWord(BigInt(nonce)),
    numberWord(BigInt(deadline)),
    witnessHash(witness),
  ]);
  return signedHash(domainHash(network), message);
}
