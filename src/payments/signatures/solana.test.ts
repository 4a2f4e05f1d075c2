import { ed25519 } from "@noble/curves/ed25519.js";
import { expect, test } from "bun:test";
import { keyBytes, PROGRAMS } from "../solana/address.ts";
import { toBase58 } from "../solana/base58.ts";
import { tokenAccount } from "../solana/token-account.ts";
import { checkSolanaTerms, transfersExactly } from "./solana.ts";

const [FEE_PAYER, PAYER, PAYEE, MINT, NONCE] = [1, 2, 3, 4, 5].map((first) =>
  toBase58(ed25519.getPublicKey(new Uint8Array(32).fill(first))),
) as [string, string, string, string, string];
const BLOCKHASH = new Uint8Array(32).fill(9);
const REQUIREMENTS = {
  scheme: "exact",
  network: "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
  amount: "1000",
  asset: MINT,
  payTo: PAYEE,
  maxTimeoutSeconds: 60,
  extra: { feePayer: FEE_PAYER },
};

/** An instruction: the indexes of its program and of its accounts, and its data. */
type Call = readonly [program: number, accounts: readonly number[], data: readonly number[]];

/** A transfer of 1,000 units from the payer's account to the seller's. */
const TRANSFER: Call = [6, [2, 5, 3, 1], [12, 0xe8, 3, 0, 0, 0, 0, 0, 0, 6]];

/** A payment with these instructions, and with this number of signatures. */
function paymentOf(made: readonly Call[], signatures = 2) {
  const [from, into] = [PAYER, PAYEE].map((owner) => tokenAccount(owner, MINT, PROGRAMS.token) ?? "");
  const keys = [FEE_PAYER, PAYER, from, into, NONCE, MINT, PROGRAMS.token, PROGRAMS.system, PROGRAMS.memo].map(
    (key = "") => keyBytes(key) ?? [],
  );
  const calls = made.map(([program, accounts, data]) => [program, accounts.length, ...accounts, data.length, ...data]);
  const message = [0x80, signatures, 1, 3, keys.length, ...keys.flatMap((key) => [...key]), ...BLOCKHASH, calls.length];
  const bytes = [signatures, ...new Uint8Array(64 * signatures), ...message, ...calls.flat(), 0];
  const transaction = Buffer.from(bytes).toString("base64");
  return { x402Version: 2, accepted: REQUIREMENTS, payload: { transaction } } as const;
}

test("a transaction that a nonce account keeps valid is refused: it could be executed after it counts as expired", () => {
  expect(checkSolanaTerms(paymentOf([TRANSFER]), REQUIREMENTS)).toBeUndefined();
  const durable = paymentOf([[7, [4, 1], [4, 0, 0, 0]], TRANSFER]);
  expect(checkSolanaTerms(durable, REQUIREMENTS)).toBe(
    "invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction",
  );
});

const [PROGRAM, ACCOUNTS, DATA] = TRANSFER;
const memo = (text: string): Call => [8, [], [...Buffer.from(text)]];
const WITH_MEMO = { ...REQUIREMENTS, extra: { ...REQUIREMENTS.extra, memo: "order é" } };

test.each<
  [what: string, payment: ReturnType<typeof paymentOf>, requirements: typeof REQUIREMENTS, reason: string | undefined]
