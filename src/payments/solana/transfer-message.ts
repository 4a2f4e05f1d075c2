import { keyBytes, PROGRAMS } from "./address.ts";

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

export interface TransferAccounts {
  readonly from: string;
  readonly into: string;
}

/** Compute units of a transfer with the longest memo, and the range of a random number that is added to them. */
const COMPUTE_UNITS = 90_000;
const RANDOM_UNITS = 10_000;
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

/** The units of a transfer. With a memo of the seller, two payments at the same time would else be the same transaction. */
export function computeUnits(random: number): number {
  return COMPUTE_UNITS + (random % RANDOM_UNITS);
}

/** The message that the payer of a transfer signs. Throws if an address in it is invalid. */
export function transferMessage(transfer: TokenTransfer, payer: string, { from, into }: TransferAccounts): Uint8Array {
  const { feePayer, mint, decimals, amount, memo, blockhash, computeUnits: units } = transfer;
  const keys = [feePayer, payer, from, into, mint, PROGRAMS.computeBudget, PROGRAMS.token, PROGRAMS.memo].map(bytesOf);
  if (new Set([feePayer, payer, from, into, mint]).size < MINT + 1)
    throw new Error("Cannot pay: two accounts are the same");
  const instructions = [
    instruction(COMPUTE_BUDGET, [], joined(Uint8Array.of(2), littleEndian(BigInt(units), 4))),
    instruction(COMPUTE_BUDGET, [], joined(Uint8Array.of(3), littleEndian(UNIT_PRICE, 8))),
    instruction(
      TOKEN,
      [FROM, MINT, INTO, PAYER],
      joined(Uint8Array.of(12), littleEndian(amount, 8), Uint8Array.of(decimals)),
    ),
    instruction(MEMO, [], new TextEncoder().encode(memo)),
  ];
  return joined(
    Uint8Array.of(VERSION_0, SIGNERS, READ_ONLY_SIGNERS, keys.length - SIGNERS - CHANGED, keys.length),
    ...keys,
    bytesOf(blockhash),
    Uint8Array.of(instructions.length),
    ...instructions,
    // There are no lookup tables.
    Uint8Array.of(0),
  );
}

/** The helper of @noble/hashes would add 2 kB to the page on which wallets pay. */
function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function instruction(program: number, accounts: readonly number[], data: Uint8Array): Uint8Array {
  return joined(Uint8Array.of(program, accounts.length, ...accounts), lengthOf(data), data);
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

/**
 * The transaction with a message, in which the signature of the fee payer is missing. Without `signature` that of the payer is
 * missing too.
 */
export function wireOf(message: Uint8Array, signature = new Uint8Array(SIGNATURE_BYTES)): Uint8Array {
  return joined(Uint8Array.of(SIGNERS), new Uint8Array(SIGNATURE_BYTES), signature, message);
}

/** Uses no API of a single runtime: this code also runs in the callers' programs. */
export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
