import { createKeyPairFromPrivateKeyBytes } from "@solana/kit";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { patient } from "../../lib/testing/patience.ts";
import { decodeTransaction } from "../solana/transaction.ts";
import { hasSolana, SOLANA_DEVNET, SOLANA_USDC, SolanaChain } from "../testing/solana-chain.ts";
import { SolanaFacilitator } from "../testing/stock-solana.ts";
import { decodeHeader, encodeHeader } from "../x402/header.ts";
import { type PaymentRequirements } from "../x402/messages.ts";
import { payAndFetch, PaymentDeclined, type PayOptions } from "./client.ts";
import { createSolanaPayer } from "./solana-payer.ts";
import { parseSolanaKey } from "../solana/parse-key.ts";
import { createSolanaWallet, readSolanaWallet, solanaWalletPath } from "./solana-wallet.ts";

setDefaultTimeout(patient(30_000));

const URL_OF_GOODS = "https://shop.example/goods";

function spend(): undefined {
  throw new Error("nothing may be counted");
}

describe.skipIf(!hasSolana)("our payer on Solana", () => {
  let chain: SolanaChain;
  let stock: SolanaFacilitator;
  const folder = mkdtempSync(join(tmpdir(), "turnpike-solana-"));
  const account = createSolanaWallet(solanaWalletPath(join(folder, "wallet.json")));
  const payee = createSolanaWallet(join(folder, "payee.json")).address;

  beforeAll(async () => {
    chain = new SolanaChain();
    stock = await SolanaFacilitator.start(chain);
    chain.fund(account.address, 1_000_000n);
    chain.fund(payee, 0n);
  }, patient(30_000));

  afterAll(async () => {
    await stock.kill();
    await chain.close();
    rmSync(folder, { recursive: true });
  });

  function requirements(extra: object = {}): PaymentRequirements {
    return {
      scheme: "exact",
      network: SOLANA_DEVNET,
      amount: "10000",
      asset: SOLANA_USDC,
      payTo: payee,
      maxTimeoutSeconds: 60,
      extra: { feePayer: stock.feePayer, ...extra },
    };
  }

  const sent: string[] = [];

  /** A seller that settles each payment with the stock facilitator. */
  function seller(asked: PaymentRequirements) {
    const required = { x402Version: 2, resource: { url: URL_OF_GOODS }, accepts: [asked] };
    return async (_: string, init: RequestInit): Promise<Response> => {
      const header = new Headers(init.headers).get("payment-signature");
      if (header === null)
        return new Response(null, { status: 402, headers: { "payment-required": encodeHeader(required) } });
      sent.push(header);
      const body = JSON.stringify({ x402Version: 2, paymentPayload: decodeHeader(header), paymentRequirements: asked });
      const settled: unknown = await (await fetch(`${stock.url}/settle`, { method: "POST", body })).json();
      const status = Reflect.get(Object(settled), "success") === true ? 200 : 402;
      return new Response("the goods", { status, headers: { "payment-response": encodeHeader(settled) } });
    };
  }

  function options(asked: PaymentRequirements, change: Partial<PayOptions> = {}): PayOptions {
    return {
      account: () => {
        throw new Error("no EVM account is needed");
      },
      maxPrice: "$0.05",
      solana: createSolanaPayer({ TURNPIKE_RPC_SOLANA_DEVNET: chain.url }, () => account),
      fetch: seller(asked),
      ...change,
    };
  }

  test("it pays a stock facilitator, also twice at once with one memo of the seller", async () => {
    const before = chain.balance(account.address);
    const spent: bigint[] = [];
    const pay = options(requirements({ memo: "invoice 7 €" }), {
      spend: (dollars) => {
        spent.push(dollars);
        return undefined;
      },
    });
    const paid = await Promise.all([payAndFetch(URL_OF_GOODS, {}, pay), payAndFetch(URL_OF_GOODS, {}, pay)]);
    for (const { response, receipt } of paid) {
      expect([response.status, receipt?.payer, receipt?.success]).toEqual([200, account.address, true]);
    }
    expect([before - chain.balance(account.address), chain.balance(payee), spent.length]).toEqual([
      20_000n,
      20_000n,
      2,
    ]);
    const random = await payAndFetch(URL_OF_GOODS, {}, options(requirements()));
    expect(random.receipt?.transaction).toBe(chain.executed.at(-1) ?? "");
  });

  test("a blockhash of the seller is used, and without one or an endpoint nothing is signed", async () => {
    const silent = createSolanaPayer({}, () => account);
    const count = sent.length;
    const without = payAndFetch(URL_OF_GOODS, {}, options(requirements(), { solana: silent, spend }));
    expect(await without.catch(String)).toContain("name an RPC endpoint in $TURNPIKE_RPC_SOLANA_DEVNET");
    expect(sent.length).toBe(count);
    const body = JSON.stringify({ id: 1, method: "getLatestBlockhash", params: [] });
    const latest: unknown = await (await fetch(chain.url, { method: "POST", body })).json();
    const recentBlockhash = String(Object(latest).result.value.blockhash);
    const paid = await payAndFetch(URL_OF_GOODS, {}, options(requirements({ recentBlockhash }), { solana: silent }));
    expect(paid.receipt?.success).toBe(true);
  });

  test("limits, memos, fee payers and unknown tokens of the seller are refused before a signature", async () => {
    const count = sent.length;
    for (const [asked, reason] of [
      [{ ...requirements(), amount: "50001" }, "the limit is $0.05"],
      [requirements({ memo: "€".repeat(100) }), "the memo that the seller asks for"],
      [requirements({ feePayer: undefined }), "names no fee payer"],
      [requirements({ feePayer: account.address }), "names no fee payer"],
      [{ ...requirements(), payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C" }, "the payee is not an address"],
      [{ ...requirements(), asset: payee }, "supports none of the payment methods"],
      [{ ...requirements(), scheme: "upto" }, "supports none of the payment methods"],
    ] as const) {
      const failed = await payAndFetch(URL_OF_GOODS, {}, options(asked)).catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(PaymentDeclined);
      expect(String(failed)).toContain(reason);
    }
    expect(sent.length).toBe(count);
  });

  test("the wallet file is private, and its key is one that wallets of Solana export", async () => {
    const path = solanaWalletPath(join(folder, "wallet.json"));
    expect([readSolanaWallet(path)?.address, statSync(path).mode & 0o777]).toEqual([account.address, 0o600]);
    expect(() => createSolanaWallet(path)).toThrow("there is one already");
    const stored = await Bun.file(path).json();
    expect(await Bun.file(path).text()).toBe(`${JSON.stringify(stored, undefined, 2)}\n`);
    expect(parseSolanaKey(` ${stored.private_key}\n`)?.address).toBe(account.address);
    const { publicKey } = await createKeyPairFromPrivateKeyBytes(Uint8Array.from(account.seed));
    const raw = new Uint8Array(await crypto.subtle.exportKey("raw", publicKey));
    expect(parseSolanaKey(JSON.stringify([...account.seed, ...raw]))?.address).toBe(account.address);
    for (const text of ["", "[1]", "0x00", stored.private_key.slice(1), JSON.stringify([...raw, ...raw])])
      expect(parseSolanaKey(text)).toBeUndefined();
  });

  test("what it signs is a transaction of two signers, in which only the fee payer's signature is missing", () => {
    const payment = Object(decodeHeader(sent.at(-1) ?? ""));
    const transaction = decodeTransaction(payment.payload.transaction);
    expect(transaction?.keys.slice(0, 2)).toEqual([stock.feePayer, account.address]);
    expect(transaction?.signatures.map((signature) => signature.some((byte) => byte !== 0))).toEqual([false, true]);
  });
});
