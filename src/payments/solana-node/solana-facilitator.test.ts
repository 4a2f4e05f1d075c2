import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  type Instruction,
  partiallySignTransactionMessageWithSigners,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from "@solana/kit";
import { patient } from "../../lib/testing/patience.ts";
import { keyBytes, PROGRAMS } from "../solana/address.ts";
import { toBase58 } from "../solana/base58.ts";
import { tokenAccount } from "../solana/token-account.ts";
import { decodeTransaction, type Transaction } from "../solana/transaction.ts";
import { solanaAccount } from "../solana/transfer.ts";
import {
  hasSolana,
  newSigner,
  SOLANA_DEVNET,
  SOLANA_USDC,
  SolanaChain,
  type SolanaSigner,
} from "../testing/solana-chain.ts";
import { stockScheme } from "../testing/stock-solana.ts";
import { type Facilitator } from "../x402/facilitator.ts";
import { type PaymentPayload, paymentPayloadSchema, type PaymentRequirements } from "../x402/messages.ts";
import { createSolanaFacilitator } from "./solana-facilitator.ts";
import { checkSponsored } from "./sponsor-policy.ts";

setDefaultTimeout(patient(30_000));

const PRICE = 10_000n;
const FAILED = "invalid_exact_svm_transaction_simulation_failed";

/** A key as wallets export it. */
function newKey(): { readonly key: string; readonly feePayer: string } {
  const account = solanaAccount(crypto.getRandomValues(new Uint8Array(32)));
  return {
    key: toBase58(Uint8Array.of(...account.seed, ...(keyBytes(account.address) ?? []))),
    feePayer: account.address,
  };
}

function usdcAccount(owner: string): ReturnType<typeof address> {
  return address(tokenAccount(owner, SOLANA_USDC, PROGRAMS.token) ?? "");
}

/** The number of an instruction with its argument, in `bytes` bytes. */
function argumentBytes(number: number, value: bigint, bytes: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(9));
  view.setUint8(0, number);
  view.setBigUint64(1, value, true);
  return new Uint8Array(view.buffer).slice(0, bytes);
}

