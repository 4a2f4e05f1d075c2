/** Refunds on a real chain, through gateways that are killed at any step, that race, or that other facilitators deceive. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { createEmbeddedFacilitator } from "../../src/payments/evm/embedded-facilitator.ts";
import { serveFacilitator } from "../../src/payments/facilitator/serve-facilitator.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../src/payments/testing/chain.ts";
import { PAYER } from "../../src/payments/testing/payment.ts";
import { decodeHeader, encodeHeader } from "../../src/payments/x402/header.ts";
import { type PaymentPayload, paymentRequiredSchema } from "../../src/payments/x402/messages.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../../src/store/testing/postgres.ts";
import { COMMAND } from "../support/program.ts";
import { CountingFacilitator } from "./counting-facilitator.ts";
import {
  addressOf,
  freshKey,
  type Market,
  never,
  openMarket,
  PRICE,
  send,
  Stall,
  type StallOptions,
} from "./market.ts";
import { nonceOf } from "./shops.ts";

// Leases of dead processes last, and many processes start at once.
setDefaultTimeout(patient(120_000));

const KEY = "the-key-of-operators";
const WITH_KEY = { refunds: { key_envs: ["TEST_PAYEE_KEY"] } };
const refundSchema = z.looseObject({
  id: z.string(),
  sequence: z.number(),
  state: z.string(),
  amount: z.string(),
  transaction: z.string(),
  reason: z.string(),
});
type Refund = z.infer<typeof refundSchema>;
const shownSchema = z.object({
  payments: z.tuple([
    z.looseObject({
      refunded: z.string(),
      delivered: z.boolean(),
      state: z.string(),
      refunds: z.array(refundSchema),
    }),
  ]),
});
type Shown = z.infer<typeof shownSchema>["payments"][0];

let market: Market;
let database: SharedPostgres | undefined;
const stalls: Stall[] = [];

beforeAll(async () => {
  if (hasChain) market = await openMarket();
  if (hasPostgres) database = await sharedPostgres();
}, CHAIN_SETUP_MS);

afterAll(async () => {
  await Promise.all(stalls.map((stall) => stall.close()));
  await market?.chain.close();
});

function newStall(more: StallOptions = {}, terms: object = {}): Stall {
  const { x402 = {}, ...rest } = more;
  const admin = { enabled: true, port: 0, api_key: KEY };
  const stall = new Stall(market, terms, { admin, ...rest, x402: { ...WITH_KEY, ...x402 } });
  stalls.push(stall);
  return stall;
}

async function openStall(more: StallOptions = {}, terms: object = {}): Promise<Stall> {
  const stall = newStall(more, terms);
  await stall.open();
  return stall;
}

async function call(stall: Stall, path: string, body?: object, area = "payments"): Promise<Response> {
  const url = (): string => /admin interface on (https?:\/\/\S+)\//.exec(stall.output)?.[1] ?? "";
  await until(() => url() !== "");
  const content = { "content-type": "application/json" };
  return await fetch(`${url()}/v1/${area}/${path}`, {
    headers: { "x-api-key": KEY, ...(body === undefined ? {} : content) },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
}

async function refund(stall: Stall, payment: PaymentPayload, body: object = {}): Promise<Refund> {
  const response = await call(stall, `${nonceOf(payment)}/refunds`, body);
  const json: unknown = await response.json();
  if (response.status !== 200) throw new Error(JSON.stringify(json));
  return refundSchema.parse(json);
}

async function shown(stall: Stall, payment: PaymentPayload): Promise<Shown> {
  return shownSchema.parse(await (await call(stall, nonceOf(payment))).json()).payments[0];
}

async function bought(stall: Stall): Promise<PaymentPayload> {
  const payment = await stall.sign();
  const response = await send(stall, payment);
  expect([response.status, await response.text()]).toEqual([200, "the goods"]);
  await until(async () => (await shown(stall, payment)).delivered);
  return payment;
}

/** Waits until no refund of the payment is pending. */
async function ended(stall: Stall, payment: PaymentPayload): Promise<readonly Refund[]> {
  await until(async () => (await shown(stall, payment)).refunds.every(({ state }) => state !== "pending"), 60_000);
  return (await shown(stall, payment)).refunds;
}

interface Sold {
  readonly token?: string;
  readonly credit: { readonly id: string; readonly balance: string };
}