>([
  [
    "another scheme",
    paymentOf([TRANSFER]),
    { ...REQUIREMENTS, scheme: "upto" },
    "invalid_exact_svm_unsupported_scheme",
  ],
  [
    "another accepted scheme",
    { ...paymentOf([TRANSFER]), accepted: { ...REQUIREMENTS, scheme: "upto" } },
    REQUIREMENTS,
    "invalid_exact_svm_unsupported_scheme",
  ],
  ["another network", paymentOf([TRANSFER]), { ...REQUIREMENTS, network: "solana:other" }, "invalid_network"],
  [
    "another payer of fees",
    paymentOf([TRANSFER]),
    { ...REQUIREMENTS, extra: { feePayer: PAYER } },
    "invalid_exact_svm_payload_missing_fee_payer",
  ],
  ["three signatures", paymentOf([TRANSFER], 3), REQUIREMENTS, "invalid_exact_svm_signature"],
  [
    "an instruction for the payer of fees",
    paymentOf([TRANSFER, [7, [0, 1], [2]]]),
    REQUIREMENTS,
    "invalid_exact_svm_payload_transaction_fee_payer_transferring_funds",
  ],
  ["another instruction of the system before it", paymentOf([[7, [4, 1], [3]], TRANSFER]), REQUIREMENTS, undefined],
  ["a nonce that advances after it", paymentOf([TRANSFER, [7, [4, 1], [4]]]), REQUIREMENTS, undefined],
  [
    "another token",
    paymentOf([[PROGRAM, [2, 4, 3, 1], DATA]]),
    REQUIREMENTS,
    "invalid_exact_svm_payload_mint_mismatch",
  ],
  [
    "another recipient",
    paymentOf([[PROGRAM, [2, 5, 2, 1], DATA]]),
    REQUIREMENTS,
    "invalid_exact_svm_payload_recipient_mismatch",
  ],
  [
    "the authority of another account",
    paymentOf([[PROGRAM, [2, 5, 3, 4], DATA]]),
    REQUIREMENTS,
    "invalid_exact_svm_signature",
  ],
  ["less", paymentOf([TRANSFER]), { ...REQUIREMENTS, amount: "1001" }, "invalid_exact_svm_payload_amount_mismatch"],
  ["more", paymentOf([TRANSFER]), { ...REQUIREMENTS, amount: "999" }, undefined],
  [
    "two transfers, which only the chain can judge",
    paymentOf([TRANSFER, TRANSFER]),
    { ...REQUIREMENTS, amount: "1001" },
    undefined,
  ],
  [
    "no transfer that shows",
    paymentOf([[PROGRAM, ACCOUNTS, [3, ...DATA.slice(1)]]]),
    { ...REQUIREMENTS, amount: "1001" },
    undefined,
  ],
  [
    "a shorter transfer",
    paymentOf([[PROGRAM, ACCOUNTS, DATA.slice(0, -1)]]),
    { ...REQUIREMENTS, amount: "1001" },
    undefined,
  ],
  [
    "a transfer with fewer accounts",
    paymentOf([[PROGRAM, [2, 5, 3], DATA]]),
    { ...REQUIREMENTS, amount: "1001" },
    undefined,
  ],
  ["the transfer of another program", paymentOf([[8, ACCOUNTS, DATA]]), { ...REQUIREMENTS, amount: "1001" }, undefined],
  ["its memo", paymentOf([TRANSFER, memo("order é")]), WITH_MEMO, undefined],
  ["another memo", paymentOf([TRANSFER, memo("order e")]), WITH_MEMO, "invalid_exact_svm_payload_memo_mismatch"],
  ["no memo", paymentOf([TRANSFER]), WITH_MEMO, "invalid_exact_svm_payload_memo_count"],
  [
    "two memos",
    paymentOf([TRANSFER, memo("order é"), memo("order é")]),
    WITH_MEMO,
    "invalid_exact_svm_payload_memo_count",
  ],
  ["a memo that the seller does not require", paymentOf([TRANSFER, memo("a")]), REQUIREMENTS, undefined],
])("the terms of a transaction with %s", (_what, payment, requirements, reason) => {
  expect(checkSolanaTerms(payment, requirements)).toBe(reason as ReturnType<typeof checkSolanaTerms>); // One of its reasons.
});

test("a transfer is exact if its amount is", () => {
  const instruction = { program: PROGRAMS.token, accounts: ACCOUNTS, data: Uint8Array.from(DATA) } as Parameters<
    typeof transfersExactly
  >[0];
  expect([999n, 1000n, 1001n].map((amount) => transfersExactly(instruction, amount))).toEqual([false, true, false]);
  expect(transfersExactly({ ...instruction, program: PROGRAMS.token2022 }, 1000n)).toBe(true);
  expect(transfersExactly({ ...instruction, program: PROGRAMS.system }, 1000n)).toBe(false);
});
