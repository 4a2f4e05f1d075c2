import { hexToBytes } from "@noble/hashes/utils.js";
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type PaymentRequirements, type Permit2Payment } from "../../x402/messages.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../testing/chain.ts";
import { PAYEE } from "../../testing/payment.ts";
import { PERMIT2, PROXIES } from "../../x402/transfer.ts";
import { encodeCall } from "../node/abi.ts";
import { type NodeProxy, rpcError, rpcResult, startNodeProxy } from "../testing/node-proxy.ts";
import { freshAccount, type TestAccount } from "../testing/shop.ts";
import { settleCall } from "./calldata.ts";
import { openPermit2Shop, type Permit2Shop } from "./testing/permit2-shop.ts";
import { patient } from "../../../lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

const SEND = "eth_sendRawTransaction";

describe.skipIf(!hasChain)("the outcome of Permit2 payments", () => {
  let shop: Permit2Shop;
  let proxy: NodeProxy;
  beforeAll(async () => {
    shop = await openPermit2Shop();
    proxy = startNodeProxy(shop.chain.rpcUrl);
  }, CHAIN_SETUP_MS);
  afterAll(async () => {
    await proxy.close();
    await shop.close();
  });
  afterEach(async () => {
    proxy.behave(undefined);
    proxy.methods.length = 0;
    await shop.chain.setMining(true);
    await shop.chain.mine();
  });

  async function callBack(payer: TestAccount, nonce: bigint): Promise<void> {
    const data = encodeCall("invalidateUnorderedNonces(uint256,uint256)", [nonce >> 8n, 1n << (nonce & 255n)]);
    await shop.chain.send({ from: payer.address, to: PERMIT2, data });
  }

  /** Settles through a contract in between. */
  async function relay(payment: Permit2Payment): Promise<void> {
    const address = await shop.chain.deploy("Relay");
    const call = hexToBytes(settleCall(payment, 10_000n).slice(2));
    await shop.chain.send({ to: address, data: encodeCall("relay(address,bytes)", [PROXIES.exact, call]) });
  }

  const transfer = encodeCall("transfer(address,uint256)", [PAYEE, 10_000n]);

  test("a settlement through a contract in between is unknown, and never counts as unpaid", async () => {
    const facilitator = await shop.facilitator();
    const payer = await shop.buyer();
    const payment = await shop.permit(shop.exact, payer);
    await relay(payment);
    expect(await shop.token.balanceOf(payer.address)).toBe(990_000n);
    expect(await facilitator.find(payment, shop.exact)).toMatchObject({ kind: "unknown" });
    expect(await facilitator.settle(payment, shop.exact)).toMatchObject({ kind: "unknown" });
  });

  test("a canceled payment does not count as paid because another one went through a contract in between", async () => {
    const facilitator = await shop.facilitator();
    const payer = await shop.buyer();
    const back = await shop.permit(shop.exact, payer, { nonce: "300" });
    await callBack(payer, 300n);
    await relay(await shop.permit(shop.exact, payer));
    expect(await facilitator.find(back, shop.exact)).toMatchObject({ kind: "unknown" });
    expect((await facilitator.settle(back, shop.exact)).kind).not.toBe("settled");
  });

  test("a payment is found among others of the same payer, and after many blocks", async () => {
    const facilitator = await shop.facilitator();
    const payer = await shop.buyer();
    const payments = await Promise.all(Array.from({ length: 12 }, () => shop.permit(shop.exact, payer)));
    const settled = await Promise.all(payments.map((payment) => facilitator.settle(payment, shop.exact)));
    expect(settled.every(({ kind }) => kind === "settled")).toBe(true);
    await shop.chain.send({ from: payer.address, to: shop.token.address, data: transfer });
    const [first] = payments;
    if (first === undefined) throw new Error("Cannot look for a payment: none was made");
    const found: unknown = await Promise.all(payments.map((payment) => facilitator.find(payment, shop.exact)));
    expect(found).toEqual(settled);
    await shop.chain.mine(700);
    const later: unknown = await facilitator.find(first, shop.exact);
    expect(later).toEqual(settled[0]);
  });

  test("a settled payment is not void because the node that searches events lags behind", async () => {
    const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl });
    const payer = await shop.buyer();
    const payment = await shop.permit(shop.exact, payer);
    const behind = Number(await shop.chain.rpc("eth_blockNumber"));
    await shop.chain.send({ to: PROXIES.exact, data: settleCall(payment, 10_000n) });
    let isSearched = false;
    proxy.behave(async (call, forward) => {
      const [number] = (call["params"] ?? []) as unknown[];
      if (call.method === "eth_getLogs") {
        isSearched = true;
        return rpcResult(call, []);
      }
      // The same node serves the whole batch.
      const isBeyond = call.method === "eth_getBlockByNumber" && Number(number) > behind;
      return isBeyond && isSearched ? rpcResult(call, null) : await forward();
    });
    expect(await facilitator.find(payment, shop.exact)).toMatchObject({ kind: "unknown" });
    isSearched = false;
    expect(await facilitator.settle(payment, shop.exact)).toMatchObject({ kind: "unknown" });
    proxy.behave(undefined);
    expect(await facilitator.settle(payment, shop.exact)).toMatchObject({ kind: "settled" });
  });

  test("a settlement counts after the configured number of confirmations", async () => {
    const facilitator = await shop.facilitator({ confirmations: 3 });
    const payer = await shop.buyer();
    const payment = await shop.permit(shop.exact, payer);
    const transaction = await shop.chain.send({ to: PROXIES.exact, data: settleCall(payment, 10_000n) });
    expect(await facilitator.find(payment, shop.exact)).toMatchObject({
      kind: "unknown",
      cause: "the nonce is spent in a block that does not count yet",
    });
    expect(await facilitator.settle(payment, shop.exact)).toMatchObject({ kind: "unknown" });
    await shop.chain.mine(2);
    const settled = { kind: "settled", transaction, payer: payer.address } as const;
    expect(await facilitator.find(payment, shop.exact)).toEqual(settled);
    expect(await facilitator.settle(payment, shop.exact)).toEqual(settled);
  });

  test("a settlement that gets into no block is open; the next process sends no second one, and finds the first", async () => {
    const account = freshAccount();
    const facilitator = await shop.facilitator({ account, receipt_timeout_ms: 200 });
    const upto = shop.upto(account.address);
    const charged: PaymentRequirements = { ...upto, amount: "777" };
    const payer = await shop.buyer();
    const payment = await shop.permit(upto, payer);
    await shop.chain.setMining(false);
    const open = await facilitator.settle(payment, charged);
    expect(open).toMatchObject({ kind: "unknown", transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
    expect(await facilitator.find(payment, upto)).toEqual({ kind: "unspent" });
    const next = await shop.facilitator({ account, rpc_url: proxy.rpcUrl });
    expect(await next.settle(payment, { ...upto, amount: "100000" })).toMatchObject({ kind: "unknown" });
    expect(proxy.methods).not.toContain(SEND);
    await shop.chain.setMining(true);
    await shop.chain.mine();
    const found = await next.settle(payment, charged);
    expect(found).toMatchObject({ kind: "settled", payer: payer.address });
    expect(await facilitator.settle(payment, charged)).toEqual(found);
    expect(await shop.token.balanceOf(payer.address)).toBe(1_000_000n - 777n);
  });

  test("a lagging node does not make a settled payment void after its time has ended", async () => {
    const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl });
    const payment = await shop.permit(shop.exact, await shop.buyer());
    const settled: unknown = await facilitator.settle(payment, shop.exact);
    const back = await shop.chain.snapshot();
    await shop.chain.passTime(3600);
    const found: unknown = await facilitator.find(payment, shop.exact);
    expect(found).toEqual(settled);
    proxy.behave(async (call, forward) => {
      const isNewest = JSON.stringify(call).includes('"latest"');
      if (call.method !== "eth_call" || !isNewest) return await forward();
      return { jsonrpc: "2.0", id: call.id, result: `0x${"0".repeat(64)}` };
    });
    expect((await facilitator.find(payment, shop.exact)).kind).toBe("unknown");
    await back();
  });

  test("a payment with an invalid signature starts no search on the chain", async () => {
    const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl });
    const payer = await shop.buyer();
    const payment = await shop.permit(shop.exact, payer, { nonce: "4" });
    expect((await facilitator.settle(payment, shop.exact)).kind).toBe("settled");
    const forged = await shop.permit(shop.exact, freshAccount(), { from: payer.address, nonce: "4" });
    proxy.methods.length = 0;
    expect((await facilitator.find(forged, shop.exact)).kind).toBe("unknown");
    expect(proxy.methods).not.toContain("eth_getLogs");
  });

  test("a lagging node does not cause a refusal of a payment that another facilitator has settled", async () => {
    const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl });
    const payer = await shop.buyer();
    const payment = await shop.permit(shop.exact, payer);
    let isBehind = false;
    proxy.behave(async (call, forward) => {
      if (call.method === SEND && !isBehind) {
        await shop.chain.send({ to: PROXIES.exact, data: settleCall(payment, 10_000n) });
        isBehind = true;
      }
      const isNewest = call.method === "eth_call" && JSON.stringify(call).includes('"latest"');
      if (!isBehind || !isNewest) return await forward();
      return { jsonrpc: "2.0", id: call.id, result: `0x${"0".repeat(64)}` };
    });
    expect((await facilitator.settle(payment, shop.exact)).kind).toBe("unknown");
    proxy.behave(undefined);
    expect((await facilitator.settle(payment, shop.exact)).kind).toBe("settled");
    expect(await shop.token.balanceOf(payer.address)).toBe(990_000n);
  });

  test("a payment that another account settles meanwhile is settled, and the payer pays only once", async () => {
    const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl });
    const payer = await shop.buyer();
    const payment = await shop.permit(shop.exact, payer);
    let transaction = "";
    proxy.behave(async (call, forward) => {
      if (call.method === SEND && transaction === "") {
        transaction = await shop.chain.send({ to: PROXIES.exact, data: settleCall(payment, 10_000n) });
      }
      return await forward();
    });
    expect(await facilitator.settle(payment, shop.exact)).toEqual({
      kind: "settled",
      transaction,
      payer: payer.address,
    });
    expect(await shop.token.balanceOf(payer.address)).toBe(990_000n);
  });

  test("a payer without funds at settlement is refused, because no money has moved", async () => {
    const facilitator = await shop.facilitator();
    const payer = await shop.buyer();
    const payment = await shop.permit(shop.exact, payer);
    expect((await facilitator.verify(payment, shop.exact)).kind).toBe("valid");
    await shop.token.approve(payer.address, PERMIT2, 0n);
    expect(await facilitator.settle(payment, shop.exact)).toEqual({
      kind: "refused",
      reason: "permit2_allowance_required",
    });
    const everything = encodeCall("transfer(address,uint256)", [freshAccount().address, 1_000_000n]);
    await shop.chain.send({ from: payer.address, to: shop.token.address, data: everything });
    expect(await facilitator.settle(payment, shop.exact)).toEqual({
      kind: "refused",
      reason: "permit2_insufficient_balance",
    });
  });

  for (const method of ["eth_call", "eth_getBlockByNumber", "eth_getLogs", "eth_getTransactionByHash"]) {
    test(`a node that fails at ${method} causes no wrong result for a settled payment`, async () => {
      const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl });
      const payment = await shop.permit(shop.exact, await shop.buyer());
      expect((await facilitator.settle(payment, shop.exact)).kind).toBe("settled");
      for (const response of [
        rpcError({ id: 0, method }, -32_000, "the secret is abc"),
        { result: "0x" },
        { result: null },
      ]) {
        proxy.behave(async (call, forward) =>
          call.method === method ? { jsonrpc: "2.0", ...response, id: call.id } : await forward(),
        );
        const found = await facilitator.find(payment, shop.exact);
        expect(found.kind).toBe("unknown");
        expect(JSON.stringify(found)).not.toContain("abc");
        expect((await facilitator.settle(payment, shop.exact)).kind).toBe("unknown");
        expect(["refused", "failed", "unavailable"]).toContain((await facilitator.verify(payment, shop.exact)).kind);
      }
    });
  }
});