/** A gateway that also sells prepaid credit. */
async function openBank(more: StallOptions = {}): Promise<Stall> {
  const stall = newStall(more);
  const { token, chain } = market;
  const account = { asset: token.address, network: chain.network, pay_to: stall.payee };
  const name = { extra_name: token.name, extra_version: token.version };
  stall.more = { credit: { ...account, ...name, max_timeout_seconds: 300, min: "10000", max: "100000" } };
  await stall.open();
  return stall;
}

/** Buys credit, or adds to that of `token`. */
async function buyCredit(stall: Stall, amount: bigint, token?: string): Promise<Sold> {
  const buy = (headers: Record<string, string>): Promise<Response> =>
    fetch(new URL("/.turnpike/credit", stall.url), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      body: JSON.stringify({ amount: String(amount) }),
    });
  const asked = await buy({});
  const required = paymentRequiredSchema.parse(decodeHeader(asked.headers.get("payment-required") ?? ""));
  const response = await buy({ "payment-signature": encodeHeader(await stall.sign(required)) });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Sold;
}

const refundedSchema = z.object({ credit: z.looseObject({ balance: z.string() }), refunds: z.array(refundSchema) });

async function refundCredit(
  stall: Stall,
  { credit }: Sold,
  body: object = {},
): Promise<z.infer<typeof refundedSchema>> {
  const response = await call(stall, `${credit.id}/refunds`, body, "credits");
  const json: unknown = await response.json();
  if (response.status !== 200) throw new Error(JSON.stringify(json));
  return refundedSchema.parse(json);
}

test.skipIf(!hasChain)("the rest of prepaid credit that cannot be sent stays on its balance", async () => {
  const stall = await openBank();
  const sold = await buyCredit(stall, 50_000n);
  await market.chain.send({
    from: stall.payee,
    to: market.token.address,
    data: `0xa9059cbb${PAYER.slice(2).padStart(64, "0")}${50_000n.toString(16).padStart(64, "0")}`,
  });
  const failed = await refundCredit(stall, sold);
  expect(failed).toMatchObject({ credit: { balance: "50000" }, refunds: [{ state: "failed" }] });
  const response = await fetch(stall.url, { headers: { authorization: `Bearer ${sold.token}` } });
  expect(response.status).toBe(200);
});

test.skipIf(!hasChain)("a payment is sent back once, in parts, and never more than it", async () => {
  const stall = await openStall();
  const payment = await bought(stall);
  const before = await market.token.balanceOf(PAYER);
  const part = await refund(stall, payment, { amount: "4000" });
  expect(part).toMatchObject({ id: "4000", sequence: 1, state: "settled", amount: "4000" });
  expect(await refund(stall, payment, { amount: "4000" })).toEqual(part);
  expect(await refund(stall, payment, { amount: "1000", id: "b" })).toMatchObject({ sequence: 2, state: "settled" });
  expect(refund(stall, payment, { amount: "5001" })).rejects.toThrow("more than what is left");
  expect(refund(stall, payment, { amount: "1001", id: "b" })).rejects.toThrow("another amount");
  expect(await refund(stall, payment, { amount: "2000", transaction: "cash-17" })).toMatchObject({ state: "recorded" });
  const rest = await refund(stall, payment);
  expect(rest).toMatchObject({ amount: "3000", state: "settled", id: "rest" });
  expect(await refund(stall, payment)).toEqual(rest);
  expect(await stall.balance()).toBe(2000n);
  expect(await market.token.balanceOf(PAYER)).toBe(before + 8000n);
  expect(await shown(stall, payment)).toMatchObject({ refunded: "10000", state: "settled" });
});

test.skipIf(!hasChain)(
  "with a ledger from a backup, no refund is made again, and none exceeds its payment",
  async () => {
    const stall = await openStall();
    const [whole, part] = [await bought(stall), await bought(stall)];
    await market.token.mint(stall.payee, 10n * PRICE);
    await stall.crash();
    const backup = `${stall.state}-backup`;
    cpSync(stall.state, backup, { recursive: true });
    await stall.open();
    const made = await refund(stall, whole);
    await refund(stall, part, { amount: "4000" });
    await stall.crash();
    rmSync(stall.state, { recursive: true });
    renameSync(backup, stall.state);
    await stall.open();
    const { state, transaction } = await refund(stall, whole);
    expect([state, transaction]).toEqual(["settled", made.transaction]);
    // The chain shows that a refund of the same number was made, with another amount.
    expect(await refund(stall, part)).toMatchObject({
      state: "pending",
      reason: expect.stringContaining("another amount"),
    });
    expect(refund(stall, part, { id: "again" })).rejects.toThrow("more than what is left");
    expect(await stall.sentBack()).toBe(PRICE + 4000n);
  },
);

