import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { wrapFetchWithPayment } from "@x402/fetch";
import { patient } from "../../../lib/testing/patience.ts";
import { Facilitators } from "../../../payments/facilitator/facilitators.ts";
import { Reconciler } from "../../../payments/settlement/reconciler.ts";
import {
  hasSolana,
  newSigner,
  SOLANA_DEVNET,
  SOLANA_USDC,
  SolanaChain,
  type SolanaSigner,
} from "../../../payments/testing/solana-chain.ts";
import { SolanaFacilitator, stockClient, stockScheme } from "../../../payments/testing/stock-solana.ts";
import {
  type PaymentPayload,
  paymentPayloadSchema,
  paymentRequiredSchema,
  type PaymentRequirements,
} from "../../../payments/x402/messages.ts";
import { paymentKey } from "../../../payments/x402/payment-key.ts";
import { type Facilitator } from "../../../payments/x402/facilitator.ts";
import { type Payment } from "../../../store/ledger.ts";
import { openPostgresStore } from "../../../store/postgres/open-postgres-store.ts";
import { hasPostgres, sharedPostgres } from "../../../store/testing/postgres.ts";
import { type Store } from "../../../store/store.ts";
import { closeShops, decoded, openShop, type Shop, type ShopOptions } from "./testing/shop.ts";
import { respondWith } from "./testing/test-gateway.ts";

setDefaultTimeout(patient(30_000));

const PRICE = 10_000n;

function recorded(shop: Shop, payment: PaymentPayload): Promise<Payment | undefined> {
  return shop.store.ledger.find(paymentKey(payment, payment.accepted));
}

async function reasonOf(response: Response): Promise<unknown> {
  await response.body?.cancel();
  return Reflect.get(Object(decoded(response, "payment-required")), "error");
}