describe.skipIf(!hasSolana)("the own facilitator on Solana", () => {
  const { key, feePayer } = newKey();
  let chain: SolanaChain;
  let facilitator: Facilitator;
  let requirements: PaymentRequirements;
  let payee = "";

  function open(change: object = {}, steady?: () => number): Facilitator {
    const cluster = {
      network: SOLANA_DEVNET,
      rpc_url: chain.url,
      timeout_ms: patient(5000),
      poll_ms: 5,
      receipt_timeout_ms: patient(20_000),
    };
    return createSolanaFacilitator({ key, clusters: [{ ...cluster, ...change }] }, steady);
  }

  beforeAll(async () => {
    chain = new SolanaChain();
    chain.airdrop(address(feePayer));
    payee = (await newSigner()).address;
    chain.fund(payee, 0n);
    facilitator = open();
    requirements = {
      scheme: "exact",
      network: SOLANA_DEVNET,
      amount: PRICE.toString(),
      asset: SOLANA_USDC,
      payTo: payee,
      maxTimeoutSeconds: 60,
      extra: { feePayer },
    };
  });
  afterEach(() => {
    chain.before = () => Promise.resolve();
  });
  afterAll(() => chain.close());

  async function newPayer(funds = 1_000_000n): Promise<SolanaSigner> {
    const payer = await newSigner();
    chain.fund(payer.address, funds);
    return payer;
  }

  function paymentOf(transaction: string): PaymentPayload {
    return paymentPayloadSchema.parse({ x402Version: 2, accepted: requirements, payload: { transaction } });
  }

  /** A payment of the stock client for the requirements, or for `change` of them. */
  async function pay(payer: SolanaSigner, change: Partial<PaymentRequirements> = {}): Promise<PaymentPayload> {
    // The stock type of a network is a template of text.
    const made = await stockScheme(chain, payer).createPaymentPayload(2, { ...requirements, ...change } as never);
    return paymentOf(String(Reflect.get(made.payload, "transaction")));
  }

  test("lists its clusters with the account that pays fees, unless the node is of another cluster", async () => {
    expect(await facilitator.supported()).toEqual([{ scheme: "exact", network: SOLANA_DEVNET, extra: { feePayer } }]);
    const other = open({ network: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp" });
    expect(other.supported()).rejects.toThrow("the node is of another cluster");
  });

  test("settles a payment of the stock client once, and pays only the fee", async () => {
    const payer = await newPayer();
    const payment = await pay(payer);
    const before = [chain.balance(payee), chain.lamports(address(feePayer))] as const;
    expect(await facilitator.verify(payment, requirements)).toEqual({ kind: "valid", payer: payer.address });
    expect([chain.balance(payee), chain.lamports(address(feePayer))]).toEqual([...before]);
    const settled = await facilitator.settle(payment, requirements);
    const [transaction] = chain.executed.slice(-1);
    expect(settled).toEqual({ kind: "settled", transaction: transaction ?? "", payer: payer.address });
    expect(chain.balance(payee) - before[0]).toBe(PRICE);
    // Two signatures, and 20,000 units at one micro-lamport.
    expect(before[1] - chain.lamports(address(feePayer))).toBeLessThanOrEqual(10_001n);
    const duplicate = { kind: "refused", reason: "duplicate_settlement" } as const;
    expect(await facilitator.settle(payment, requirements)).toEqual(duplicate);
    // Another process knows it by the cluster.
    expect(await open().verify(payment, requirements)).toEqual(duplicate);
    expect(await open().settle(payment, requirements)).toEqual(duplicate);
    expect(await facilitator.find(payment, requirements)).toEqual(settled as never);
    expect(chain.balance(payee) - before[0]).toBe(PRICE);
  });

  test("of concurrent orders for one payment, one settles", async () => {
    const payment = await pay(await newPayer());
    const before = chain.balance(payee);
    const all = await Promise.all(Array.from({ length: 8 }, () => facilitator.settle(payment, requirements)));
    expect(all.filter(({ kind }) => kind === "settled")).toHaveLength(1);
    expect(all.filter(({ kind }) => kind === "refused")).toHaveLength(7);
    expect(chain.balance(payee) - before).toBe(PRICE);
  });

  test("payments that do not pay the price are refused, and cost nothing", async () => {
    const payer = await newPayer();
    const other = (await newSigner()).address;
    const mint = (await newSigner()).address;
    chain.addMint(mint);
    chain.fund(payer.address, 1_000_000n, mint);
    chain.fund(payee, 0n, mint);
    chain.fund(other, 0n);
    const before = chain.lamports(address(feePayer));
    const payments: [string, PaymentPayload][] = [
      ["invalid_exact_svm_payload_mint_mismatch", await pay(payer, { asset: mint })],
      ["invalid_exact_svm_payload_recipient_mismatch", await pay(payer, { payTo: other })],
      ["invalid_exact_svm_payload_amount_mismatch", await pay(payer, { amount: "9999" })],
      ["invalid_exact_svm_payload_amount_mismatch", await pay(payer, { amount: "10001" })],
      ["invalid_exact_svm_payload_missing_fee_payer", await pay(payer, { extra: { feePayer: other } })],
      [FAILED, await pay(await newPayer(PRICE - 1n))],
    ];
    for (const [reason, payment] of payments) {
      expect(await facilitator.verify(payment, requirements)).toEqual({ kind: "refused", reason } as never);
      expect(await facilitator.settle(payment, requirements)).toEqual({ kind: "refused", reason } as never);
    }
    const foreign = { ...requirements, extra: { feePayer: other } };
    const reason = "invalid_exact_svm_fee_payer_not_managed_by_facilitator";
    expect(await facilitator.verify(await pay(payer), foreign)).toEqual({ kind: "refused", reason });
    const memo = { ...requirements, extra: { feePayer, memo: "invoice 7" } };
    const mismatch = "invalid_exact_svm_payload_memo_mismatch";
    expect(await facilitator.verify(await pay(payer), memo)).toEqual({ kind: "refused", reason: mismatch });
    expect(chain.lamports(address(feePayer))).toBe(before);
  });

  /** A transaction of `payer` with the parts of a payment, and more. */
  async function crafted(payer: SolanaSigner, more: readonly Instruction[], price = 1n): Promise<PaymentPayload> {
    const budget = { programAddress: address(PROGRAMS.computeBudget) };
    const transfer = {
      programAddress: address(PROGRAMS.token),
      accounts: [
        { address: usdcAccount(payer.address), role: AccountRole.WRITABLE },
        { address: address(SOLANA_USDC), role: AccountRole.READONLY },
        { address: usdcAccount(payee), role: AccountRole.WRITABLE },
        { address: payer.address, role: AccountRole.READONLY_SIGNER, signer: payer },
      ],
      data: Uint8Array.of(...argumentBytes(12, PRICE, 9), 6),
    };
    const response = await fetch(chain.url, {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getLatestBlockhash", params: [] }),
    });
    const { result } = (await response.json()) as { result: { value: { blockhash: Blockhash } } };
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (m) => setTransactionMessageFeePayer(address(feePayer), m),
      (m) =>
        setTransactionMessageLifetimeUsingBlockhash(
          { blockhash: result.value.blockhash, lastValidBlockHeight: 150n },
          m,
        ),
      (m) =>
        appendTransactionMessageInstructions(
          [
            { ...budget, data: argumentBytes(2, 20_000n, 5) },
            { ...budget, data: argumentBytes(3, price, 9) },
            transfer,
            ...more,
          ],
          m,
        ),
    );
    return paymentOf(getBase64EncodedWireTransaction(await partiallySignTransactionMessageWithSigners(message)));
  }

  test("no transaction moves money of the account that pays the fee, or makes it pay a high one", async () => {
    const payer = await newPayer();
    const drain = {
      programAddress: address(PROGRAMS.system),
      accounts: [
        { address: address(feePayer), role: AccountRole.WRITABLE_SIGNER },
        { address: payer.address, role: AccountRole.WRITABLE },
      ],
      // Transfers 0.1 SOL.
      data: Uint8Array.of(2, 0, 0, 0, 0, 0xe1, 0xf5, 5, 0, 0, 0, 0),
    };
    const stranger = { programAddress: address(PROGRAMS.system), accounts: [], data: new Uint8Array() };
    const before = chain.lamports(address(feePayer));
    const payments: [string, PaymentPayload][] = [
      ["invalid_exact_svm_payload_transaction_fee_payer_transferring_funds", await crafted(payer, [drain])],
      ["invalid_exact_svm_payload_unknown_fourth_instruction", await crafted(payer, [stranger])],
      [
        "invalid_exact_svm_payload_transaction_instructions_compute_price_instruction_too_high",
        await crafted(payer, [], 5_000_001n),
      ],
    ];
    for (const [reason, payment] of payments) {
      expect(await facilitator.verify(payment, requirements)).toEqual({ kind: "refused", reason } as never);
      expect(await facilitator.settle(payment, requirements)).toEqual({ kind: "refused", reason } as never);
    }
    expect(chain.lamports(address(feePayer))).toBe(before);
    expect((await facilitator.settle(await crafted(payer, []), requirements)).kind).toBe("settled");
  });

  test("a payment that was changed after its signature is refused", async () => {
    const payment = await pay(await newPayer());
    const bytes = Buffer.from(String(Reflect.get(payment.payload, "transaction")), "base64");
    // One bit of the payer's signature and of the memo.
    for (const at of [70, bytes.length - 6]) {
      const changed = Uint8Array.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      const wrong = paymentOf(Buffer.from(changed).toString("base64"));
      expect((await facilitator.settle(wrong, requirements)).kind).toBe("refused");
    }
  });

  test("a transaction whose blockhash has expired is refused, and nothing is sent", async () => {
    const payment = await pay(await newPayer());
    chain.expire();
    const sent = chain.calls.filter((method) => method === "sendTransaction").length;
    expect(await facilitator.settle(payment, requirements)).toEqual({ kind: "refused", reason: FAILED });
    expect(chain.calls.filter((method) => method === "sendTransaction").length).toBe(sent);
  });

  test("a payment is void half a minute after its blockhash was first seen as expired, and not before", async () => {
    let passed = 0;
    const own = open({}, () => passed);
    const payment = await pay(await newPayer());
    expect(await own.find(payment, requirements)).toEqual({ kind: "unspent" });
    chain.expire();
    passed += 86_400_000;
    expect(await own.find(payment, requirements)).toEqual({ kind: "unspent" });
    passed += 29_999;
    expect(await own.find(payment, requirements)).toEqual({ kind: "unspent" });
    passed += 1;
    expect(await own.find(payment, requirements)).toEqual({ kind: "void" });
  });

  test("a node that loses its response has not lost the payment", async () => {
    const payment = await pay(await newPayer());
    const before = chain.balance(payee);
    let lost = 0;
    const proxy = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        const body = await request.text();
        const response = await fetch(chain.url, { method: "POST", body });
        if (lost > 0 || !body.includes("sendTransaction")) return response;
        lost += 1;
        return new Response(null, { status: 502 });
      },
    });
    const settled = await open({ rpc_url: proxy.url.href }).settle(payment, requirements);
    await proxy.stop(true);
    expect([settled.kind, lost]).toEqual(["settled", 1]);
    expect(chain.balance(payee) - before).toBe(PRICE);
  });

  test("a payment that fails on the cluster is refused, and without any state of it the outcome is unknown", async () => {
    const payer = await newPayer();
    const payment = await pay(payer);
    chain.before = async (method) => {
      // The payer spends its money between the simulation and the block.
      if (method === "sendTransaction") chain.fund(payer.address, 0n);
    };
    const failed = { kind: "refused", reason: "invalid_exact_svm_transaction_failed" } as const;
    expect(await facilitator.settle(payment, requirements)).toEqual(failed);
    expect(await facilitator.find(payment, requirements)).toEqual({ kind: "void" });
    // Before that, another block can still replace the one in which it failed.
    chain.finality = "confirmed";
    expect(await facilitator.find(payment, requirements)).toMatchObject({ kind: "unknown" });
    chain.finality = "finalized";
    const open2 = open({ receipt_timeout_ms: 50 });
    const second = await pay(await newPayer());
    chain.before = async (method) => {
      if (method === "sendTransaction") chain.before = () => Promise.reject(new Error("away"));
    };
    expect(await open2.settle(second, requirements)).toMatchObject({ kind: "unknown" });
  });

  test("an account without money for fees is not the payer's fault", async () => {
    const poor = newKey();
    const clusters = [
      { network: SOLANA_DEVNET, rpc_url: chain.url, timeout_ms: patient(5000), poll_ms: 5, receipt_timeout_ms: 1000 },
    ];
    const own = createSolanaFacilitator({ key: poor.key, clusters });
    const extra = { feePayer: poor.feePayer };
    const payment = await pay(await newPayer(), { extra });
    const terms = { ...requirements, extra };
    const cause = "the facilitator's account cannot pay for fees";
    expect(await own.verify({ ...payment, accepted: terms }, terms)).toEqual({ kind: "failed", cause });
    expect(await own.settle({ ...payment, accepted: terms }, terms)).toMatchObject({ kind: "unknown", isUnsent: true });
  });

  test("the form of a payment is checked to the byte", async () => {
    const wire = String(Reflect.get((await pay(await newPayer())).payload, "transaction"));
    const transaction = decodeTransaction(wire);
    if (transaction === undefined) throw new Error("not a transaction");
    const [limit, price, transfer, memo] = transaction.instructions;
    if (limit === undefined || price === undefined || transfer === undefined || memo === undefined)
      throw new Error("not a payment");
    const lighthouse = { ...memo, program: "L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95" };
    const units = (first: number, ...rest: number[]): typeof limit => ({
      ...limit,
      data: Uint8Array.of(first, ...rest),
    });
    const stranger = { ...memo, program: PROGRAMS.system };
    const cases: readonly (readonly [Transaction["instructions"], reason: string | undefined])[] = [
      [[limit, price, transfer], undefined],
      [[limit, price, transfer, lighthouse, lighthouse, lighthouse, memo], undefined],
      [[limit, price], "invalid_exact_svm_payload_transaction_instructions_length"],
      [
        [limit, price, transfer, memo, memo, memo, memo, memo],
        "invalid_exact_svm_payload_transaction_instructions_length",
      ],
      [[price, limit, transfer], "invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction"],
      [[units(2, 1), price, transfer], "invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction"],
      [[units(2, 0x80, 0x1a, 6, 0), price, transfer], undefined],
      [
        [units(2, 0x81, 0x1a, 6, 0), price, transfer],
        "invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction_too_high",
      ],
      [[limit, limit, transfer], "invalid_exact_svm_payload_transaction_instructions_compute_price_instruction"],
      [[limit, price, memo], "invalid_exact_svm_payload_no_transfer_instruction"],
      [[limit, price, transfer, stranger], "invalid_exact_svm_payload_unknown_fourth_instruction"],
      [[limit, price, transfer, memo, stranger], "invalid_exact_svm_payload_unknown_fifth_instruction"],
      [[limit, price, transfer, memo, memo, stranger], "invalid_exact_svm_payload_unknown_sixth_instruction"],
      [[limit, price, transfer, memo, memo, memo, stranger], "invalid_exact_svm_payload_unknown_seventh_instruction"],
      [[limit, price, transfer, transfer], "invalid_exact_svm_payload_unknown_fourth_instruction"],
      [
        [limit, price, transfer, { ...memo, accounts: [transaction.keys.length] }],
        "invalid_exact_svm_smart_wallet_alt_resolution_not_available",
      ],
    ];
    for (const [instructions, reason] of cases) {
      expect(checkSponsored({ ...transaction, instructions }, PRICE) as string | undefined).toBe(reason);
    }
    expect(checkSponsored(transaction, PRICE + 1n)).toBe("invalid_exact_svm_payload_amount_mismatch");
    expect(checkSponsored(transaction, PRICE - 1n)).toBe("invalid_exact_svm_payload_amount_mismatch");
  });
});

test("a key of Solana that is not one is refused without being shown", () => {
  const secret = "5Kd3NBUAdUnhyzenEwVLy9pBKxSwXvE9FMPyR4UKZvpe";
  const open = (): unknown => createSolanaFacilitator({ key: secret, clusters: [] });
  expect(open).toThrow("neither 64 bytes in base58 nor a JSON array");
  expect(open).not.toThrow(secret);
});
