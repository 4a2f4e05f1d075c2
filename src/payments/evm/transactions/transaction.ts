import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { type Address, type Hex } from "../../x402/address.ts";
import { type Signer } from "../signers/signer.ts";

/** A transaction of EIP-1559, without access list. Fees are in wei per unit of gas. */
export interface Transaction {
  readonly chainId: bigint;
  readonly nonce: bigint;
  readonly tip: bigint;
  readonly maxFee: bigint;
  readonly gas: bigint;
  readonly to: Address;
  readonly data: Hex;
  /** In wei; default 0. */
  readonly value?: bigint | undefined;
}

export interface SignedTransaction {
  readonly raw: Hex;
  readonly hash: Hex;
}

const TYPE_EIP1559 = 2;
/** Longest payload whose length RLP puts into a single byte. */
const SHORT = 55;

type Item = Uint8Array | readonly Item[];

function prefix(length: number, base: number): Uint8Array {
  if (length <= SHORT) return Uint8Array.of(base + length);
  const size = numberBytes(BigInt(length));
  return Uint8Array.of(base + SHORT + size.length, ...size);
}

/** Recursive-length prefix, Ethereum's yellow paper, appendix B. */
function rlp(item: Item): Uint8Array {
  if (item instanceof Uint8Array) {
    const [first] = item;
    if (item.length === 1 && first !== undefined && first < 0x80) return item;
    return Buffer.concat([prefix(item.length, 0x80), item]);
  }
  const body = Buffer.concat(item.map(rlp));
  return Buffer.concat([prefix(body.length, 0xc0), body]);
}

/** Big-endian without leading zeros; 0 has no bytes. */
function numberBytes(value: bigint): Uint8Array {
  if (value === 0n) return new Uint8Array();
  const digits = value.toString(16);
  return hexToBytes(digits.padStart(digits.length + (digits.length % 2), "0"));
}

function envelope(fields: readonly Item[]): Uint8Array {
  return Buffer.concat([Uint8Array.of(TYPE_EIP1559), rlp(fields)]);
}

function fieldsOf({ chainId, nonce, tip, maxFee, gas, to, data, value = 0n }: Transaction): readonly Item[] {
  return [
    ...[chainId, nonce, tip, maxFee, gas].map(numberBytes),
    hexToBytes(to.slice(2)),
    numberBytes(value),
    hexToBytes(data.slice(2)),
    [],
  ];
}

/** The bytes whose keccak-256 is signed. */
export function preimageOf(transaction: Transaction): Uint8Array {
  return envelope(fieldsOf(transaction));
}

/** The transaction with a signature of 65 bytes: recovery id, r, s. */
export function withSignature(transaction: Transaction, signature: Uint8Array): SignedTransaction {
  const word = (from: number): Uint8Array =>
    numberBytes(BigInt(`0x${bytesToHex(signature.subarray(from, from + 32))}`));
  const signed = envelope([...fieldsOf(transaction), numberBytes(BigInt(signature[0] ?? 0)), word(1), word(33)]);
  return { raw: `0x${bytesToHex(signed)}`, hash: `0x${bytesToHex(keccak_256(signed))}` };
}

/** Signs a transaction. Rejects with SignerError. */
export async function signTransaction(transaction: Transaction, signer: Signer): Promise<SignedTransaction> {
  return withSignature(transaction, await signer.sign(preimageOf(transaction)));
}
