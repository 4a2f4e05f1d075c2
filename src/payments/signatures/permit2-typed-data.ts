import { type Hex } from "../x402/address.ts";
import { hashType, hashWords, numberWord, signedHash, word } from "./eip712.ts";
import { type Permit2Payment } from "../x402/messages.ts";
import { chainId, type EvmNetwork } from "../x402/networks.ts";
import { PERMIT2 } from "../x402/transfer.ts";

/** What a payer signs under Permit2, with x402's witness. Numbers are decimal strings, times Unix seconds. */
export type Permit2Authorization = Readonly<Permit2Payment["payload"]["permit2Authorization"]>;

const DOMAIN_TYPE = "EIP712Domain(string name,uint256 chainId,address verifyingContract)";
const DOMAIN_NAME = "Permit2";

const TOKEN_PERMISSIONS = "TokenPermissions(address token,uint256 amount)";
const EXACT_WITNESS = "Witness(address to,uint256 validAfter)";
const UPTO_WITNESS = "Witness(address to,address facilitator,uint256 validAfter)";
const DEPOSIT_WITNESS = "DepositWitness(bytes32 channelId)";
const PERMIT = "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,";

const EXACT_PERMIT = `${PERMIT}Witness witness)${TOKEN_PERMISSIONS}${EXACT_WITNESS}`;
const UPTO_PERMIT = `${PERMIT}Witness witness)${TOKEN_PERMISSIONS}${UPTO_WITNESS}`;
// EIP-712 puts the types of members behind it in the order of their names.
const DEPOSIT_PERMIT = `${PERMIT}DepositWitness witness)${DEPOSIT_WITNESS}${TOKEN_PERMISSIONS}`;

function domainHash(network: EvmNetwork): Uint8Array {
  return hashWords([
    hashType(DOMAIN_TYPE),
    hashType(DOMAIN_NAME),
    numberWord(chainId(network)),
    word(PERMIT2.slice(2)),
  ]);
}

function witnessHash({ to, facilitator, validAfter }: Permit2Authorization["witness"]): Uint8Array {
  return hashWords([
    hashType(facilitator === undefined ? EXACT_WITNESS : UPTO_WITNESS),
    word(to.slice(2)),
    ...(facilitator === undefined ? [] : [word(facilitator.slice(2))]),
    numberWord(BigInt(validAfter)),
  ]);
}

/** The members that every permit has. */
type Permit = Pick<Permit2Authorization, "permitted" | "spender" | "nonce" | "deadline">;

function permitHash(network: EvmNetwork, permit: Permit, type: string, witness: Uint8Array): Uint8Array {
  const { permitted, spender, nonce, deadline } = permit;
  const message = hashWords([
    hashType(type),
    hashWords([hashType(TOKEN_PERMISSIONS), word(permitted.token.slice(2)), numberWord(BigInt(permitted.amount))]),
    word(spender.slice(2)),
    numberWord(BigInt(nonce)),
    numberWord(BigInt(deadline)),
    witness,
  ]);
  return signedHash(domainHash(network), message);
}

/**
 * The EIP-712 hash of a Permit2 PermitWitnessTransferFrom: the 32 bytes that are signed. Uses the `upto` form of the
 * witness if it names a facilitator, otherwise the `exact` form.
 */
export function permit2Hash(network: EvmNetwork, authorization: Permit2Authorization): Uint8Array {
  const { witness } = authorization;
  const type = witness.facilitator === undefined ? EXACT_PERMIT : UPTO_PERMIT;
  return permitHash(network, authorization, type, witnessHash(witness));
}

/** Like `permit2Hash`, for a deposit into the channel `id`. */
export function permit2DepositHash(network: EvmNetwork, permit: Permit, id: Hex): Uint8Array {
  return permitHash(network, permit, DEPOSIT_PERMIT, hashWords([hashType(DEPOSIT_WITNESS), word(id.slice(2))]));
}
