/** Payers that deny what they signed, floods of invented channels, and states that a seller's close made old. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { patient } from "../../../../lib/testing/patience.ts";
import { encodeCall } from "../../../../payments/evm/node/abi.ts";
import { freshAccount } from "../../../../payments/evm/testing/shop.ts";
import { channelId } from "../../../../payments/signatures/batch-settlement.ts";
import { channelConfig, signedDeposit } from "../../../../payments/testing/channels.ts";
import { type Address } from "../../../../payments/x402/address.ts";
import { type ChannelFacilitator } from "../../../../payments/x402/channel-facilitator.ts";
import { isLost, WORK_MS } from "../../../../store/channels.ts";
import { openStore } from "../../../../store/open/open-store.ts";
import { closeShops, decoded, errorOf, type Shop } from "../testing/shop.ts";
import { ChannelWorld, onlyChannel } from "./testing/channel-world.ts";

setDefaultTimeout(patient(60_000));

const SIGNATURE = "invalid_batch_settlement_evm_voucher_signature";
const MISMATCH = "invalid_batch_settlement_evm_cumulative_amount_mismatch";
const ABSENT = "invalid_batch_settlement_evm_channel_not_found";

let world: ChannelWorld;
let chain: ChannelWorld["chain"];

beforeAll(async () => {
  world = await ChannelWorld.open();
  ({ chain } = world);
});

beforeEach(() => world.reset());

afterAll(async () => {
  await closeShops();
  await chain.close();
});

async function deny(wallet: Address, denies: boolean): Promise<void> {
  await chain.chain.send({ to: wallet, data: encodeCall("deny(bool)", [denies ? 1n : 0n]) });
}

async function statusOf(shop: Shop, payment: unknown, path: string): Promise<number> {
  return (await shop.send(payment, { path })).status;
}

test("contracts that deny their vouchers stop no sale to others; what they owe is written off, shown, and bars them", async () => {
  world.reset({ max_total_risk: "5000", contracts: { max_risk: "3000", max_total_risk: "4000" } });
  const shop = world.open();
  const [signer, honest] = [freshAccount(), await chain.payer()];
  const [one, two] = [await world.twoFaced(), await world.twoFaced()];
  const config = await world.deposited(shop, signer, 9000n, one.parties);
  expect(await statusOf(shop, world.voucher(config, 2000n, signer), "/goods?2")).toBe(200);
  expect(await statusOf(shop, world.voucher(config, 3000n, signer), "/goods?3")).toBe(200);
  expect(await statusOf(shop, world.voucher(config, 4000n, signer), "/goods?4")).toBe(503);
  const other = await world.deposited(shop, signer, 9000n, two.parties);
  expect(await statusOf(shop, world.voucher(other, 2000n, signer), "/goods?5")).toBe(503);
  const usual = await world.deposited(shop, honest, 9000n);
  for (const most of [2000n, 3000n]) {
    expect(await statusOf(shop, world.voucher(usual, most, honest), `/goods?${most}`)).toBe(200);
  }

  await deny(one.address, true);
  const { claimer, troubles } = world.claims(shop);
  expect([await claimer.round(), troubles]).toEqual([0, ["reverting"]]);
  shop.clock.now += WORK_MS + 1;
  expect([await claimer.round(), troubles]).toEqual([0, ["reverting", "denied"]]);
  expect(await shop.store.channels.risks()).toMatchObject([
    { channels: 2, owed: "4000", deniable: "1000", lost: "3000" },
  ]);
  expect([await claimer.round(), troubles]).toEqual([0, ["reverting", "denied"]]);

  // The payer stays barred, with this channel and with others, whatever its contract says then.
  await deny(one.address, false);
  const refused = await shop.send(world.voucher(config, 4000n, signer), { path: "/goods?6" });
  expect([refused.status, errorOf(refused)]).toEqual([402, SIGNATURE]);
  const again = await world.deposited(shop, signer, 9000n, one.parties).catch(String);
  expect(again).toContain(SIGNATURE);
  expect(await statusOf(shop, world.voucher(other, 2000n, signer), "/goods?7")).toBe(200);

  // The seller tries again; the charges of the other contract are due too.
  const id = channelId(world.network, config);
  expect(await shop.store.channels.demand(id)).toBe(1);
  expect(await claimer.round()).toBe(2);
  const paid = await shop.store.channels.find(id);
  expect(paid && isLost(paid)).toBe(false);
  expect(await statusOf(shop, world.voucher(config, 4000n, signer), "/goods?8")).toBe(200);
});

test("the stock client continues after the seller has closed its channel, without losing its state by itself", async () => {
  const shop = world.open();
  const account = await chain.payer(50_000n);
  const buyer = world.buyerOf(shop, account);
  for (const path of ["/goods?1", "/goods?2"]) expect((await buyer.buy(path)).status).toBe(200);
  const { id } = await onlyChannel(shop);
  expect(await shop.store.channels.close(id)).toBe(true);
  await world.claims(shop).claimer.round();
  expect(await chain.token.balanceOf(account.address)).toBe(48_000n);
  expect(await onlyChannel(shop)).toMatchObject({ balance: "2000", claimed: "2000", refundNonce: "1" });
  for (const path of ["/goods?3", "/goods?4"]) expect((await buyer.buy(path)).status).toBe(200);
  expect(await onlyChannel(shop)).toMatchObject({ base: "4000", charged: "4000", balance: "12000" });
  expect(shop.runs).toBe(4);
});

test("after a refund, a voucher above the balance is corrected, and a forged one is refused", async () => {
  const shop = world.open();
  const payer = await chain.payer();
  const config = await world.deposited(shop, payer, 5000n);
  const tooMuch = await shop.send(world.voucher(config, 2000n, payer), { path: "/goods?1" });
  expect(tooMuch.status).toBe(200);
  const { id } = await onlyChannel(shop);
  await shop.store.channels.close(id);
  await world.claims(shop).claimer.round();
  const corrected = await shop.send(world.voucher(config, 3000n, payer), { path: "/goods?2" });
  expect(decoded(corrected, "payment-required")).toMatchObject({
    error: MISMATCH,
    accepts: [{ extra: { channelState: { balance: "2000", totalClaimed: "2000", chargedCumulativeAmount: "2000" } } }],
  });
  const forged = await shop.send(world.voucher(config, 3000n, freshAccount()), { path: "/goods?3" });
  expect([forged.status, errorOf(forged)]).toEqual([402, SIGNATURE]);
});

test("a flood of invented channels costs one read each, at most a hundred, and delays no honest voucher", async () => {
  const reads: string[] = [];
  const node = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const body = await request.text();
      reads.push(...[...body.matchAll(/"method":"(\w+)"/g)].map(([, method = ""]) => method));
      return fetch(chain.chain.rpcUrl, { method: "POST", headers: { "content-type": "application/json" }, body });
    },
  });
  const facilitator = await chain.facilitator({ rpc_url: node.url.href });
  const shop = world.open({ facilitator: () => facilitator });
  const payer = await chain.payer();
  const config = await world.deposited(shop, payer, 9000n);
  const attacker = freshAccount();
  const invented = () => channelConfig(world.requirements, attacker.address);
  reads.length = 0;
  const statuses: number[] = [];
  for (let i = 0; i < 110; i++) {
    statuses.push(await statusOf(shop, world.voucher(invented(), 1000n, attacker), `/goods?i${i}`));
  }
  expect(statuses).toEqual([...Array(100).fill(402), ...Array(10).fill(503)]);
  expect(reads).toEqual(Array(100).fill("eth_call"));
  const now = await chain.chain.time();
  const config2 = invented();
  const payload = signedDeposit(world.requirements, config2, { amount: 5000n, most: 1000n, signer: attacker, now });
  const deposit = { x402Version: 2, accepted: world.requirements, payload };
  expect(await statusOf(shop, deposit, "/goods?d")).toBe(503);
  expect(await statusOf(shop, world.voucher(config, 2000n, payer), "/goods?1")).toBe(200);
  expect(reads).toHaveLength(100);

  shop.clock.now += 10_000;
  const insufficient = await shop.send(deposit, { path: "/goods?d" });
  expect(errorOf(insufficient)).toBe("invalid_batch_settlement_evm_insufficient_balance");
  expect(reads).toHaveLength(101);
  const same = world.voucher(config2, 1000n, attacker);
  for (let i = 0; i < 3; i++) {
    const response = await shop.send(same, { path: `/goods?s${i}` });
    expect([response.status, errorOf(response)]).toEqual([402, ABSENT]);
  }
  expect(reads).toHaveLength(102);
  await node.stop(true);
});

test("a stop does not wait for a chain that does not answer, and another process claims at once what it left", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-channels-"));
  const path = join(folder, "turnpike.db");
  const shop = world.open({ store: openStore(path, Date.now) });
  const payer = await chain.payer();
  const config = await world.deposited(shop, payer, 5000n);
  expect(await statusOf(shop, world.voucher(config, 2000n, payer), "/goods?1")).toBe(200);
  const silent = new Promise<never>(() => {});
  for (const stuck of ["verify", "settle"] as const) {
    const hanging: ChannelFacilitator = {
      verify: (...call) => (stuck === "verify" ? silent : world.channels.verify(...call)),
      settle: () => silent,
    };
    const { claimer, logged } = world.claims(shop, hanging);
    await claimer.close(0);
    expect(logged.join()).toContain("the gateway stops");
    expect(await onlyChannel(shop)).toMatchObject({ claimed: "0", charged: "2000" });
  }
  const store = openStore(path, Date.now);
  expect(await world.claims({ store, clock: shop.clock }).claimer.round()).toBe(1);
  await store.close();
  expect(await onlyChannel(shop)).toMatchObject({ claimed: "2000", charged: "2000" });
  rmSync(folder, { recursive: true });
});
