import { isTransfer, transfersExactly } from "../signatures/solana.ts";
import { PROGRAMS } from "../solana/address.ts";
import { type Instruction, type Transaction } from "../solana/transaction.ts";
import { type Reason } from "../x402/reasons.ts";

/** Instructions of a payment: two for the compute budget, the transfer, and at most four of wallets and memos. */
const MIN_INSTRUCTIONS = 3;
const MAX_INSTRUCTIONS = 7;
/** Units that a payment may ask for, and what it may pay for each, in micro-lamports: at most 0.002 SOL for a payment. */
const MAX_UNITS = 400_000;
const MAX_UNIT_PRICE = 5_000_000n;
/** Instructions of the compute budget: their numbers, and their bytes with an argument of 4 or 8 bytes. */
const SET_LIMIT = { number: 2, bytes: 5 } as const;
const SET_PRICE = { number: 3, bytes: 9 } as const;
/** Checks the state of accounts; wallets add it to protect their users. */
const LIGHTHOUSE = "L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95";

/** The reasons for another program at the fourth position and after it. */
const UNKNOWN = [
  "invalid_exact_svm_payload_unknown_fourth_instruction",
  "invalid_exact_svm_payload_unknown_fifth_instruction",
  "invalid_exact_svm_payload_unknown_sixth_instruction",
  "invalid_exact_svm_payload_unknown_seventh_instruction",
] as const;

function setsBudget(
  instruction: Instruction | undefined,
  { number, bytes }: { readonly number: number; readonly bytes: number },
): instruction is Instruction {
  const isBudget = instruction?.program === PROGRAMS.computeBudget;
  return isBudget && instruction.data[0] === number && instruction.data.length === bytes;
}

function argumentOf({ data }: Instruction): DataView {
  return new DataView(data.buffer, data.byteOffset + 1);
}

/**
 * Checks that a fee payer may sign: the transaction has the form of a plain payment of `amount`, each account that it touches is
 * visible, and its fee is bounded. Terms, fee payer and signature are checked elsewhere.
 */
export function checkSponsored({ keys, instructions }: Transaction, amount: bigint): Reason | undefined {
  if (instructions.length < MIN_INSTRUCTIONS || instructions.length > MAX_INSTRUCTIONS)
    return "invalid_exact_svm_payload_transaction_instructions_length";
  // Accounts of lookup tables, which could include the fee payer, follow the transaction's own keys.
  if (instructions.some(({ accounts }) => accounts.some((index) => index >= keys.length)))
    return "invalid_exact_svm_smart_wallet_alt_resolution_not_available";
  const [limit, price, transfer, ...others] = instructions;
  if (!setsBudget(limit, SET_LIMIT))
    return "invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction";
  if (argumentOf(limit).getUint32(0, true) > MAX_UNITS)
    return "invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction_too_high";
  if (!setsBudget(price, SET_PRICE))
    return "invalid_exact_svm_payload_transaction_instructions_compute_price_instruction";
  if (argumentOf(price).getBigUint64(0, true) > MAX_UNIT_PRICE)
    return "invalid_exact_svm_payload_transaction_instructions_compute_price_instruction_too_high";
  if (transfer === undefined || !isTransfer(transfer)) return "invalid_exact_svm_payload_no_transfer_instruction";
  if (!transfersExactly(transfer, amount)) return "invalid_exact_svm_payload_amount_mismatch";
  const stranger = others.findIndex(({ program }) => program !== PROGRAMS.memo && program !== LIGHTHOUSE);
  return stranger === -1 ? undefined : UNKNOWN[stranger];
}
