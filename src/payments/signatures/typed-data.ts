import { type Address } from "../x402/address.ts";
import { hashText, hashType, hashWords, numberWord, signedHash, word } from "./eip712.ts";
import { type Eip3009Payment } from "../x402/messages.ts";
import { chainId, type EvmNetwork } from "../x402/networks.ts";

/** The message that a payer signs under EIP-3009. Numbers are decimal strings. */
export type Authorization = Readonly<Eip3009Payment["payload"]["authorization"]>;

/** The EIP-712 domain of a token. */
export interface TokenDomain {
  readonly name: string;
  readonly version: string;
  readonly network: EvmNetwork;
  readonly asset: Address;
}

const DOMAIN_TYPE = "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";
const FIELDS = "(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)";

/** The hash of an EIP-712 domain with these four fields. */
export function domainHash({ name, version, network, asset }: TokenDomain): Uint8Array {
  return hashWords([
    hashType(DOMAIN_TYPE),
    hashText(name),
    hashText(version),
    numberWord(chainId(network)),
    word(asset.slice(2)),
  ]);
}

/**
 * The EIP-712 hash of an EIP-3009 authorization: the 32 bytes that are signed. One of the type `ReceiveWithAuthorization`
 * can be used only by its recipient.
 */
export function authorizationHash(
  domain: TokenDomain,
  authorization: Authorization,
  type: "TransferWithAuthorization" | "ReceiveWithAuthorization" = "TransferWithAuthorization",
): Uint8Array {
  const message = hashWords([
    hashType(`${type}${FIELDS}`),
    word(authorization.from.slice(2)),
    word(authorization.to.slice(2)),
    numberWord(BigInt(authorization.value)),
    numberWord(BigInt(authorization.validAfter)),
    numberWord(BigInt(authorization.validBefore)),
    word(authorization.nonce.slice(2)),
  ]);
  return signedHash(domainHash(domain), message);
}
