import { ed25519 } from "@noble/curves/ed25519.js";
import { expect, test } from "bun:test";
import { keyBytes, PROGRAMS } from "../solana/address.ts";
import { toBase58 } from "../solana/base58.ts";
import { tokenAccount } from "../solana/token-account.ts";
import { checkSolanaTerms } from "./solana.ts";

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

/** A payment whose transfer comes after the instructions of `before`: program, accounts and data. */
function paymentAfter(before: readonly (readonly [number, readonly number[], readonly number[]])[]) {
  const [from, into] = [PAYER, PAYEE].map((owner) => tokenAccount(owner, MINT, PROGRAMS.token) ?? "");
  const keys = [FEE_PAYER, PAYER, from, into, NONCE, MINT, PROGRAMS.token, PROGRAMS.system].map(
    (key = "") => keyBytes(key) ?? [],
  );
  const transfer = [6, [2, 5, 3, 1], [12, 0xe8, 3, 0, 0, 0, 0, 0, 0, 6]] as const;
  const calls = [...before, transfer].map(([program, accounts, data]) => [
    program,
    accounts.length,
    ...accounts,
    data.length,
    ...data,
  ]);
  const message = [0x80, 2, 1, 3, keys.length, ...keys.flatMap((key) => [...key]), ...BLOCKHASH, calls.length];
  const bytes = [2, ...new Uint8Array(128), ...message, ...calls.flat(), 0];
  const transaction = Buffer.from(bytes).toString("base64");
  return { x402Version: 2, accepted: REQUIREMENTS, payload: { transaction } } as const;
}

test("a transaction that a nonce account keeps valid is refused: it could be executed after it counts as expired", () => {
  expect(checkSolanaTerms(paymentAfter([]), REQUIREMENTS)).toBeUndefined();
  const durable = paymentAfter([[7, [4, 1], [4, 0, 0, 0]]]);
  expect(checkSolanaTerms(durable, REQUIREMENTS)).toBe(
    "invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction",
  );
});