test.skipIf(!hasChain)("what cannot be refunded is refused, and nothing is written", async () => {
  const stall = await openStall({ x402: { refunds: { key_envs: [] } } });
  const payment = await bought(stall);
  expect(refund(stall, payment)).rejects.toThrow(`no key of the receiving address ${stall.payee.toLowerCase()}`);
  expect((await call(stall, `${"0x00".repeat(32)}/refunds`, {})).status).toBe(404);
  for (const body of [{ amount: "1.5" }, { amount: "0" }, { amount: "-1" }, { id: "a b" }, { other: 1 }])
    expect((await call(stall, `${nonceOf(payment)}/refunds`, body)).status).toBe(400);
  expect(await shown(stall, payment)).toMatchObject({ refunded: "0", refunds: [] });
});

test.skipIf(!hasChain)("a refund that its address cannot pay fails at once, and works when it can", async () => {
  const stall = await openStall();
  const payment = await bought(stall);
  await market.chain.send({
    from: stall.payee,
    to: market.token.address,
    data: `0xa9059cbb${PAYER.slice(2).padStart(64, "0")}${PRICE.toString(16).padStart(64, "0")}`,
  });
  expect(await refund(stall, payment)).toMatchObject({
    state: "failed",
    reason: expect.stringContaining("insufficient_balance"),
  });
  expect((await shown(stall, payment)).refunded).toBe("0");
  await market.token.mint(stall.payee, PRICE);
  expect(await refund(stall, payment)).toMatchObject({ state: "settled", sequence: 2, id: "rest" });
  expect(await stall.balance()).toBe(0n);
});

test.skipIf(!hasChain)("a response that was refunded before its delivery is not sent any more", async () => {
  const stall = await openStall({}, { settle: "before" });
  stall.sell = () => new Response("sorry", { status: 500 });
  const payment = await stall.sign();
  expect((await send(stall, payment)).status).toBe(500);
  expect(await shown(stall, payment)).toMatchObject({ state: "settled", delivered: false });
  expect(await refund(stall, payment)).toMatchObject({ state: "settled" });
  stall.sell = () => new Response("the goods");
  const again = await send(stall, payment);
  expect([again.status, await again.text()]).toEqual([409, expect.stringContaining("refunded")]);
  expect([await stall.balance(), stall.runs]).toEqual([0n, 1]);
});

test.skipIf(!hasChain)("a denied payer gets no refund", async () => {
  const stall = newStall();
  const list = join(stall.state, "denied.txt");
  await Bun.write(list, `0x${"ab".repeat(20)}`);
  stall.more = { screening: { denied_payers: [list] } };
  await stall.open();
  const payment = await bought(stall);
  await Bun.write(list, PAYER);
  expect(await refund(stall, payment)).toMatchObject({ state: "failed", reason: expect.stringContaining("denied") });
  expect(await stall.balance()).toBe(PRICE);
});

const POINTS: readonly (readonly [name: string, method: string, isAfter: boolean])[] = [
  ["before its receipt of the payment is read", "eth_getTransactionReceipt", false],
  ["while the transfer is checked", "eth_call", false],
  ["before the transaction is sent", "eth_sendRawTransaction", false],
  ["after the transaction was sent, before it knows of that", "eth_sendRawTransaction", true],
];

for (const store of ["SQLite", "PostgreSQL"] as const) {
  for (const [name, method, isAfter] of POINTS) {
    test.concurrent.skipIf(!hasChain || (store === "PostgreSQL" && !hasPostgres))(
      `a gateway with ${store} that is killed ${name} refunds once`,
      async () => {
        const postgres = store === "SQLite" ? {} : { postgres: { url: database?.url(await database.newUser()) } };
        const stall = await openStall(postgres);
        const payment = await bought(stall);
        const reached = Promise.withResolvers<void>();
        stall.rpcHand = async ({ methods, forward }) => {
          if (!methods.includes(method)) return forward();
          if (isAfter) await forward();
          reached.resolve();
          return never();
        };
        void refund(stall, payment).catch(() => undefined);
        await reached.promise;
        await stall.crash();
        await stall.open();
        // The operator sees no response and asks again.
        expect(await refund(stall, payment)).toMatchObject({ sequence: 1 });
        expect(await ended(stall, payment)).toMatchObject([{ state: "settled", amount: String(PRICE) }]);
        expect(await stall.balance()).toBe(0n);
      },
    );
  }
}

