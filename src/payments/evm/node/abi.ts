import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { type Address, type Hex } from "../../x402/address.ts";
import { UINT256_MAX } from "../../x402/price.ts";

/** A tuple with a part of no fixed length, or an array of such tuples or of bytes. */
interface Nested {
  readonly kind: "tuple" | "array";
  readonly items: readonly Argument[];
}

/**
 * An argument of a call: a number, hex of at most 32 bytes (an address or a hash), bytes of any length, or a tuple or array
 * with such bytes. A tuple of words is passed word by word. Other types are not needed here.
 */
export type Argument = bigint | Hex | Uint8Array | Nested;

const WORD_BYTES = 32;
const WORD_DIGITS = 2 * WORD_BYTES;

/**
 * The hash of a signature: the first topic of an event.
 * @internal
 */
export function eventTopic(signature: string): Hex {
  return `0x${bytesToHex(keccak_256(utf8ToBytes(signature)))}`;
}

/** The topic of the event that an ERC-20 token emits for a transfer. Computed when the program starts, these topics would take 2 ms. */
export const TRANSFER: Hex = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

function numberDigits(value: bigint): string {
  // A longer number would move the following arguments.
  if (value < 0n || value > UINT256_MAX) throw new Error("Cannot encode a call: a number is not a uint256");
  return value.toString(16).padStart(WORD_DIGITS, "0");
}

/** Pads hex of at most 32 bytes to a word, the form of topics. */
export function toWord(hex: Hex): Hex {
  if (hex.length > 2 + WORD_DIGITS) throw new Error("Cannot encode a call: a word has more than 32 bytes");
  return `0x${hex.slice(2).toLowerCase().padStart(WORD_DIGITS, "0")}`;
}

/** Encodes the arguments of a constructor, as hex without `0x`. */
export function encodeArguments(args: readonly Argument[]): string {
  let head = "";
  let tail = "";
  for (const arg of args) {
    if (typeof arg === "bigint") head += numberDigits(arg);
    else if (typeof arg === "string") head += toWord(arg).slice(2);
    else {
      head += numberDigits(BigInt(args.length * WORD_BYTES + tail.length / 2));
      tail += arg instanceof Uint8Array ? bytesDigits(arg) : nestedDigits(arg);
    }
  }
  return head + tail;
}

function bytesDigits(bytes: Uint8Array): string {
  const digits = bytesToHex(bytes);
  const room = Math.ceil(digits.length / WORD_DIGITS) * WORD_DIGITS;
  return numberDigits(BigInt(bytes.length)) + digits.padEnd(room, "0");
}

function nestedDigits({ kind, items }: Nested): string {
  return (kind === "array" ? numberDigits(BigInt(items.length)) : "") + encodeArguments(items);
}

/** The data of a call: the first 4 bytes of the hash of its signature, and the arguments. `signature` is for example `transfer(address,uint256)`. */
export function encodeCall(signature: string, args: readonly Argument[] = []): Hex {
  return `0x${eventTopic(signature).slice(2, 10)}${encodeArguments(args)}`;
}

/** The number in a word of a call's result; undefined if the result is too short. */
export function wordAt(data: string, index: number): bigint | undefined {
  const digits = data.slice(2 + index * WORD_DIGITS, 2 + (index + 1) * WORD_DIGITS);
  return /^[0-9a-fA-F]{64}$/.test(digits) ? BigInt(`0x${digits}`) : undefined;
}

/** Longest text that is read from a call's result, in bytes; a longer one is undefined. */
const MAX_TEXT_BYTES = 1024n;

/** The text of a call's result that is a single string; undefined if it is not a string. */
export function abiText(data: string): string | undefined {
  const length = wordAt(data, 1);
  if (wordAt(data, 0) !== BigInt(WORD_BYTES) || length === undefined || length > MAX_TEXT_BYTES) return undefined;
  const start = 2 + 2 * WORD_DIGITS;
  const digits = data.slice(start, start + 2 * Number(length));
  return digits.length === 2 * Number(length) ? Buffer.from(digits, "hex").toString("utf8") : undefined;
}

/** The address in a word, in lower case; undefined if the word contains more than an address. */
export function addressOfWord(word: string): Address | undefined {
  const match = /^0x0{24}([0-9a-fA-F]{40})$/.exec(word);
  return match?.[1] === undefined ? undefined : `0x${match[1].toLowerCase()}`;
}