describe.skipIf(!hasSolana)("a route on Solana", () => {
  let chain: SolanaChain;
  let stock: SolanaFacilitator;
  let payee = "";
  const closing: (() => unknown)[] = [];

  beforeAll(async () => {
    chain = new SolanaChain();
    stock = await SolanaFacilitator.start(chain);
    payee = (await newSigner()).address;
    chain.fund(payee, 0n);
  }, patient(30_000));

  afterEach(async () => {
    chain.before = () => Promise.resolve();
    await closeShops();
    for (const close of closing.splice(0)) await close();
  });

  afterAll(async () => {
    await stock.kill();
    await chain.close();
  });

  interface Market extends ShopOptions {
    readonly urls?: readonly string[];
    /** The gateway may ask the chain. */
    readonly isAsking?: boolean;
    readonly steady?: () => number;
  }

  async function open({
    urls = [stock.url],
    isAsking = false,
    steady = () => performance.now(),
    ...options
  }: Market = {}): Promise<Shop & { order: Facilitator }> {
    const lease = new Facilitators({
      simulatedTransfers: () => {
        throw new Error("there are none");
      },
      now: Date.now,
      steady,
      environment: { SOLANA_RPC: chain.url },
      embedded: () => {
        throw new Error("there is none");
      },
      random: () => 0.5,
      observer: { asked() {}, breakerChanged() {} },
      log() {},
    }).lease({
      facilitator_url: "",
      facilitators: urls.map((url, i) => ({ name: `f${i}`, url, headers: [] })),
      facilitator_timeout_ms: patient(5000),
      facilitator_refresh_s: 600,
      facilitator_headers: [],
      test_mode: false,
      embedded: { enabled: false },
      chains: isAsking ? [{ ...CHAIN, network: SOLANA_DEVNET, rpc_url_env: "SOLANA_RPC" }] : [],
    });
    closing.push(() => lease.close());
    const { facilitator: order, kinds } = lease.forRoute("");
    await kinds.renew();
    const shop = openShop({
      testMode: false,
      kinds,
      facilitator: () => ({
        verify: (...call) => order.verify(...call),
        settle: (...call) => order.settle(...call),
        assign: (...call) => order.assign(...call),
        find: (...call) => order.find(...call),
      }),
      ...options,
      terms: { network: "solana-devnet", pay_to: payee, ...options.terms },
    });
    return Object.assign(shop, { order });
  }

  async function newPayer(funds = 1_000_000n): Promise<SolanaSigner> {
    const payer = await newSigner();
    chain.fund(payer.address, funds);
    return payer;
  }

  /** A payment of the stock client for what the shop asks, or for `change` of it. */
  async function pay(
    shop: Shop,
    payer: SolanaSigner,
    change: Partial<PaymentRequirements> = {},
  ): Promise<PaymentPayload> {
    const response = await fetch(`${shop.gateway.url}/goods`);
    const required = paymentRequiredSchema.parse(decoded(response, "payment-required"));
    const [asked] = required.accepts;
    if (asked === undefined) throw new Error("nothing is asked");
    // The stock type of a network is a template of text.
    const made = await stockScheme(chain, payer).createPaymentPayload(2, { ...asked, ...change } as never);
    return paymentPayloadSchema.parse({ ...made, accepted: asked });
  }

  test("the stock client buys: the challenge names the fee payer, and the money moves once", async () => {
    const shop = await open();
    const payer = await newPayer();
    const before = chain.balance(payee);
    const buy = wrapFetchWithPayment(fetch, stockClient(chain, payer));
    const response = await buy(`${shop.gateway.url}/goods`);
    expect([response.status, await response.text()]).toEqual([200, "the goods"]);
    const [transaction] = chain.executed.slice(-1);
    expect(decoded(response, "payment-response")).toMatchObject({
      success: true,
      transaction,
      network: SOLANA_DEVNET,
      payer: payer.address,
    });
    expect([chain.balance(payer.address), chain.balance(payee) - before]).toEqual([1_000_000n - PRICE, PRICE]);
    expect(shop.lastUpstreamFields).toContain(`Turnpike-Payer: ${payer.address}`);
  });

  test("the ledger names payment, accounts and token as the cluster does", async () => {
    const shop = await open();
    const payer = await newPayer();
    const payment = await pay(shop, payer);
    expect((await shop.send(payment)).status).toBe(200);
    expect(await recorded(shop, payment)).toMatchObject({
      state: "settled",
      network: SOLANA_DEVNET,
      from: payer.address,
      payer: payer.address,
      token: SOLANA_USDC,
      payTo: payee,
      transaction: chain.executed.at(-1) ?? "",
      delivered: true,
    });
  });

  test("a transaction buys once: again for the same request, and never for another one", async () => {
    const shop = await open();
    const payer = await newPayer();
    const payment = await pay(shop, payer);
    const replies = await Promise.all(["a", "b", "c", "d"].map((q) => shop.send(payment, { path: `/goods?${q}` })));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    const sold = replies.findIndex(({ status }) => status === 200);
    const path = `/goods?${"abcd".charAt(sold)}`;
    expect((await shop.send(payment, { path })).status).toBe(200);
    expect([chain.balance(payer.address), shop.settlements, shop.runs]).toEqual([1_000_000n - PRICE, 1, 1]);
  });

  test.skipIf(!hasPostgres)("a transaction buys once at two gateways with one PostgreSQL", async () => {
    const database = await sharedPostgres();
    const user = await database.newUser();
    const openOne = async (): Promise<Store> => {
      const store = openPostgresStore(database.settings({ user }));
      await store.ready();
      return store;
    };
    const shops = [await open({ store: await openOne() }), await open({ store: await openOne() })] as const;
    const payer = await newPayer();
    const payment = await pay(shops[0], payer);
    const all = shops.flatMap((shop) => ["a", "b"].map((q) => shop.send(payment, { path: `/goods?${q}` })));
    const replies = await Promise.all(all);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    expect([chain.balance(payer.address), shops[0].runs + shops[1].runs]).toEqual([1_000_000n - PRICE, 1]);
    await closeShops();
  });

  test("payments that do not pay the price are refused before the upstream works", async () => {
    const other = (await newSigner()).address;
    const mint = (await newSigner()).address;
    const shop = await open();
    const payer = await newPayer();
    chain.addMint(mint);
    chain.fund(payer.address, 1_000_000n, mint);
    chain.fund(payee, 0n, mint);
    chain.fund(other, 0n);
    const before = [chain.balance(payer.address), chain.balance(payee)];
    const payments: [string, PaymentPayload][] = [
      ["invalid_exact_svm_payload_mint_mismatch", await pay(shop, payer, { asset: mint })],
      ["invalid_exact_svm_payload_recipient_mismatch", await pay(shop, payer, { payTo: other })],
      ["invalid_exact_svm_payload_amount_mismatch", await pay(shop, payer, { amount: "9999" })],
      // The specification allows more; the stock facilitator does not take it.
      ["invalid_exact_svm_payload_amount_mismatch", await pay(shop, payer, { amount: "10001" })],
      ["invalid_exact_svm_payload_missing_fee_payer", await pay(shop, payer, { extra: { feePayer: other } })],
      ["invalid_exact_svm_transaction_simulation_failed", await pay(shop, await newPayer(PRICE - 1n))],
    ];
    for (const [reason, payment] of payments) {
      const response = await shop.send(payment);
      expect([reason, response.status, await reasonOf(response)]).toEqual([reason, 402, reason]);
    }
    expect([shop.runs, chain.balance(payer.address), chain.balance(payee)]).toEqual([0, ...before]);
  });

  test("a transaction that was changed after its signature is not sold for", async () => {
    const shop = await open();
    const payer = await newPayer();
    const payment = await pay(shop, payer);
    const bytes = Buffer.from(String(Reflect.get(payment.payload, "transaction")), "base64");
    const run = async (changed: Uint8Array): Promise<number> => {
      const transaction = Buffer.from(changed).toString("base64");
      return (await shop.send({ ...payment, payload: { transaction } })).status;
    };
    // One bit of each signature, of keys, of the blockhash and of instructions.
    for (const at of [70, 140, 175, 260, 400, 460]) {
      const changed = Uint8Array.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect([at, [400, 402].includes(await run(changed))]).toEqual([at, true]);
    }
    expect(await run(bytes.subarray(0, -1))).toBe(400);
    expect(await run(Buffer.concat([bytes, Buffer.of(0)]))).toBe(400);
    expect([shop.runs, chain.balance(payer.address)]).toEqual([0, 1_000_000n]);
  });

  test("a memo of the seller is asked for, and required", async () => {
    const shop = await open({ terms: { memo: "invoice 7" } });
    const payer = await newPayer();
    const { status } = await shop.send(await pay(shop, payer));
    expect(status).toBe(200);
    const without = await shop.send(await pay(shop, payer, { extra: { feePayer: stock.feePayer, memo: "invoice 8" } }));
    expect([without.status, await reasonOf(without)]).toEqual([402, "invalid_exact_svm_payload_memo_mismatch"]);
  });

  test("a blockhash that expires while the upstream works costs nothing, and buys nothing", async () => {
    const shop = await open({
      upstream: (exchange) => {
        chain.expire();
        return respondWith(exchange, 200, "the goods");
      },
    });
    const payer = await newPayer();
    const payment = await pay(shop, payer);
    expect((await shop.send(payment)).status).toBe(402);
    const reason = "invalid_exact_svm_transaction_simulation_failed";
    expect(await recorded(shop, payment)).toMatchObject({ state: "failed", reason });
    expect([chain.balance(payer.address), shop.runs]).toEqual([1_000_000n, 1]);
  });

  test("with settle before, the money has moved before the upstream works", async () => {
    let moved = 0n;
    const payer = await newPayer();
    const shop = await open({
      terms: { settle: "before" },
      upstream: (exchange) => {
        moved = 1_000_000n - chain.balance(payer.address);
        return respondWith(exchange, 200, "the goods");
      },
    });
    const payment = await pay(shop, payer);
    expect(payment.accepted.extra).toMatchObject({ paymentFlow: "upfront" });
    expect([(await shop.send(payment)).status, moved]).toEqual([200, PRICE]);
  });

  test("a facilitator that dies before the settlement gets the same payment again", async () => {
    let isDead = false;
    const shop = await open({
      async upstream(exchange) {
        if (!isDead) await stock.kill();
        isDead = true;
        respondWith(exchange, 200, "the goods");
      },
    });
    const payer = await newPayer();
    const payment = await pay(shop, payer);
    expect((await shop.send(payment)).status).toBe(503);
    expect((await recorded(shop, payment))?.state).toBe("unknown");
    await stock.start();
    const again = await shop.send(payment);
    expect([again.status, await again.text(), chain.balance(payer.address)]).toEqual([
      200,
      "the goods",
      1_000_000n - PRICE,
    ]);
  });

  test("a lost settlement is found on the chain, by the client's next request or by the reconciler", async () => {
    for (const isAsked of [true, false]) {
      const shop = await open({ isAsking: true });
      const payer = await newPayer();
      const payment = await pay(shop, payer);
      chain.before = async (method) => {
        if (method === "getSignatureStatuses") await stock.kill();
      };
      expect((await shop.send(payment)).status).toBe(503);
      chain.before = () => Promise.resolve();
      await stock.start();
      expect([chain.balance(payer.address), (await recorded(shop, payment))?.state]).toEqual([
        1_000_000n - PRICE,
        "unknown",
      ]);
      if (!isAsked) {
        const { ledger, channels } = shop.store;
        shop.clock.now += 60_000;
        const options = {
          ledger,
          channels,
          testMode: () => false,
          notice: () => undefined,
          clock: () => shop.clock.now,
          random: () => 0,
          log() {},
        };
        const reconciler = new Reconciler({ ...options, facilitators: () => [shop.order] });
        expect(await reconciler.round()).toBe(1);
        await reconciler.close();
        expect(await recorded(shop, payment)).toMatchObject({ state: "settled", delivered: false });
      }
      const again = await shop.send(payment);
      expect([again.status, await again.text(), chain.balance(payer.address)]).toEqual([
        200,
        "the goods",
        1_000_000n - PRICE,
      ]);
      expect(await recorded(shop, payment)).toMatchObject({
        state: "settled",
        transaction: chain.executed.at(-1) ?? "",
      });
    }
  });

  test("a lost settlement that never reached the chain fails once its blockhash has expired", async () => {
    let passed = 0;
    const shop = await open({ isAsking: true, steady: () => passed });
    const payer = await newPayer();
    const payment = await pay(shop, payer);
    chain.before = async (method) => {
      if (method === "sendTransaction") await stock.kill();
      if (method === "sendTransaction") throw new Error("not sent");
    };
    expect((await shop.send(payment)).status).toBe(503);
    chain.before = () => Promise.resolve();
    await stock.start();
    chain.expire();
    // The node may not have indexed the last transactions.
    expect((await shop.send(payment)).status).toBe(503);
    passed += 60_000;
    expect((await shop.send(payment)).status).toBe(402);
    expect(await recorded(shop, payment)).toMatchObject({ state: "failed", reason: "transaction_expired" });
    expect(chain.balance(payer.address)).toBe(1_000_000n);
  });

  test("without a chain to ask, a lost settlement that succeeded is never called unpaid", async () => {
    const shop = await open();
    const payer = await newPayer();
    const payment = await pay(shop, payer);
    chain.before = async (method) => {
      if (method === "getSignatureStatuses") await stock.kill();
    };
    expect((await shop.send(payment)).status).toBe(503);
    chain.before = () => Promise.resolve();
    await stock.start();
    for (let i = 0; i < 2; i++) expect((await shop.send(payment)).status).toBe(503);
    expect((await recorded(shop, payment))?.state).toBe("unknown");
  });

  test("after a fail-over the challenge names the other fee payer, and each payment is settled by its own", async () => {
    const second = await SolanaFacilitator.start(chain);
    closing.push(() => second.kill());
    const shop = await open({ urls: [stock.url, second.url] });
    const payer = await newPayer();
    const first = await pay(shop, payer);
    expect(first.accepted.extra["feePayer"]).toBe(stock.feePayer);
    await shop.order.settle(first, first.accepted, { name: "f0" });
    const named = { ...first.accepted, extra: { ...first.accepted.extra, feePayer: second.feePayer } };
    expect([shop.order.assign?.(first, first.accepted, ""), shop.order.assign?.(first, named, "")]).toEqual([
      "f0",
      "f1",
    ]);
    expect(chain.balance(payer.address)).toBe(1_000_000n - PRICE);
  });
});

const CHAIN = {
  timeout_ms: patient(5000),
  poll_ms: 500,
  confirmations: 1,
  receipt_timeout_ms: 60_000,
  max_fee_per_gas: "1",
  native_price: "",
  max_gas: 21_000,
};