for (const store of ["SQLite", "PostgreSQL"] as const) {
  test.concurrent.skipIf(!hasChain || (store === "PostgreSQL" && !hasPostgres))(
    `the rest of prepaid credit in ${store} is sent back once, as refunds of its purchases, also after a kill`,
    async () => {
      const postgres = store === "SQLite" ? {} : { postgres: { url: database?.url(await database.newUser()) } };
      const stall = await openBank(postgres);
      const sold = await buyCredit(stall, 50_000n);
      await buyCredit(stall, 20_000n, sold.token);
      const charged = await fetch(stall.url, { headers: { authorization: `Bearer ${sold.token}` } });
      expect(charged.status).toBe(200);
      const part = await refundCredit(stall, sold, { amount: "5000", id: "part" });
      expect(part).toMatchObject({ credit: { balance: "55000" }, refunds: [{ amount: "5000", state: "settled" }] });
      const reached = Promise.withResolvers<void>();
      stall.rpcHand = async ({ methods, forward }) => {
        if (!methods.includes("eth_sendRawTransaction")) return forward();
        reached.resolve();
        return never();
      };
      void refundCredit(stall, sold).catch(() => undefined);
      await reached.promise;
      await stall.crash();
      await stall.open();
      await until(
        async () => (await refundCredit(stall, sold)).refunds.every(({ state }) => state === "settled"),
        60_000,
      );
      expect(await refundCredit(stall, sold)).toMatchObject({
        credit: { balance: "0" },
        refunds: [{ amount: "15000" }, { amount: "40000" }],
      });
      expect(refundCredit(stall, sold, { id: "more" })).rejects.toThrow("issued credit");
      expect(await stall.sentBack()).toBe(60_000n);
      expect(await stall.balance()).toBe(10_000n);
    },
  );
}

test.skipIf(!hasChain || !hasPostgres)("two gateways that refund parts at once never exceed the payment", async () => {
  const postgres = { url: database?.url((await database?.newUser()) ?? "") };
  const stall = await openStall({ postgres });
  const other = newStall({ postgres, server: { workers: 2 } });
  other.sameSellerAs(stall);
  await other.open();
  const payment = await bought(stall);
  const before = await market.token.balanceOf(PAYER);
  const results = await Promise.allSettled(
    Array.from({ length: 24 }, (_, i) =>
      refund(i % 2 === 0 ? stall : other, payment, { amount: "900", id: `part-${i >> 1}` }),
    ),
  );
  await ended(stall, payment);
  const { refunded, refunds } = await shown(stall, payment);
  expect(results.filter(({ status }) => status === "rejected")).toHaveLength(2);
  expect(refunds.map(({ state }) => state)).toEqual(Array.from({ length: 11 }, () => "settled"));
  expect(refunded).toBe("9900");
  expect([await stall.balance(), (await market.token.balanceOf(PAYER)) - before]).toEqual([100n, 9900n]);
});

test.skipIf(!hasChain)("a facilitator over HTTP sends refunds, and the chain says when they are settled", async () => {
  const account = freshKey();
  await market.chain.fund(addressOf(account));
  const chain = { network: market.chain.network, rpc_url: market.chain.rpcUrl, timeout_ms: 5000, poll_ms: 20 };
  const bounds = { confirmations: 1, receipt_timeout_ms: 20_000, max_fee_per_gas: "5000000000", max_gas: 300_000 };
  const own = createEmbeddedFacilitator({
    chains: [{ ...chain, ...bounds }],
    signers: [{ type: "key", key: account }],
    max_pending: 10,
  });
  const server = await serveFacilitator(own, { hostname: "127.0.0.1", port: 0 }, { log() {} });
  const x402 = { embedded: { enabled: false }, facilitator_url: server.url };
  const stall = await openStall({ x402, server: { workers: 2 } });
  const payment = await bought(stall);
  expect(["pending", "settled"]).toContain((await refund(stall, payment)).state);
  expect(await ended(stall, payment)).toMatchObject([{ state: "settled" }]);
  expect(await stall.balance()).toBe(0n);
  await server.close(0);
  await own.close();
});

