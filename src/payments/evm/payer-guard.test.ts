import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../lib/testing/until.ts";
import { type Address } from "../x402/address.ts";
import { type Eip3009Payment } from "../x402/messages.ts";
import { CHAIN_SETUP_MS, hasChain } from "../testing/chain.ts";
import { encodeCall } from "./node/abi.ts";
import { PayerGuard } from "./payer-guard.ts";
import { openPermit2Shop, type Permit2Shop } from "./permit2/testing/permit2-shop.ts";
import { type PayerShare, type Sent } from "./node/scheme.ts";
import { type NodeProxy, startNodeProxy } from "./testing/node-proxy.ts";
import { freshAccount } from "./testing/shop.ts";

const SEND = "eth_sendRawTransaction";
const PAYER: Address = "0x00000000000000000000000000000000000000Aa";
const ASSET: Address = "0x00000000000000000000000000000000000000Bb";
const MINED: Sent = { kind: "mined", transaction: "0x01", logs: [] };
const REVERTED: Sent = { kind: "reverted", transaction: "0x01", blockNumber: 1n };

describe.skipIf(!hasChain)("the gas that a payer can cost", () => {
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
    proxy.methods.length = 0;
    proxy.ended.length = 0;
    await shop.chain.setMining(true);
    await shop.chain.mine();
  });

  function sends(): number {
    return proxy.ended.filter((method) => method === SEND).length;
  }

  test("is limited to payments that the payer's balance covers together", async () => {
    const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl });
    const payer = await shop.payer(20_000n);
    const payments = await Promise.all(Array.from({ length: 8 }, () => shop.pay(payer)));
    const settlements = await Promise.all(payments.map((payment) => facilitator.settle(payment, shop.requirements)));
    expect(settlements.filter(({ kind }) => kind === "settled")).toHaveLength(2);
    expect(sends()).toBe(2);
    expect(await shop.token.balanceOf(payer.address)).toBe(0n);
  });

  test("is limited to payments that the Permit2 allowance covers", async () => {
    const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl });
    const payer = await shop.buyer(20_000n);
    const payments = await Promise.all(Array.from({ length: 6 }, () => shop.permit(shop.exact, payer)));
    const settlements = await Promise.all(payments.map((payment) => facilitator.settle(payment, shop.exact)));
    expect(settlements.filter(({ kind }) => kind === "settled")).toHaveLength(2);
    expect(sends()).toBe(2);
  });

  test("is one transaction if a contract denies in a block what it signed in the simulation; after that none for a while", async () => {
    let passed = 0;
    const facilitator = await shop.facilitator({ rpc_url: proxy.rpcUrl, steady: () => performance.now() + passed });
    const account = await shop.chain.deploy("TwoFaced");
    await shop.token.mint(account, 1_000_000n);
    async function pay(): Promise<Eip3009Payment> {
      const validBefore = String((await shop.chain.time()) + 110);
      return await shop.pay({ ...freshAccount(), address: account }, { validBefore });
    }
    const payments = await Promise.all([pay(), pay(), pay()]);
    const [first] = payments;
    if (first === undefined) throw new Error("Cannot pay: no payment was made");
    expect(await facilitator.verify(first, shop.requirements)).toMatchObject({ kind: "valid" });
    await shop.chain.setMining(false);
    const settling = payments.map((payment) => facilitator.settle(payment, shop.requirements));
    await until(() => sends() === 1);
    const stranger = freshAccount().address;
    await shop.chain.fund(stranger);
    const fees = { maxFeePerGas: "0x174876e800", maxPriorityFeePerGas: "0x174876e800", gas: "0x30d40" };
    const data = encodeCall("deny(bool)", [1n]);
    await shop.chain.rpc("eth_sendTransaction", [{ from: stranger, to: account, data, ...fees }]);
    await shop.chain.mine();
    const ended = await Promise.all(settling);
    const cause = "a transaction of this payer has failed a short time ago: nothing was sent";
    const open = ended.filter(({ kind }) => kind === "unknown");
    expect(open).toEqual([0, 1].map(() => ({ kind: "unknown", cause, transaction: "", isUnsent: true })));
    expect(ended.filter(({ kind }) => kind === "refused")).toHaveLength(1);
    expect(sends()).toBe(1);

    await shop.chain.setMining(true);
    await shop.chain.send({ to: account, data: encodeCall("deny(bool)", [0n]) });
    const refused = { kind: "refused", reason: "invalid_exact_evm_transaction_failed" } as const;
    expect(await facilitator.verify(first, shop.requirements)).toEqual(refused);
    passed = 61_000;
    expect(await facilitator.verify(first, shop.requirements)).toMatchObject({ kind: "valid" });
    expect(await facilitator.settle(first, shop.requirements)).toMatchObject({ kind: "settled" });
  });
});

describe("the failures of a payer", () => {
  const share: PayerShare = { payer: PAYER, asset: ASSET, value: 1n, isContract: true, funds: async () => 1000n };

  test("block the payer for twice as long after each failure in a row, up to a day; a success clears them", async () => {
    let now = 0;
    const guard = new PayerGuard(() => now);
    for (const seconds of [60, 120, 240]) {
      await guard.send(share, async () => REVERTED);
      now += seconds * 1000 - 1;
      expect(guard.bars(PAYER)).toBe(true);
      now += 1;
      expect(guard.bars(PAYER)).toBe(false);
    }
    for (let i = 0; i < 20; i++) {
      await guard.send(share, async () => REVERTED);
      now += 86_400_000;
      expect(guard.bars(PAYER)).toBe(false);
    }
    await guard.send(share, async () => MINED);
    await guard.send(share, async () => REVERTED);
    now += 60_000;
    expect(guard.bars(PAYER)).toBe(false);
  });

  test("let a contract have one transaction in progress at first, and more after successes", async () => {
    const guard = new PayerGuard(() => 0);
    let atOnce = 0;
    let most = 0;
    async function send(): Promise<Sent> {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await Bun.sleep(0);
      atOnce -= 1;
      return MINED;
    }
    const other: PayerShare = { ...share, asset: PAYER };
    await Promise.all([guard.send(share, send), guard.send(other, send)]);
    expect(most).toBe(1);
    const sent = await Promise.all(Array.from({ length: 3 }, () => guard.send(share, send)));
    expect(sent).toEqual([MINED, MINED, MINED]);
    expect(most).toBe(3);
  });

  test("are remembered for a limited number of payers, and the oldest are dropped first", async () => {
    const guard = new PayerGuard(() => 0);
    await guard.send(share, async () => REVERTED);
    for (let i = 0; i < 4096; i++) {
      const payer: Address = `0x${(0x10000 + i).toString(16).padStart(40, "0")}`;
      await guard.send({ ...share, payer }, async () => MINED);
    }
    expect(guard.bars(PAYER)).toBe(false);
  });

  test("do not count transactions with an open outcome; nothing more is sent", async () => {
    const guard = new PayerGuard(() => 0);
    const open: Sent = { kind: "open", transaction: "0x01", cause: "no receipt" };
    const poor = { ...share, isContract: false, funds: async () => 1n };
    const first = guard.send(poor, async () => open);
    expect(await guard.send(poor, async () => MINED)).toMatchObject({ kind: "withheld" });
    expect(await first).toEqual(open);
  });
});
