/** Nodes of two forks behind one address. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { CHAIN_SETUP_MS, hasChain } from "../testing/chain.ts";
import { type NodeProxy, rpcResult, startNodeProxy } from "./testing/node-proxy.ts";
import { openShop, type Shop } from "./testing/shop.ts";

setDefaultTimeout(patient(30_000));

describe.skipIf(!hasChain)("with three confirmations", () => {
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

  test("a receipt does not count if its block is of another fork than the newest one", async () => {
    const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl, confirmations: 3 });
    const payment = await shop.pay(await shop.payer());
    const looks = Promise.withResolvers<void>();
    let foreign = 0;
    let isForked = true;
    proxy.behave(async (call, forward) => {
      const response = await forward();
      if (call.method !== "eth_getTransactionReceipt" || !isForked) return response;
      const { result } = response as { readonly result?: object | null }; // the form of JSON-RPC
      if (result === undefined || result === null) return response;
      foreign += 1;
      if (foreign === 1) await shop.chain.mine(2);
      if (foreign === 5) looks.resolve();
      return rpcResult(call, { ...result, blockHash: `0x${"ab".repeat(32)}` });
    });
    let isSettled = false;
    const settling = facilitator.settle(payment, shop.requirements).finally(() => (isSettled = true));
    await looks.promise;
    expect(isSettled).toBe(false);
    isForked = false;
    expect(await settling).toMatchObject({ kind: "settled" });
    proxy.behave(undefined);
  });
});