test.skipIf(!hasChain)("refunds work in test mode with several workers, and no refund is made twice", async () => {
  const stall = await openStall({
    x402: { test_mode: true, embedded: { enabled: false }, chains: [] },
    server: { workers: 2 },
  });
  const payment = await bought(stall);
  expect(await refund(stall, payment)).toMatchObject({
    state: "settled",
    transaction: expect.stringContaining("0x7e577e57"),
  });
  expect(await refund(stall, payment)).toMatchObject({ sequence: 1 });
});

test.skipIf(!hasChain)("a settlement that only a facilitator has claimed is not refunded", async () => {
  const liar = new CountingFacilitator();
  const stall = await openStall({ x402: { embedded: { enabled: false }, facilitator_url: liar.url } });
  const payment = await bought(stall);
  await market.token.mint(stall.payee, PRICE);
  const answer = await refund(stall, payment);
  expect(answer.state).not.toBe("settled");
  expect(answer.reason).toContain("the transaction of the payment");
  expect(await stall.balance()).toBe(PRICE);
  await liar.close();
});

test.skipIf(!hasChain)("payments that are owed for too long are sent back by themselves", async () => {
  const stall = await openStall(
    { x402: { refunds: { key_envs: ["TEST_PAYEE_KEY"], owed_after_days: 3 } } },
    { settle: "before" },
  );
  const delivered = await bought(stall);
  stall.sell = () => new Response("sorry", { status: 500 });
  const [old, young] = [await stall.sign(), await stall.sign()];
  for (const payment of [old, young]) expect((await send(stall, payment)).status).toBe(500);
  await stall.crash();
  const ledger = new Database(join(stall.state, "turnpike.db"));
  const age = ledger.query(
    "UPDATE payments SET updated_at = updated_at - 3 * 86400000, held_until = 0 WHERE nonce <> ?",
  );
  age.run(nonceOf(young));
  ledger.close();
  await stall.open();
  await until(async () => (await shown(stall, old)).refunds[0]?.state === "settled", 60_000);
  expect((await shown(stall, old)).refunds).toMatchObject([{ id: "owed", amount: String(PRICE) }]);
  expect((await shown(stall, young)).refunds).toEqual([]);
  expect((await shown(stall, delivered)).refunds).toEqual([]);
  expect(await stall.balance()).toBe(2n * PRICE);
});

test.skipIf(!hasChain)("the totals of an export are those of the chain", async () => {
  const stall = await openStall();
  const ether = async (): Promise<bigint> =>
    BigInt(String(await market.chain.rpc("eth_getBalance", [stall.facilitator, "latest"])));
  const before = await ether();
  const payments = [await bought(stall), await bought(stall), await bought(stall)];
  const [first, second] = payments;
  if (first === undefined || second === undefined) throw new Error("nothing was bought");
  await refund(stall, first);
  await refund(stall, second, { amount: "2500" });
  await refund(stall, second, { amount: "100", transaction: "cash-17" });
  const config = join(stall.state, "export.json");
  const chains = [{ network: market.chain.network, rpc_url_env: "TEST_RPC" }];
  await Bun.write(config, JSON.stringify({ state_path: stall.state, x402: { chains } }));
  const exported = async (...args: string[]): Promise<string> => {
    const command = [...COMMAND, "ledger", "export", ...args, "--config", config, "--gas", stall.facilitator];
    const child = Bun.spawn(command, { env: { ...Bun.env, TEST_RPC: market.chain.rpcUrl }, stderr: "inherit" });
    const text = await new Response(child.stdout).text();
    expect(await child.exited).toBe(0);
    return text;
  };
  const row = z.looseObject({ kind: z.string(), amount: z.string(), gas_wei: z.string(), state: z.string() });
  const rows = (await exported("--jsonl"))
    .trimEnd()
    .split("\n")
    .map((line) => row.parse(JSON.parse(line)));
  expect(rows.map(({ kind, amount }) => `${kind} ${amount}`).toSorted()).toEqual([
    ...Array.from({ length: 3 }, () => "payment 10000"),
    "recorded refund -100",
    "refund -10000",
    "refund -2500",
  ]);
  const sent = rows.filter(({ kind }) => kind !== "recorded refund");
  expect(sent.reduce((sum, { amount }) => sum + BigInt(amount), 0n)).toBe(await stall.balance());
  expect(rows.reduce((sum, { gas_wei: gas }) => sum + BigInt(gas === "" ? 0 : gas), 0n)).toBe(before - (await ether()));
  const csv = (await exported("--csv")).trimEnd().split("\r\n");
  expect(csv).toHaveLength(7);
  expect(csv.filter((line) => line.includes(",-10000,"))).toHaveLength(1);
});
