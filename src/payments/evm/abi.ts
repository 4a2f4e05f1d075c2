import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { type Address, type Hex } from "../signatures/address.ts";

/**
 * A call's argument: a number, hex of at most 32 bytes (an address, a hash), or bytes of any length. Tuples of such words
 * are given word by word; nothing else is called here.
 */
export type Argument = bigint | Hex | Uint8Array;

const WORD_BYTES = 32;
const WORD_DIGITS = 2 * WORD_BYTES;

const selectors = new Map<string, string>();

/** The first 4 bytes of a signature's hash. The map grows by literals of this program alone. */
function selectorOf(signature: string): string {
  const known = selectors.get(signature);
  if (known !== undefined) return known;
  const selector = bytesToHex(keccak_256(utf8ToBytes(signature))).slice(0, 8);
  selectors.set(signature, selector);
  return selector;
}

/** What an event's first topic is. */
export function eventTopic(signature: string): Hex {
  return `0x${bytesToHex(keccak_256(utf8ToBytes(signature)))}`;
}

const UINT256_MAX = (1n << 256n) - 1n;

function numberDigits(value: bigint): string {
  // A longer one would push what follows it into another argument's place.
  if (value < 0n || value > UINT256_MAX) throw new Error("Cannot encode a call: a number is no uint256");
  return value.toString(16).padStart(WORD_DIGITS, "0");
}

/** Hex of at most 32 bytes as a word, as topics have it. */
export function toWord(hex: Hex): Hex {
  if (hex.length > 2 + WORD_DIGITS) throw new Error("Cannot encode a call: a word has more than 32 bytes");
  return `0x${hex.slice(2).toLowerCase().padStart(WORD_DIGITS, "0")}`;
}

/** Arguments as a constructor takes them: hex without `0x`. */
export function encodeArguments(args: readonly Argument[]): string {
  let head = "";
  let tail = "";
  for (const arg of args) {
    if (typeof arg === "bigint") head += numberDigits(arg);
    else if (typeof arg === "string") head += toWord(arg).slice(2);
    else {
      head += numberDigits(BigInt(args.length * WORD_BYTES + tail.length / 2));
      const digits = bytesToHex(arg);
      const room = Math.ceil(digits.length / WORD_DIGITS) * WORD_DIGITS;
      tail += numberDigits(BigInt(arg.length)) + digits.padEnd(room, "0");
    }
  }
  return head + tail;
}

/** A call's data: `signature` is `transfer(address,uint256)`. */
export function encodeCall(signature: string, args: readonly Argument[] = []): Hex {
  return `0x${selectorOf(signature)}${encodeArguments(args)}`;
}

/** The number of an answer's word; undefined where it has no such word. */
export function wordAt(data: string, index: number): bigint | undefined {
  const digits = data.slice(2 + index * WORD_DIGITS, 2 + (index + 1) * WORD_DIGITS);
  return /^[0-9a-fA-F]{64}$/.test(digits) ? BigInt(`0x${digits}`) : undefined;
}

/** Longest text that is read out of an answer, in bytes. */
const MAX_TEXT_BYTES = 1024n;

/** The text of an answer that is one string; undefined where it is none. */
export function textOf(data: string): string | undefined {
  const length = wordAt(data, 1);
  if (wordAt(data, 0) !== BigInt(WORD_BYTES) || length === undefined || length > MAX_TEXT_BYTES) return undefined;
  const start = 2 + 2 * WORD_DIGITS;
  const digits = data.slice(start, start + 2 * Number(length));
  return digits.length === 2 * Number(length) ? Buffer.from(digits, "hex").toString("utf8") : undefined;
}

/** The address of a word, lower case; undefined where the word holds more than an address. */
export function addressOfWord(word: string): Address | undefined {
  const match = /^0x0{24}([0-9a-fA-F]{40})$/.exec(word);
  return match?.[1] === undefined ? undefined : `0x${match[1].toLowerCase()}`;
}
