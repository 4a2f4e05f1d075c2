import { ed25519 } from "@noble/curves/ed25519.js";
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { keyBytes, PROGRAMS } from "./address.ts";
import { toBase58 } from "./base58.ts";
import { tokenAccount } from "./token-account.ts";

/** A key of Solana: its address, and the 32 bytes from which it is derived. */
export interface SolanaAccount {
  readonly address: string;
  readonly seed: Uint8Array;
}

/** A transfer of tokens whose fee another account pays. */
export interface TokenTransfer {
  readonly feePayer: string;
  readonly mint: string;
  readonly decimals: number;
  /** The owner of the token account that receives. */
  readonly to: string;
  readonly amount: bigint;
  readonly memo: string;
  readonly blockhash: string;
  /** The units that the transaction may compute. Transfers that are otherwise equal differ by it. */
  readonly computeUnits: number;
}

/** Micro-lamports for each unit, as the reference client pays. */
const UNIT_PRICE = 1n;
const VERSION_0 = 0x80;
const SIGNERS = 2;
const SIGNATURE_BYTES = 64;
/** The payer signs and stays as it is; of the accounts that do not sign, the first two change. */
const READ_ONLY_SIGNERS = 1;
const CHANGED = 2;
/** Positions in the keys of the message. */
const [PAYER, FROM, INTO, MINT, COMPUTE_BUDGET, TOKEN, MEMO] = [1, 2, 3, 4, 5, 6, 7] as const;

/** The account of a seed. */
export function solanaAccount(seed: Uint8Array): SolanaAccount {
  return { address: toBase58(ed25519.getPublicKey(seed)), seed };
}

/**
 * The transaction that makes a transfer, in base64, signed by `account`; the signature of the fee payer is missing. Throws if
 * an address in it is invalid.
 */
export function signTokenTransfer(transfer: TokenTransfer, account: SolanaAccount): string {
  const message = messageOf(transfer, account.address);
  const signature = ed25519.sign(message, account.seed);
  return toBase64(concatBytes(Uint8Array.of(SIGNERS), new Uint8Array(SIGNATURE_BYTES), signature, message));
}

function messageOf(transfer: TokenTransfer, payer: string): Uint8Array {
  const { feePayer, mint, decimals, to, amount, memo, blockhash, computeUnits } = transfer;
  const [from, into] = [payer, to].map((owner) => tokenAccount(owner, mint, PROGRAMS.token) ?? "");
  const keys = [feePayer, payer, from, into, mint, PROGRAMS.computeBudget, PROGRAMS.token, PROGRAMS.memo].map(
    (key = "") => bytesOf(key),
  );
  if (new Set([feePayer, payer, from, into, mint]).size < MINT + 1)
    throw new Error("Cannot pay: two accounts are the same");
  const instructions = [
    instruction(COMPUTE_BUDGET, [], concatBytes(Uint8Array.of(2), littleEndian(BigInt(computeUnits), 4))),
    instruction(COMPUTE_BUDGET, [], concatBytes(Uint8Array.of(3), littleEndian(UNIT_PRICE, 8))),
    instruction(
      TOKEN,
      [FROM, MINT, INTO, PAYER],
      concatBytes(Uint8Array.of(12), littleEndian(amount, 8), Uint8Array.of(decimals)),
    ),
    instruction(MEMO, [], utf8ToBytes(memo)),
  ];
  return concatBytes(
    Uint8Array.of(VERSION_0, SIGNERS, READ_ONLY_SIGNERS, keys.length - SIGNERS - CHANGED, keys.length),
    ...keys,
    bytesOf(blockhash),
    Uint8Array.of(instructions.length),
    ...instructions,
    // There are no lookup tables.
    Uint8Array.of(0),
  );
}

function instruction(program: number, accounts: readonly number[], data: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(program, accounts.length, ...accounts), lengthOf(data), data);
}

/** A length in one or two bytes of seven bits each. */
function lengthOf({ length }: Uint8Array): Uint8Array {
  return length < 0x80 ? Uint8Array.of(length) : Uint8Array.of((length & 0x7f) | 0x80, length >> 7);
}

function littleEndian(value: bigint, bytes: number): Uint8Array {
  return Uint8Array.from({ length: bytes }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));
}

function bytesOf(address: string): Uint8Array {
  const bytes = keyBytes(address);
  if (bytes === undefined) throw new Error(`Cannot pay: "${address}" is not an address of Solana`);
  return bytes;
}

/** Uses no API of a single runtime: this code also runs in the callers' programs. */
function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
