import { createPublicKey, verify } from "node:crypto";
import { keyBytes, PROGRAMS } from "../solana/address.ts";
import { tokenAccount } from "../solana/token-account.ts";
import { type Instruction, type Transaction } from "../solana/transaction.ts";
import { type PaymentRequirements, type SolanaPayment } from "../x402/messages.ts";
import { transactionOf } from "../x402/payment-key.ts";
import { type Reason } from "../x402/reasons.ts";
import { type Checked } from "./signature.ts";

/** The fee payer and the payer. A payment must not need more signatures. */
const SIGNERS = 2;
const FEE_PAYER = 0;
const PAYER = 1;

/** The instruction TransferChecked of a token program: its number, amount and decimals, and its accounts. */
const TRANSFER_CHECKED = 12;
const TRANSFER_BYTES = 10;
const [MINT, DESTINATION, AUTHORITY] = [1, 2, 3] as const;
/** The instruction AdvanceNonceAccount of the system program. As the first one, it keeps the transaction from expiring. */
const ADVANCE_NONCE = 4;

/**
 * Checks a payment on Solana as far as that needs neither the chain nor its signature. A transfer that a smart wallet makes
 * is inside its own instruction, and only the facilitator can check it.
 */
export function checkSolanaTerms(payment: SolanaPayment, requirements: PaymentRequirements): Reason | undefined {
  const { accepted } = payment;
  if (requirements.scheme !== "exact" || accepted.scheme !== "exact") return "invalid_exact_svm_unsupported_scheme";
  if (accepted.network !== requirements.network) return "invalid_network";
  const transaction = transactionOf(payment);
  const { keys, signatures, instructions } = transaction;
  const { feePayer, memo } = requirements.extra;
  if (keys[FEE_PAYER] !== feePayer) return "invalid_exact_svm_payload_missing_fee_payer";
  if (signatures.length !== SIGNERS) return "invalid_exact_svm_signature";
  // Its signature must move nothing but the fee.
  if (instructions.some(({ accounts }) => accounts.includes(FEE_PAYER))) {
    return "invalid_exact_svm_payload_transaction_fee_payer_transferring_funds";
  }
  const [first] = instructions;
  // A settlement that is lost counts as void when the blockhash has expired.
  if (first?.program === PROGRAMS.system && first.data[0] === ADVANCE_NONCE) {
    return "invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction";
  }
  return (
    checkTransfer(transaction, requirements) ?? (typeof memo === "string" ? checkMemo(transaction, memo) : undefined)
  );
}

function checkTransfer({ keys, instructions }: Transaction, requirements: PaymentRequirements): Reason | undefined {
  const transfers = instructions.filter(isTransfer);
  const [transfer] = transfers;
  if (transfer === undefined || transfers.length > 1) return undefined;
  const { program, accounts, data } = transfer;
  const { asset, payTo, amount } = requirements;
  if (keys[accounts[MINT] ?? keys.length] !== asset) return "invalid_exact_svm_payload_mint_mismatch";
  if (keys[accounts[DESTINATION] ?? keys.length] !== tokenAccount(payTo, asset, program)) {
    return "invalid_exact_svm_payload_recipient_mismatch";
  }
  if (accounts[AUTHORITY] !== PAYER) return "invalid_exact_svm_signature";
  return amountOf(data) < BigInt(amount) ? "invalid_exact_svm_payload_amount_mismatch" : undefined;
}

/** The amount of a transfer of tokens, by the data of its instruction. */
function amountOf(data: Uint8Array): bigint {
  return new DataView(data.buffer, data.byteOffset).getBigUint64(1, true);
}

/** True if the instruction transfers exactly `amount` by TransferChecked of a token program. */
export function transfersExactly(instruction: Instruction, amount: bigint): boolean {
  return isTransfer(instruction) && amountOf(instruction.data) === amount;
}

/** True for TransferChecked of a token program. */
export function isTransfer({ program, accounts, data }: Instruction): boolean {
  const isToken = program === PROGRAMS.token || program === PROGRAMS.token2022;
  return isToken && data[0] === TRANSFER_CHECKED && data.length === TRANSFER_BYTES && accounts.length > AUTHORITY;
}

/** The memo by which the seller finds the payment on the chain. */
function checkMemo({ instructions }: Transaction, memo: string): Reason | undefined {
  const memos = instructions.filter(({ program }) => program === PROGRAMS.memo);
  if (memos.length !== 1) return "invalid_exact_svm_payload_memo_count";
  const isSame = memos[0] !== undefined && Buffer.from(memos[0].data).equals(Buffer.from(memo, "utf8"));
  return isSame ? undefined : "invalid_exact_svm_payload_memo_mismatch";
}

/** Checks that the payer has signed. The facilitator has not: it signs when it settles. */
export function checkSolanaSignature(payment: SolanaPayment): Checked | Reason {
  const { keys, signatures, message, digest } = transactionOf(payment);
  const payer = keys[PAYER];
  const signature = signatures[PAYER];
  const key = payer === undefined ? undefined : keyBytes(payer);
  if (payer === undefined || key === undefined || signature === undefined) return "invalid_exact_svm_signature";
  const x = Buffer.from(key).toString("base64url");
  const isSigned = verify(
    null,
    message,
    createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x } }),
    signature,
  );
  return isSigned ? { payer, hash: Buffer.from(digest, "hex") } : "invalid_exact_svm_signature";
}
