import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { toBase58 } from "./base58.ts";

/** Bytes of a transaction, as in a packet of the cluster. A longer one is invalid. */
const MAX_TRANSACTION_BYTES = 1232;
/** Characters of a transaction in base64. */
const MAX_BASE64 = 4 * Math.ceil(MAX_TRANSACTION_BYTES / 3);
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** The first byte of a message with version 0; below 128 the message has no version. */
const VERSION_0 = 0x80;

export interface Instruction {
  readonly program: string;
  /** Positions in the accounts of the transaction; those of lookup tables follow its own keys. */
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
}

/** A transaction that may lack signatures. */
export interface Transaction {
  /** One of 64 bytes for each signer, in the order of `keys`; a missing one is zeros. */
  readonly signatures: readonly Uint8Array[];
  /** The bytes that are signed. */
  readonly message: Uint8Array;
  /** SHA-256 of the message in hex. The cluster runs a message once, whatever its signatures are. */
  readonly digest: string;
  /** Addresses in the message, signers first. The first one pays the fee. */
  readonly keys: readonly string[];
  readonly blockhash: string;
  readonly instructions: readonly Instruction[];
}

/** The bytes do not follow the format. */
class FormatError extends Error {}

/** Reads bytes in order. Throws FormatError beyond the end. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get rest(): Uint8Array {
    return this.#bytes.subarray(this.#at);
  }

  byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new FormatError();
    this.#at += 1;
    return byte;
  }

  take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new FormatError();
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  /** A length in one or two bytes, in its shortest form. A third byte would exceed a transaction. */
  length(): number {
    const first = this.byte();
    if (first < 0x80) return first;
    const second = this.byte();
    if (second === 0 || second >= 0x80) throw new FormatError();
    return (first & 0x7f) | (second << 7);
  }

  /** `read` as often as the length says that follows. */
  list<T>(read: () => T): T[] {
    return Array.from({ length: this.length() }, read);
  }
}

/** Reads a transaction in base64, and each of its bytes. Undefined if it does not follow the format. */
export function decodeTransaction(base64: string): Transaction | undefined {
  if (base64.length > MAX_BASE64 || base64.length % 4 !== 0 || !BASE64.test(base64)) return undefined;
  const bytes = new Uint8Array(Buffer.from(base64, "base64"));
  if (bytes.length > MAX_TRANSACTION_BYTES) return undefined;
  try {
    return readTransaction(new Reader(bytes));
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

function readTransaction(reader: Reader): Transaction {
  const signatures = reader.list(() => reader.take(SIGNATURE_BYTES));
  const message = reader.rest;
  const { signers, ...content } = readMessage(reader);
  if (signers !== signatures.length || reader.rest.length > 0) throw new FormatError();
  return { signatures, message, digest: bytesToHex(sha256(message)), ...content };
}

function readMessage(reader: Reader): Omit<Transaction, "signatures" | "message" | "digest"> & { signers: number } {
  const first = reader.byte();
  const isVersioned = first >= VERSION_0;
  if (isVersioned && first !== VERSION_0) throw new FormatError();
  const signers = isVersioned ? reader.byte() : first;
  const readOnlySigners = reader.byte();
  const readOnly = reader.byte();
  const keys = reader.list(() => toBase58(reader.take(KEY_BYTES)));
  const isConsistent = readOnlySigners < signers && signers + readOnly <= keys.length;
  if (!isConsistent || new Set(keys).size < keys.length) throw new FormatError();
  const blockhash = toBase58(reader.take(KEY_BYTES));
  const calls = reader.list(() => ({
    program: keys[reader.byte()] ?? "",
    accounts: [...reader.take(reader.length())],
    data: reader.take(reader.length()),
  }));
  const found = isVersioned ? reader.list(() => readLookup(reader)).reduce((sum, count) => sum + count, 0) : 0;
  const accounts = keys.length + found;
  // The account that pays the fee cannot be a program.
  const isSound = calls.every(
    ({ program, accounts: used }) => program !== "" && program !== keys[0] && used.every((index) => index < accounts),
  );
  if (!isSound) throw new FormatError();
  return { signers, keys, blockhash, instructions: calls };
}

function readLookup(reader: Reader): number {
  reader.take(KEY_BYTES);
  const writable = reader.take(reader.length());
  return writable.length + reader.take(reader.length()).length;
}
