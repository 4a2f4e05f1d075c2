import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { until } from "../../lib/testing/until.ts";
import { type Hex } from "../x402/address.ts";
import { CHAIN_SETUP_MS, hasChain } from "../testing/chain.ts";
import { PAYEE } from "../testing/payment.ts";
import { encodeCall } from "./node/abi.ts";
import { transferCall } from "./eip3009/calls.ts";
import { type NodeProxy, rpcError, startNodeProxy } from "./testing/node-proxy.ts";
import { freshAccount, openShop, type Shop } from "./testing/shop.ts";

setDefaultTimeout(patient(60_000));

const SEND = "eth_sendRawTransaction";
/** Base fees of a block in wei: 1 gwei, and 20 gwei, ten times the fee of the transaction. */
const CHEAP = "0x3b9aca00";
const DEAR = "0x4a817c800";
const HASH = /^0x[0-9a-f]{64}$/;

describe.skipIf(!hasChain)("settlement on a chain", () => {
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
    proxy.response(undefined);
    proxy.behave(undefined);
    proxy.methods.length = 0;
    proxy.ended.length = 0;
    await shop.chain.rpc("anvil_setNextBlockBaseFeePerGas", [CHEAP]);
    await shop.chain.setMining(true);
    await shop.chain.mine();
  });

  /** Number of transactions that the node has responded to. The test continues after them. */
  function sends(): number {
    return proxy.ended.filter((method) => method === SEND).length;
  }

  /** Sends another account's transaction before those of the facilitator. */
  async function goBefore(from: Hex, data: Hex): Promise<void> {
    await shop.chain.fund(from);
    const fees = { maxFeePerGas: "0x174876e800", maxPriorityFeePerGas: "0x174876e800", gas: "0x30d40" };
    await shop.chain.rpc("eth_sendTransaction", [{ from, to: shop.token.address, data, ...fees }]);
  }

  test("sends nothing if the chain's fees are above the limit", async () => {
    const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl, max_fee_per_gas: "1000" });
    const payment = await shop.pay(await shop.payer());
    expect(await facilitator.settle(payment, shop.requirements)).toEqual({
      kind: "unknown",
      cause: "the chain's fees are above max_fee_per_gas: nothing was sent",
      transaction: "",
      isUnsent: true,
    });
    expect(sends()).toBe(0);
    expect(await facilitator.find(payment, shop.requirements)).toEqual({ kind: "unspent" });
  });

  test("refuses a payment that needs more gas than the limit, before and at settlement", async () => {
    const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl, max_gas: 40_000 });
    const payment = await shop.pay(await shop.payer());
    const refusal = { kind: "refused", reason: "invalid_exact_evm_transaction_simulation_failed" } as const;
    expect(await facilitator.verify(payment, shop.requirements)).toEqual(refusal);
    expect(await facilitator.settle(payment, shop.requirements)).toEqual(refusal);
    expect(sends()).toBe(0);
  });

  test("sends nothing if its account cannot pay, and settles once it can", async () => {
    const facilitator = await shop.facilitator();
    await shop.chain.fund(facilitator.account.address, 0n);
    const payment = await shop.pay(await shop.payer());
    expect(await facilitator.settle(payment, shop.requirements)).toEqual({
      kind: "unknown",
      cause: "the facilitator's account cannot pay for gas: nothing was sent",
      transaction: "",
      isUnsent: true,
    });
    await shop.chain.fund(facilitator.account.address);
    expect(await facilitator.settle(payment, shop.requirements)).toMatchObject({ kind: "settled" });
  });

  test("finds the transaction whose broadcast got no response", async () => {
    const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl });
    let lost = 0;
    proxy.behave(async (call, forward) => {
      const response = await forward();
      if (call.method !== SEND || lost > 0) return response;
      lost += 1;
      throw new Error("lost");
    });
    const payment = await shop.pay(await shop.payer());
    expect(await facilitator.settle(payment, shop.requirements)).toMatchObject({ kind: "settled" });
    expect(lost).toBe(1);
    const next = await shop.pay(await shop.payer());
    expect(await facilitator.settle(next, shop.requirements)).toMatchObject({ kind: "settled" });
  });

  test("sends a lost transaction again, and leaves no gap before the following ones", async () => {
    const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl, receipt_timeout_ms: patient(4000) });
    let lost = 0;
    proxy.behave(async (call, forward) => {
      if (call.method !== SEND || lost > 0) return await forward();
      lost += 1;
      throw new Error("lost");
    });
    const payments = await Promise.all([1, 2, 3].map(async () => await shop.pay(await shop.payer())));
    const settlements = await Promise.all(payments.map((payment) => facilitator.settle(payment, shop.requirements)));
    // The next transaction took the lost one's nonce. The lost one may stay open, but nothing waits for it.
    expect(settlements.filter(({ kind }) => kind === "settled").length).toBeGreaterThanOrEqual(2);
    expect(lost).toBe(1);
    const settleAll = () => Promise.all(payments.map((payment) => facilitator.settle(payment, shop.requirements)));
    await until(async () => (await settleAll()).every(({ kind }) => kind === "settled"), 30_000, "all are settled");
  });

  test("leaves a payment open if the receipt is late, and finds it settled afterwards", async () => {
    const facilitator = await shop.facilitator({ receipt_timeout_ms: 100 });
    const payer = await shop.payer();
    const payment = await shop.pay(payer);
    await shop.chain.setMining(false);
    const open = await facilitator.settle(payment, shop.requirements);
    expect(open).toMatchObject({ kind: "unknown", transaction: expect.stringMatching(HASH) });
    expect(await facilitator.find(payment, shop.requirements)).toEqual({ kind: "unspent" });
    await shop.chain.mine();
    const transaction = open.kind === "unknown" ? open.transaction : "";
    const found = { kind: "settled", transaction, payer: payer.address } as const;
    expect(await facilitator.find(payment, shop.requirements)).toEqual(found);
    expect(await facilitator.settle(payment, shop.requirements)).toEqual(found);
    expect(await shop.token.balanceOf(payer.address)).toBe(990_000n);
  });

  test("leaves a payment open after its time, and finds it settled with a later call", async () => {
    let passed = 0;
    const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl, steady: () => performance.now() + passed });
    const payment = await shop.pay(await shop.payer());
    await shop.chain.setMining(false);
    const settling = facilitator.settle(payment, shop.requirements);
    // By then, its waiting time has begun.
    await until(() => proxy.methods.includes("eth_getTransactionReceipt"));
    passed = 86_400_000;
    expect(await settling).toMatchObject({ kind: "unknown", transaction: expect.stringMatching(HASH) });
    await shop.chain.mine();
    expect(await facilitator.settle(payment, shop.requirements)).toMatchObject({ kind: "settled" });
  });

  for (const step of [-86_400_000, 86_400_000]) {
    test(`waits for its block when the system clock is set ${step < 0 ? "back" : "forward"} meanwhile`, async () => {
      let set = 0;
      const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl, now: () => Date.now() + set });
      const payment = await shop.pay(await shop.payer());
      await shop.chain.setMining(false);
      const settling = facilitator.settle(payment, shop.requirements);
      await until(() => proxy.methods.includes("eth_getTransactionReceipt"));
      set = step;
      const looks = proxy.methods.length;
      // The receipt is asked for twice with the new time.
      await until(
        () => proxy.methods.slice(looks).filter((method) => method === "eth_getTransactionReceipt").length >= 2,
      );
      await shop.chain.mine();
      expect(await settling).toMatchObject({ kind: "settled" });
    });
  }

  test("waits for its confirmations", async () => {
    const facilitator = await shop.facilitator({ confirmations: 3 });
    const payment = await shop.pay(await shop.payer());
    let isDone = false;
    const settling = facilitator.settle(payment, shop.requirements).finally(() => {
      isDone = true;
    });
    await until(() => shop.token.isUsed(payment.payload.authorization.from, payment.payload.authorization.nonce));
    expect(isDone).toBe(false);
    await shop.chain.mine(2);
    expect(await settling).toMatchObject({ kind: "settled" });
  });

  test("pays once if its process ends during a transaction", async () => {
    const account = freshAccount();
    const before = await shop.facilitator({ account, receipt_timeout_ms: 100 });
    const payer = await shop.payer();
    const payment = await shop.pay(payer);
    await shop.chain.setMining(false);
    const open = await before.settle(payment, shop.requirements);
    await before.close();

    const after = await shop.facilitator({ account, rpc_url: proxy.rpcUrl });
    expect(await after.settle(payment, shop.requirements)).toMatchObject({ kind: "unknown" });
    expect(sends()).toBe(0);
    await shop.chain.mine();
    const transaction = open.kind === "unknown" ? open.transaction : "";
    expect(await after.settle(payment, shop.requirements)).toMatchObject({ kind: "settled", transaction });
    await shop.chain.setMining(true);
    const next = await shop.pay(payer);
    expect(await after.settle(next, shop.requirements)).toMatchObject({ kind: "settled" });
    expect(await shop.token.balanceOf(payer.address)).toBe(980_000n);
  });

  test("raises the fees of a stuck transaction, within the limit", async () => {
    const facilitator = await shop.facilitator({
      rpc_url: proxy.rpcUrl,
      receipt_timeout_ms: 6000,
      max_fee_per_gas: "100000000000",
    });
    const payment = await shop.pay(await shop.payer());
    await shop.chain.setMining(false);
    const settling = facilitator.settle(payment, shop.requirements);
    await until(() => sends() === 1);
    await shop.chain.rpc("anvil_setNextBlockBaseFeePerGas", [DEAR]);
    await shop.chain.mine();
    await shop.chain.rpc("anvil_setNextBlockBaseFeePerGas", [DEAR]);
    await until(() => sends() > 1);
    await shop.chain.mine();
    expect(await settling).toMatchObject({ kind: "settled" });
  });

  test("reads the fees again if they rise before its transaction arrives", async () => {
    const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl, max_fee_per_gas: "100000000000" });
    const payment = await shop.pay(await shop.payer());
    let risen = false;
    proxy.behave(async (call, forward) => {
      if (call.method === SEND && !risen) {
        risen = true;
        // The block that shows the fee, and the next one, which the transaction needs.
        await shop.chain.rpc("anvil_setNextBlockBaseFeePerGas", [DEAR]);
        await shop.chain.mine();
        await shop.chain.rpc("anvil_setNextBlockBaseFeePerGas", [DEAR]);
      }
      return await forward();
    });
    expect(await facilitator.settle(payment, shop.requirements)).toMatchObject({ kind: "settled" });
    expect(sends()).toBe(2);
  });

  test("sends a transaction again that the node has forgotten", async () => {
    const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl, receipt_timeout_ms: 6000 });
    const payments = await Promise.all([1, 2, 3].map(async () => await shop.pay(await shop.payer())));
    await shop.chain.setMining(false);
    const settling = payments.map((payment) => facilitator.settle(payment, shop.requirements));
    await until(() => sends() === 3);
    await shop.chain.rpc("anvil_dropAllTransactions");
    await until(() => sends() >= 6);
    await shop.chain.mine();
    expect((await Promise.all(settling)).map(({ kind }) => kind)).toEqual(["settled", "settled", "settled"]);
  });

  test("responds busy above its limit, and keeps the transactions in progress", async () => {
    const facilitator = await shop.facilitator({ max_pending: 2, rpc_url: proxy.rpcUrl });
    const { promise: isAway, resolve: comeBack } = Promise.withResolvers<void>();
    proxy.behave((_call, forward) => isAway.then(forward));
    const payments = await Promise.all(Array.from({ length: 5 }, async () => await shop.pay(await shop.payer())));
    await shop.chain.setMining(false);
    const settling = payments.map((payment) => facilitator.settle(payment, shop.requirements));
    const cause = "too many settlements are under way: nothing was sent";
    const busy = { kind: "unknown", cause, transaction: "", isUnsent: true };
    expect(await Promise.all(settling.slice(2))).toEqual([busy, busy, busy] as never);
    comeBack();
    const { address } = facilitator.account;
    await until(async () => (await shop.chain.rpc("eth_getTransactionCount", [address, "pending"])) === "0x2");
    await shop.chain.mine();
    expect((await Promise.all(settling.slice(0, 2))).map(({ kind }) => kind)).toEqual(["settled", "settled"]);
  });

  test("continues after another program has sent with its key", async () => {
    const facilitator = await shop.facilitator();
    const payer = await shop.payer();
    for (let i = 0; i < 2; i++) {
      expect(await facilitator.settle(await shop.pay(payer), shop.requirements)).toMatchObject({ kind: "settled" });
      await shop.chain.send({ from: facilitator.account.address, to: PAYEE });
      await shop.chain.send({ from: facilitator.account.address, to: PAYEE });
    }
  });

  test.each([
    ["nonce too low", -32_000],
    ["replacement transaction underpriced", -32_000],
    ["transaction underpriced", -32_000],
  ])("continues after the node's error: %s", async (message, code) => {
    const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl });
    let refused = 0;
    proxy.behave((call, forward) => {
      if (call.method !== SEND || refused > 0) return forward();
      refused += 1;
      return rpcError(call, code, message);
    });
    const settling = facilitator.settle(await shop.pay(await shop.payer()), shop.requirements);
    if (message === "nonce too low") {
      // The sender trusts the node, and takes the next nonce, so another program must use the first one.
      await until(() => sends() > 1);
      await shop.chain.send({ from: facilitator.account.address, to: PAYEE });
    }
    expect(await settling).toMatchObject({ kind: "settled" });
    expect(refused).toBe(1);
  });

  test("counts a transaction as sent if the node knows it already", async () => {
    const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl });
    proxy.behave(async (call, forward) => {
      const response = await forward();
      return call.method === SEND ? rpcError(call, -32_000, "already known") : response;
    });
    const payment = await shop.pay(await shop.payer());
    expect(await facilitator.settle(payment, shop.requirements)).toMatchObject({ kind: "settled" });
    expect(sends()).toBe(1);
  });

  test("refuses a payment if the money was gone before its transaction's turn", async () => {
    const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl });
    const payer = await shop.payer(10_000n);
    const payment = await shop.pay(payer);
    await shop.chain.setMining(false);
    const settling = facilitator.settle(payment, shop.requirements);
    await until(() => sends() === 1);
    await goBefore(payer.address, encodeCall("transfer(address,uint256)", [freshAccount().address, 1n]));
    await shop.chain.mine();
    expect(await settling).toEqual({ kind: "refused", reason: "invalid_exact_evm_insufficient_balance" });
  });

  test("counts a payment as settled if another account sends it while its own transaction waits", async () => {
    const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl });
    const payer = await shop.payer();
    const payment = await shop.pay(payer);
    const { authorization, signature } = payment.payload;
    await shop.chain.setMining(false);
    const settling = facilitator.settle(payment, shop.requirements);
    await until(() => sends() === 1);
    await goBefore(freshAccount().address, transferCall(authorization, signature));
    await shop.chain.mine();
    expect(await settling).toMatchObject({ kind: "settled" });
    expect(await shop.token.balanceOf(payer.address)).toBe(990_000n);
  });
});
