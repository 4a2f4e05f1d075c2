import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { type Hex } from "../../x402/address.ts";
import { type SignedTransaction, type Transaction, withSignature } from "./transaction.ts";

/** Longest transaction that is read, in bytes: an approval has some 180. A longer one is not read. */
const MAX_TRANSACTION_BYTES = 258;
/** Chain id, nonce, tip, fee, gas, recipient, value, data, access list, and the three parts of the signature. */
const FIELDS = 12;
const DATA = 7;
const WORD = 32;
const NO_BYTES = new Uint8Array();

/** A transaction that another program has signed. `signature` has 65 bytes: recovery id, r, s. */
export interface ReadTransaction extends SignedTransaction {
  readonly transaction: Transaction;
  readonly signature: Uint8Array;
}

/** The items of an RLP list: strings of at most 255 bytes, and empty lists. Undefined for others. */
function itemsOf(bytes: Uint8Array): readonly Uint8Array[] | undefined {
  const items: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] ?? 0;
    if (first > 0xb8 && first !== 0xc0) return undefined;
    // A byte below 0x80 is the string itself. After 0xb8 the length follows. 0xc0 is an empty list.
    const header = first < 0x80 ? 0 : first === 0xb8 ? 2 : 1;
    const length = header === 0 ? 1 : header === 2 ? (bytes[at + 1] ?? 0) : first === 0xc0 ? 0 : first - 0x80;
    const end = at + header + length;
    if (end > bytes.length) return undefined;
    items.push(bytes.subarray(at + header, end));
    at = end;
  }
  return items;
}

function numberOf(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${bytesToHex(bytes)}`);
}

function padded(bytes: Uint8Array): Uint8Array {
  const word = new Uint8Array(WORD);
  word.set(bytes, WORD - bytes.length);
  return word;
}

/**
 * Reads a signed transaction of EIP-1559 without access list; undefined for any other bytes. The signature is not
 * checked.
 */
export function readTransaction(raw: Hex): ReadTransaction | undefined {
  if (raw.length > 2 + 2 * MAX_TRANSACTION_BYTES) return undefined;
  const bytes = hexToBytes(raw.slice(2));
  // The type, and a list whose length is in one byte.
  if (bytes[0] !== 2 || bytes[1] !== 0xf8) return undefined;
  const items = itemsOf(bytes.subarray(3));
  if (items?.length !== FIELDS || items.some((item, i) => i !== DATA && item.length > WORD)) return undefined;
  const item = (index: number): Uint8Array => items[index] ?? NO_BYTES;
  const transaction: Transaction = {
    chainId: numberOf(item(0)),
    nonce: numberOf(item(1)),
    tip: numberOf(item(2)),
    maxFee: numberOf(item(3)),
    gas: numberOf(item(4)),
    to: `0x${bytesToHex(item(5))}`,
    value: numberOf(item(6)),
    data: `0x${bytesToHex(item(DATA))}`,
  };
  const signature = Uint8Array.of(item(9)[0] ?? 0, ...padded(item(10)), ...padded(item(11)));
  const signed = withSignature(transaction, signature);
  // Each transaction has one form, so another one would be read wrongly.
  return signed.raw === raw.toLowerCase() ? { ...signed, transaction, signature } : undefined;
}
