/** A gateway that settles payments on Solana with a key of its own. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { address } from "@solana/kit";
import { wrapFetchWithPayment } from "@x402/fetch";
import { until } from "../../src/lib/testing/until.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { keyBytes } from "../../src/payments/solana/address.ts";
import { toBase58 } from "../../src/payments/solana/base58.ts";
import { solanaAccount } from "../../src/payments/solana/transfer.ts";
import { hasSolana, newSigner, SolanaChain, type SolanaSigner } from "../../src/payments/testing/solana-chain.ts";
import { stockClient, stockScheme } from "../../src/payments/testing/stock-solana.ts";
import { decodeHeader, encodeHeader } from "../../src/payments/x402/header.ts";
import { type PaymentPayload, paymentRequiredSchema, receiptSchema } from "../../src/payments/x402/messages.ts";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(60_000));

const PRICE = 10_000n;

describe.skipIf(!hasSolana)("a gateway with its own facilitator on Solana", () => {
  const feePayer = solanaAccount(crypto.getRandomValues(new Uint8Array(32)));
  const key = toBase58(Uint8Array.of(...feePayer.seed, ...(keyBytes(feePayer.address) ?? [])));
  let chain: SolanaChain;
  let gateway: Gateway;
  let origin: Bun.Server<undefined>;
  let payee = "";

  beforeAll(async () => {
    chain = new SolanaChain();
    chain.airdrop(address(feePayer.address));
    payee = (await newSigner()).address;
    chain.fund(payee, 0n);
    origin = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("the goods") });
    gateway = await startGateway(
      {
        server: { workers: 2 },
        x402: {
          enabled: true,
          embedded: { enabled: true, solana_key_env: "TEST_SOLANA_KEY" },
          chains: [
            {
              network: "solana-devnet",
              rpc_url_env: "TEST_RPC",
              poll_ms: 20,
              timeout_ms: patient(20_000),
              receipt_timeout_ms: patient(60_000),
            },
          ],
        },
        upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
        routes: [
          {
            path_prefix: "/goods",
            upstream: "origin",
            x402: { price: "$0.01", asset: "USDC", network: "solana-devnet", pay_to: payee, scheme: "exact" },
          },
        ],
      },
      { TEST_RPC: chain.url, TEST_SOLANA_KEY: key },
    );
  });

  afterAll(async () => {
    await gateway?.stop();
    await origin?.stop(true);
    await chain?.close();
  });

  const url = (): string => `http://127.0.0.1:${gateway.port}/goods`;

  async function newPayer(): Promise<SolanaSigner> {
    const payer = await newSigner();
    chain.fund(payer.address, 1_000_000n);
    return payer;
  }

  test("sells to the stock client, and pays the fee with its key", async () => {
    const payer = await newPayer();
    const before = chain.balance(payee);
    // Until the gateway knows what its facilitator supports, it sells nothing.
    await until(async () => (await fetch(url())).headers.has("payment-required"));
    const response = await wrapFetchWithPayment(fetch, stockClient(chain, payer))(url());
    expect([response.status, await response.text()]).toEqual([200, "the goods"]);
    const receipt = receiptSchema.parse(decodeHeader(response.headers.get("payment-response") ?? ""));
    expect(receipt).toMatchObject({ success: true, transaction: chain.executed.at(-1), payer: payer.address });
    expect([chain.balance(payer.address), chain.balance(payee) - before]).toEqual([1_000_000n - PRICE, PRICE]);
  });

  test("sells once for one transaction, also to concurrent requests over both workers", async () => {
    const payer = await newPayer();
    const before = chain.balance(payee);
    await until(async () => (await fetch(url())).headers.has("payment-required"));
    const required = paymentRequiredSchema.parse(
      decodeHeader((await fetch(url())).headers.get("payment-required") ?? ""),
    );
    const [accepted] = required.accepts;
    expect(accepted).toMatchObject({ scheme: "exact", extra: { feePayer: feePayer.address } });
    // The stock type of a network is a template of text.
    const made = await stockScheme(chain, payer).createPaymentPayload(2, accepted as never);
    const payment = { ...made, accepted } as unknown as PaymentPayload;
    const headers = { "payment-signature": encodeHeader(payment), connection: "close" };
    const all = await Promise.all(["a", "b", "c", "d"].map((q) => fetch(`${url()}?${q}`, { headers })));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(chain.balance(payee) - before).toBe(PRICE);
  });
});
