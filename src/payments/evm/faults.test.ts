import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { fractionsOf } from "../../lib/testing/mulberry32.ts";
import { type Settlement } from "../x402/facilitator.ts";
import { type Eip3009Payment } from "../x402/messages.ts";
import { CHAIN_SETUP_MS, hasChain } from "../testing/chain.ts";
import { type Behaviour, type NodeProxy, rpcError, startNodeProxy } from "./testing/node-proxy.ts";
import { freshAccount, openShop, type Shop } from "./testing/shop.ts";
import { patient } from "../../lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

const RUNS = 6;
const PAYMENTS = 6;
const TRIES = 40;
const REFUSALS = ["nonce too low", "replacement transaction underpriced", "already known", "internal error", "busy"];

/** A node with random faults. */
function faulty(random: () => number, shop: Shop): Behaviour {
  return async (call, forward) => {
    const fate = random();
    if (call.method === "eth_sendRawTransaction") {
      if (fate < 0.1) return "never";
      if (fate < 0.25) {
        await forward();
        return "never";
      }
      if (fate < 0.4) {
        const message = REFUSALS[Math.floor(random() * REFUSALS.length)] ?? "";
        return rpcError(call, -32_000, message);
      }
      if (fate < 0.45) await shop.chain.rpc("anvil_dropAllTransactions");
      return await forward();
    }
    if (fate < 0.04) return rpcError(call, -32_603, "internal error");
    if (fate < 0.05) return "never";
    if (fate < 0.06) return { jsonrpc: "2.0", id: call.id, result: "garbage" };
    return await forward();
  };
}

describe.skipIf(!hasChain)("settlement under random faults of the node", () => {
  let shop: Shop;
  let proxy: NodeProxy;
  beforeAll(async () => {
    shop = await openShop();
    proxy = startNodeProxy(shop.chain.rpcUrl);
  }, CHAIN_SETUP_MS);
  afterAll(async () => {
    await proxy.close();
    await shop.close();
  });

  async function isPaid({ payload: { authorization } }: Eip3009Payment): Promise<boolean> {
    return await shop.token.isUsed(authorization.from, authorization.nonce);
  }

  test("reports as settled only settled payments, refuses no valid payment, and settles in the end", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const random = fractionsOf(seed);
        const account = freshAccount();
        const options = { account, rpc_url: proxy.rpcUrl, timeout_ms: 60, receipt_timeout_ms: 200 };
        const before = await shop.facilitator(options);
        const payer = await shop.payer();
        const payments = await Promise.all(Array.from({ length: PAYMENTS }, () => shop.pay(payer)));
        proxy.behave(faulty(random, shop));
        const first = await Promise.all(payments.map((payment) => before.settle(payment, shop.requirements)));
        await check(payments, first);
        const second = await Promise.all(payments.map((payment) => before.settle(payment, shop.requirements)));
        await check(payments, second);
        await before.close();

        // Another process continues, with a node that has recovered.
        proxy.behave(undefined);
        const after = await shop.facilitator({ ...options, timeout_ms: 5000 });
        for (const payment of payments) {
          let settlement: Settlement = { kind: "unknown", cause: "", transaction: "" };
          for (let i = 0; i < TRIES && settlement.kind === "unknown"; i++) {
            settlement = await after.settle(payment, shop.requirements);
          }
          expect(settlement.kind).toBe("settled");
        }
        expect(await shop.token.balanceOf(payer.address)).toBe(1_000_000n - 10_000n * BigInt(PAYMENTS));
      }),
      { numRuns: Number(process.env["FAULT_RUNS"] ?? RUNS) },
    );
  });

  async function check(payments: readonly Eip3009Payment[], settlements: readonly Settlement[]): Promise<void> {
    for (const [i, settlement] of settlements.entries()) {
      const payment = payments[i];
      if (payment === undefined || settlement.kind === "unknown") continue;
      expect(settlement.kind).toBe("settled");
      expect(await isPaid(payment)).toBe(true);
    }
  }
});
