import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../lib/testing/until.ts";
import { type Hex } from "../../x402/address.ts";
import { type Eip3009Payment } from "../../x402/messages.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../testing/chain.ts";
import { createChainReader } from "../chain-reader.ts";
import { type NodeProxy, rpcError, rpcResult, startNodeProxy } from "../testing/node-proxy.ts";
import { freshAccount, openShop, type Shop } from "../testing/shop.ts";
import { transferCall } from "./calls.ts";

function callOf({ payload: { authorization, signature } }: Eip3009Payment): Hex {
  return transferCall(authorization, signature);
}

describe.skipIf(!hasChain)("EIP-3009 payments while one of several nodes lags behind", () => {
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
  afterEach(async () => {
    proxy.behave(undefined);
    proxy.methods.length = 0;
    proxy.ended.length = 0;
    await shop.chain.setMining(true);
  });

  function reader() {
    const { network } = shop.chain;
    return createChainReader([{ network, rpc_url: proxy.rpcUrl, timeout_ms: 2000, poll_ms: 5, confirmations: 1 }]);
  }

  /** From now on, a request for the newest state receives the current one. Blocks, receipts and events continue. */
  async function stayBehind(): Promise<void> {
    const behind = await shop.chain.rpc("eth_blockNumber");
    proxy.behave(async (call, forward) => {
      const params = (call["params"] ?? []) as unknown[];
      if (call.method !== "eth_call" || params[1] !== "latest") return await forward();
      return rpcResult(call, await shop.chain.rpc("eth_call", [params[0], behind]));
    });
  }

  test("a settled payment is not void after its time has ended", async () => {
    const payment = await shop.pay(await shop.payer(), { validBefore: String((await shop.chain.time()) + 3) });
    await stayBehind();
    await shop.chain.send({ to: shop.token.address, data: callOf(payment) });
    await shop.chain.passTime(4);
    expect(await reader().find(payment, shop.requirements)).toEqual({
      kind: "unknown",
      cause: "the node contradicts itself",
    });
    proxy.behave(undefined);
    expect(await reader().find(payment, shop.requirements)).toMatchObject({ kind: "settled" });
  });

  test("an unsent payment is void after its time has ended, and not before", async () => {
    const payment = await shop.pay(await shop.payer(), { validBefore: String((await shop.chain.time()) + 3) });
    expect(await reader().find(payment, shop.requirements)).toEqual({ kind: "unspent" });
    await shop.chain.passTime(4);
    expect(await reader().find(payment, shop.requirements)).toEqual({ kind: "void" });
  });

  test("a payment that another account settled is not refused because the gateway's own transaction failed", async () => {
    const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl });
    const payment = await shop.pay(await shop.payer());
    await shop.chain.setMining(false);
    await stayBehind();
    const settling = facilitator.settle(payment, shop.requirements);
    await until(() => proxy.ended.includes("eth_sendRawTransaction"));
    const stranger = freshAccount().address;
    await shop.chain.fund(stranger);
    const fees = { maxFeePerGas: "0x174876e800", maxPriorityFeePerGas: "0x174876e800", gas: "0x30d40" };
    const transaction = { from: stranger, to: shop.token.address, data: callOf(payment), ...fees };
    await shop.chain.rpc("eth_sendTransaction", [transaction]);
    await shop.chain.mine();
    expect((await settling).kind).toBe("unknown");
    proxy.behave(undefined);
    expect(await facilitator.settle(payment, shop.requirements)).toMatchObject({ kind: "settled" });
  });

  test("a payment that one node rejects and another accepts is not refused", async () => {
    const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl });
    const payment = await shop.pay(await shop.payer());
    proxy.behave((call, forward) =>
      call.method === "eth_estimateGas" ? rpcError(call, 3, "execution reverted") : forward(),
    );
    expect(await facilitator.settle(payment, shop.requirements)).toEqual({
      kind: "unknown",
      cause: "the node contradicts itself: nothing was sent",
      transaction: "",
    });
    proxy.behave(undefined);
    expect(await facilitator.settle(payment, shop.requirements)).toMatchObject({ kind: "settled" });
  });

  test("a nonce that was used in a dropped block does not make the payment void", async () => {
    const payment = await shop.pay(await shop.payer());
    await shop.chain.send({ to: shop.token.address, data: callOf(payment) });
    proxy.behave(async (call, forward) => {
      const response = await forward();
      if (call.method !== "eth_getTransactionReceipt") return response;
      // In the new block, another account used the nonce first.
      const { result } = response as { result: object };
      return rpcResult(call, { ...result, status: "0x0", logs: [] });
    });
    expect(await reader().find(payment, shop.requirements)).toMatchObject({ kind: "unknown" });
    proxy.behave(undefined);
    expect(await reader().find(payment, shop.requirements)).toMatchObject({ kind: "settled" });
  });
});
