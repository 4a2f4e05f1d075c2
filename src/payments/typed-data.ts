import { keccak_256 } from "@noble/hashes/sha3.js";
import { hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { type Address, type Hex } from "./address.ts";
import { chainId, type Network } from "./networks.ts";

/** What a payer signs under EIP-3009. Numbers are decimal strings. */
// A type and no interface: it must fit the open-ended objects of x402's messages.
export type Authorization = {
  readonly from: Address;
  readonly to: Address;
  readonly value: string;
  readonly validAfter: string;
  readonly validBefore: string;
  readonly nonce: Hex;
};

/** The EIP-712 domain of a token. */
export interface TokenDomain {
  readonly name: string;
  readonly version: string;
  readonly network: Network;
  readonly asset: Address;
}

const DOMAIN_TYPE = typeHash("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
const TRANSFER_TYPE = typeHash(
  "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)",
);

function typeHash(type: string): Uint8Array {
  return keccak_256(utf8ToBytes(type));
}

/** A value of at most 32 bytes as hex, in a word of 32. */
function word(hex: string): Uint8Array {
  return hexToBytes(hex.padStart(64, "0"));
}

function numberWord(value: bigint): Uint8Array {
  return word(value.toString(16));
}

function hashWords(words: readonly Uint8Array[]): Uint8Array {
  const hash = keccak_256.create();
  for (const item of words) hash.update(item);
  return hash.digest();
}

/** A gateway sees few domains, and each costs four hashes. */
const MAX_DOMAINS = 64;
const domains = new Map<string, Uint8Array>();

function domainHash(domain: TokenDomain): Uint8Array {
  const key = JSON.stringify([domain.name, domain.version, domain.network, domain.asset]);
  const known = domains.get(key);
  if (known !== undefined) return known;
  const hash = hashWords([
    DOMAIN_TYPE,
    keccak_256(utf8ToBytes(domain.name)),
    keccak_256(utf8ToBytes(domain.version)),
    numberWord(chainId(domain.network)),
    word(domain.asset.slice(2)),
  ]);
  if (domains.size >= MAX_DOMAINS) domains.clear();
  domains.set(key, hash);
  return hash;
}

/** The EIP-712 hash of an EIP-3009 TransferWithAuthorization: 32 bytes, what is signed. */
export function authorizationHash(domain: TokenDomain, authorization: Authorization): Uint8Array {
  const message = hashWords([
    TRANSFER_TYPE,
    word(authorization.from.slice(2)),
    word(authorization.to.slice(2)),
    numberWord(BigInt(authorization.value)),
    numberWord(BigInt(authorization.validAfter)),
    numberWord(BigInt(authorization.validBefore)),
    word(authorization.nonce.slice(2)),
  ]);
  return hashWords([Uint8Array.of(0x19, 0x01), domainHash(domain), message]);
}
