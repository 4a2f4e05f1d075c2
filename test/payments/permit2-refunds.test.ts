/** Refunds of Permit2 payments on a real chain: the seller's address must have approved Permit2, as a payer must. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { z } from "zod";
import { until } from "../../src/lib/testing/until.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { placePermit2 } from "../../src/payments/evm/permit2/testing/permit2-shop.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../src/payments/testing/chain.ts";
import { PAYER } from "../../src/payments/testing/payment.ts";
import { signedPermit2 } from "../../src/payments/testing/permit2-payment.ts";
import { decodeHeader } from "../../src/payments/x402/header.ts";
import { receiptSchema } from "../../src/payments/x402/messages.ts";
import { PERMIT2 } from "../../src/payments/x402/transfer.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../../src/store/testing/postgres.ts";
import { type Market, never, openMarket, PRICE, send, Stall } from "./market.ts";

// Leases of dead processes last, and processes start slowly on a busy machine.
setDefaultTimeout(patient(120_000));

const KEY = "the-key-of-operators";
const ENOUGH = 1_000_000_000n;
const refundSchema = z.looseObject({ state: z.string(), amount: z.string(), reason: z.string(), sequence: z.number() });

let market: Market;
let database: SharedPostgres | undefined;
const stalls: Stall[] = [];

beforeAll(async () => {
  if (!hasChain) return;
  market = await openMarket();
  await placePermit2(market.chain);
  await market.token.approve(PAYER, PERMIT2, ENOUGH);
  if (hasPostgres) database = await sharedPostgres();
}, CHAIN_SETUP_MS);

afterAll(async () => {
  await Promise.all(stalls.map((stall) => stall.close()));
  await market?.chain.close();
});

async function openStall(more: object, sameAs?: Stall): Promise<Stall> {
  const admin = { enabled: true, port: 0, api_key: KEY };
  const x402 = { refunds: { key_envs: ["TEST_PAYEE_KEY"] } };
  const stall = new Stall(market, { asset_transfer_method: "permit2" }, { admin, x402, ...more });
  if (sameAs !== undefined) stall.sameSellerAs(sameAs);
  stalls.push(stall);
  await stall.open();
  return stall;
}

/** Buys by Permit2. Returns the transaction. */
async function bought(stall: Stall): Promise<string> {
  const [offer] = (await stall.challenge()).accepts;
  if (offer === undefined) throw new Error("nothing is accepted");
  const response = await send(stall, signedPermit2(offer, await market.chain.time()));
  expect([response.status, await response.text()]).toEqual([200, "the goods"]);
  const { transaction } = receiptSchema.parse(decodeHeader(response.headers.get("payment-response") ?? ""));
  return transaction;
}

async function call(stall: Stall, path: string, body?: object): Promise<Response> {
  const url = (): string => /admin interface on (https?:\/\/\S+)\//.exec(stall.output)?.[1] ?? "";
  await until(() => url() !== "");
  return await fetch(`${url()}/v1/payments/${path}`, {
    headers: { "x-api-key": KEY, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
}

async function refund(stall: Stall, payment: string, body: object = {}): Promise<z.infer<typeof refundSchema>> {
  let response = await call(stall, `${payment}/refunds`, body);
  // The delivery is recorded after the response.
  const isBusy = async (): Promise<boolean> => (await response.clone().text()).includes("a request is receiving");
  await until(async () => {
    if (!(await isBusy())) return true;
    response = await call(stall, `${payment}/refunds`, body);
    return false;
  });
  const json: unknown = await response.json();
  if (response.status !== 200) throw new Error(JSON.stringify(json));
  return refundSchema.parse(json);
}

/** Waits until the same refund has an end. */
async function ended(stall: Stall, payment: string): Promise<z.infer<typeof refundSchema>> {
  let last = await refund(stall, payment);
  await until(async () => (last = await refund(stall, payment)).state !== "pending", 60_000);
  return last;
}

const STORES = (["SQLite", "PostgreSQL"] as const).map((store) => {
  const isPostgres = store === "PostgreSQL";
  const newStore = async (): Promise<object> =>
    isPostgres ? { postgres: { url: database?.url(await database.newUser()) } } : {};
  return { store, isPostgres, newStore, skips: !hasChain || (isPostgres && !hasPostgres) };
});

for (const { store, newStore, skips } of STORES) {
  test.skipIf(skips)(
    `${store}: a refund fails until the seller has approved Permit2, then it is sent once`,
    async () => {
      const stall = await openStall(await newStore());
      const payment = await bought(stall);
      const before = await market.token.balanceOf(PAYER);
      const failed = await ended(stall, payment);
      expect(failed).toMatchObject({ state: "failed", reason: expect.stringContaining("allowance") });
      expect(await market.token.balanceOf(PAYER)).toBe(before);
      await market.token.approve(stall.payee, PERMIT2, ENOUGH);
      const part = await refund(stall, payment, { amount: "4000" });
      expect(part).toMatchObject({ state: "settled", amount: "4000" });
      expect(await ended(stall, payment)).toMatchObject({ state: "settled", amount: "6000" });
      expect(refund(stall, payment, { amount: "1", id: "more" })).rejects.toThrow("more than what is left");
      expect(await market.token.balanceOf(PAYER)).toBe(before + PRICE);
      expect(await stall.balance()).toBe(0n);
    },
  );
}

for (const { store, isPostgres, newStore, skips } of STORES) {
  test.concurrent.skipIf(skips)(
    `${store}: a refund that a gateway was sending when it was killed is sent once`,
    async () => {
      const more = await newStore();
      const stall = await openStall(more);
      await market.token.approve(stall.payee, PERMIT2, ENOUGH);
      const payment = await bought(stall);
      const reached = Promise.withResolvers<void>();
      stall.rpcHand = async ({ methods, forward }) => {
        if (!methods.includes("eth_sendRawTransaction")) return forward();
        // The other gateway finds a transfer that is under way, the same one after a restart that nothing was sent.
        if (isPostgres) await forward();
        reached.resolve();
        return never();
      };
      const sending = refund(stall, payment).catch(() => undefined);
      await reached.promise;
      // With PostgreSQL another gateway of the seller goes on, with a gas key of its own. Before, it could send the refund first.
      const other = isPostgres ? await openStall(more, stall) : undefined;
      await stall.crash();
      await sending;
      if (other === undefined) await stall.open();
      expect(await ended(other ?? stall, payment)).toMatchObject({ state: "settled", amount: String(PRICE) });
      expect(await stall.sentBack()).toBe(PRICE);
      expect(await stall.balance()).toBe(0n);
    },
  );
}
