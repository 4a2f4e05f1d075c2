import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { patient } from "../../../../lib/testing/patience.ts";
import { Channels as PayerChannels } from "../../../../payments/client/channels/channels.ts";
import { payerFrom } from "../../../../payments/client/channels/pay-from-channel.ts";
import { refundChannel } from "../../../../payments/client/channels/refund.ts";
import { payAndFetch } from "../../../../payments/client/client.ts";
import { freshAccount } from "../../../../payments/evm/testing/shop.ts";
import { until } from "../../../../lib/testing/until.ts";
import { finalizeWithdrawCall, initiateWithdrawCall } from "../../../../payments/evm/batch/calls.ts";
import { refundOrder } from "../../../../payments/channels/orders.ts";
import { BATCH_SETTLEMENT_CONTRACT, channelId } from "../../../../payments/signatures/batch-settlement.ts";
import { channelConfig, signedDeposit, signedVoucher } from "../../../../payments/testing/channels.ts";
import { freshNonce } from "../../../../payments/testing/payment.ts";
import { Reconciler } from "../../../../payments/settlement/reconciler.ts";
import { type ChannelFacilitator } from "../../../../payments/x402/channel-facilitator.ts";
import { type ChannelConfig } from "../../../../payments/x402/channel-messages.ts";
import { type Facilitator } from "../../../../payments/x402/facilitator.ts";
import { LEASE_MS, RECHECK_MS } from "../../../../store/ledger.ts";
import { channelNonce, WORK_MS } from "../../../../store/channels.ts";
import { fieldLine } from "../../../../lib/http/fields.ts";
import { closeShops, decoded, errorOf } from "../testing/shop.ts";
import { respondWith, type TestExchange } from "../testing/test-gateway.ts";
import { ChannelWorld, freeChannel, onlyChannel } from "./testing/channel-world.ts";

setDefaultTimeout(patient(60_000));

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

test("this program's own client pays from channels in parallel, tops up, and gets the rest back", async () => {
  const shop = world.open();
  const account = await chain.payer(50_000n);
  const folder = mkdtempSync(join(tmpdir(), "turnpike-channels-"));
  const own = new PayerChannels(folder, { maxDeposit: "$0.03" });
  const asset = { network: "eip155:84532", symbol: "T", decimals: 6, ...chain.token } as const;
  const options = { account: () => account, maxPrice: "$1", assets: [asset], channels: payerFrom(own) };
  const buy = async () => (await payAndFetch(`${shop.gateway.url}/goods`, {}, options)).response.status;
  for (let i = 0; i < 12; i++) expect(await buy()).toBe(200);
  expect(await Promise.all([buy(), buy(), buy()])).toEqual([200, 200, 200]);
  expect(own.file.channels().reduce((sum, { charged }) => sum + Number(charged), 0)).toBe(15_000);
  for (const { id } of own.file.channels()) await refundChannel(id, { channels: own, account, send: fetch });
  expect(await chain.token.balanceOf(account.address)).toBe(35_000n);
  rmSync(folder, { recursive: true });
});

test("the stock client opens a channel by a deposit, and pays by vouchers, of which the chain knows nothing", async () => {
  const shop = world.open();
  const buyer = world.buyerOf(shop, await chain.payer(50_000n));
  const first = await buyer.buy();
  expect([first.status, await first.text()]).toEqual([200, "the goods"]);
  expect(decoded(first, "payment-response")).toMatchObject({
    success: true,
    transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    extra: { chargedAmount: "1000", channelState: { chargedCumulativeAmount: "1000", balance: "10000" } },
  });
  expect(await chain.token.balanceOf(buyer.account.address)).toBe(40_000n);
  const height = await chain.chain.rpc("eth_blockNumber");
  for (let i = 2; i <= 5; i++) {
    const response = await buyer.buy();
    expect(response.status).toBe(200);
    expect(decoded(response, "payment-response")).toMatchObject({
      transaction: "",
      extra: { chargedAmount: "1000", channelState: { chargedCumulativeAmount: String(i * 1000) } },
    });
  }
  expect(await chain.chain.rpc("eth_blockNumber")).toBe(height);
  expect(await onlyChannel(shop)).toMatchObject({ base: "5000", charged: "5000", signed: "5000", balance: "10000" });
  expect(shop.runs).toBe(5);
});

test("claims bring the charges to the seller, to the unit", async () => {
  const shop = world.open();
  const buyer = world.buyerOf(shop, await chain.payer());
  for (let i = 0; i < 3; i++) expect((await buyer.buy()).status).toBe(200);
  const { claimer } = world.claims(shop);
  expect(await claimer.round()).toBe(0);
  expect(await claimer.round(true)).toBe(1);
  expect(await onlyChannel(shop)).toMatchObject({ claimed: "3000", charged: "3000", owedSince: 0 });
  expect(await chain.token.balanceOf(world.seller.address)).toBe(3000n);
  expect(await claimer.round(true)).toBe(0);
});

test("a stop claims a channel whose state could not be read at first, and the log tells the cause", async () => {
  const shop = world.open();
  const buyer = world.buyerOf(shop, await chain.payer());
  for (let i = 0; i < 3; i++) expect((await buyer.buy()).status).toBe(200);
  const real = world.facilitator.channels;
  if (real === undefined) throw new Error("no channels");
  let failures = 1;
  const verify: typeof real.verify = async (...call) =>
    failures-- > 0 ? { kind: "unavailable", cause: "no response of the node" } : real.verify(...call);
  const { claimer, logged } = world.claims(shop, { ...real, verify });
  await claimer.close();
  expect(await onlyChannel(shop)).toMatchObject({ claimed: "3000", charged: "3000", owedSince: 0 });
  expect(logged).toEqual(["channels: the state of 1 of 1 channels is not known: no response of the node"]);
});

test("a client that has lost its state is corrected once, and continues", async () => {
  const shop = world.open();
  const account = await chain.payer();
  const before = world.buyerOf(shop, account);
  for (const path of ["/goods?1", "/goods?2"]) expect((await before.buy(path)).status).toBe(200);
  const after = world.buyerOf(shop, account);
  const response = await after.buy("/goods?3");
  expect(response.status).toBe(200);
  expect((await after.buy("/goods?4")).status).toBe(200);
  expect(await onlyChannel(shop)).toMatchObject({ base: "4000", charged: "4000" });
  expect(shop.runs).toBe(4);
});

test("requests of one channel at once are served one after the other", async () => {
  const shop = world.open();
  const buyer = world.buyerOf(shop, await chain.payer());
  expect((await buyer.buy("/goods?0")).status).toBe(200);
  // The client corrects a request once. By then, its other requests can have changed the channel again.
  const served = async (path: string): Promise<number> => {
    const { status } = await buyer.buy(path);
    return status === 402 ? await served(path) : status;
  };
  const statuses = await Promise.all([1, 2, 3, 4, 5].map((i) => served(`/goods?${i}`)));
  expect(statuses).toEqual([200, 200, 200, 200, 200]);
  expect(await onlyChannel(shop)).toMatchObject({ base: "6000", charged: "6000" });
  expect(shop.runs).toBe(6);
});

test("a charge below the voucher is the base of the next one, and a free response costs nothing", async () => {
  let charge = "300";
  const upstream = (exchange: TestExchange): void =>
    respondWith(exchange, 200, "goods", fieldLine("Settlement-Overrides", JSON.stringify({ amount: charge })));
  const shop = world.open({ upstream });
  const buyer = world.buyerOf(shop, await chain.payer());
  expect((await buyer.buy("/goods?0")).status).toBe(200);
  charge = "0";
  expect((await buyer.buy("/goods?1")).status).toBe(200);
  expect(await freeChannel(shop)).toMatchObject({ base: "300" });
  charge = "20%";
  expect(decoded(await buyer.buy("/goods?2"), "payment-response")).toMatchObject({
    extra: { chargedAmount: "200", channelState: { chargedCumulativeAmount: "500" } },
  });
  expect(await onlyChannel(shop)).toMatchObject({ base: "500", charged: "500", signed: "1300" });
});

test("work that is charged later ends long before its payer could withdraw", async () => {
  const shop = world.open();
  await world.deposited(shop, await chain.payer(), 3000n);
  const end = Math.floor(shop.clock.now / 1000) + 450;
  expect(shop.lastUpstreamFields).toContain(`Settlement-Deferral: {"until":${end}}`);
});

test("deposits into empty channels at a wrong base leave no row", async () => {
  const shop = world.open();
  const payer = await chain.payer();
  const requirements = world.requirements;
  const now = await chain.chain.time();
  for (const most of [999n, 1001n, 2000n]) {
    const config = channelConfig(requirements, payer.address);
    const payload = signedDeposit(requirements, config, { amount: 5000n, most, signer: payer, now });
    const response = await shop.send({ x402Version: 2, accepted: requirements, payload });
    expect([response.status, errorOf(response)]).toEqual([402, MISMATCH]);
  }
  expect(await shop.store.channels.list(undefined, 10)).toEqual([]);
  expect(shop.runs).toBe(0);
});

test("a failed response is free, and the same voucher pays for the next one", async () => {
  let status = 500;
  const shop = world.open({ upstream: (exchange) => respondWith(exchange, status, "x") });
  const buyer = world.buyerOf(shop, await chain.payer());
  expect((await buyer.buy("/goods?0")).status).toBe(500);
  expect(await freeChannel(shop)).toMatchObject({ base: "0", balance: "0" });
  status = 200;
  expect((await buyer.buy("/goods?1")).status).toBe(200);
  expect(await onlyChannel(shop)).toMatchObject({ base: "1000", charged: "1000" });
});

test("a refund pays the rest back and claims the charges, and the base stays", async () => {
  const shop = world.open();
  const account = await chain.payer(20_000n);
  const buyer = world.buyerOf(shop, account);
  for (const path of ["/goods?1", "/goods?2"]) expect((await buyer.buy(path)).status).toBe(200);
  const part = await buyer.scheme.refund(`${shop.gateway.url}/goods`, { amount: "3000" });
  expect(part).toMatchObject({ success: true, amount: "3000" });
  expect(await chain.token.balanceOf(account.address)).toBe(13_000n);
  expect(await onlyChannel(shop)).toMatchObject({ standing: "open", balance: "7000", claimed: "2000", base: "2000" });
  expect(await buyer.scheme.refund(`${shop.gateway.url}/goods`)).toMatchObject({ success: true, amount: "5000" });
  expect(await chain.token.balanceOf(account.address)).toBe(18_000n);
  expect(await onlyChannel(shop)).toMatchObject({ balance: "2000", base: "2000", charged: "2000" });
  // The next deposit begins at what was claimed: a voucher for one unit more than that buys nothing.
  expect((await world.buyerOf(shop, account).buy("/goods?3")).status).toBe(200);
  expect(await onlyChannel(shop)).toMatchObject({ base: "3000", charged: "3000", balance: "12000" });
  expect(shop.runs).toBe(3);
});

const ZERO = `0x${"0".repeat(40)}` as const;
const MISMATCH = "invalid_batch_settlement_evm_cumulative_amount_mismatch";

test("no voucher pays twice, below its base, above the deposit, or with another signature", async () => {
  const shop = world.open();
  const payer = await chain.payer();
  const config = await world.deposited(shop, payer, 3000n);
  const second = world.voucher(config, 2000n, payer);
  expect((await shop.send(second, { path: "/goods?1" })).status).toBe(200);
  const refused = async (payment: unknown, error: string): Promise<void> => {
    const response = await shop.send(payment, { path: "/goods?2" });
    expect([response.status, errorOf(response)]).toEqual([402, error]);
  };
  await refused(second, MISMATCH);
  await refused(world.voucher(config, 2001n, payer), MISMATCH);
  await refused(world.voucher(config, 999n, payer), MISMATCH);
  await refused(world.voucher(config, 3000n, freshAccount()), "invalid_batch_settlement_evm_voucher_signature");
  const other = { ...config, salt: freshNonce() };
  const moved = { ...signedVoucher(world.network, other, 3000n, payer) };
  const payload = { type: "voucher", channelConfig: config, voucher: moved };
  await refused(world.voucher(config, 3000n, payer, { payload }), "invalid_batch_settlement_evm_channel_id_mismatch");
  await refused(world.voucher(other, 1000n, payer), "invalid_batch_settlement_evm_channel_not_found");
  const foreign = { ...config, receiver: payer.address };
  await refused(world.voucher(foreign, 3000n, payer), "invalid_batch_settlement_evm_receiver_mismatch");
  expect((await shop.send(world.voucher(config, 3000n, payer), { path: "/goods?3" })).status).toBe(200);
  await refused(world.voucher(config, 4000n, payer), "invalid_batch_settlement_evm_cumulative_exceeds_balance");
  expect(shop.runs).toBe(3);
  expect(await onlyChannel(shop)).toMatchObject({ base: "3000", charged: "3000", balance: "3000" });
});

test("a voucher is shown to its payer alone, also if only the chain can check who that is", async () => {
  const shop = world.open();
  const payer = await chain.payer();
  const config = await world.deposited(shop, payer, 5000n, { payerAuthorizer: ZERO });
  for (const most of [1000n, 4000n, 1n]) {
    for (const type of ["voucher", "refund"] as const) {
      const forged = {
        type,
        channelConfig: config,
        voucher: signedVoucher(world.network, config, most, freshAccount()),
      };
      const response = await shop.send({ x402Version: 2, accepted: world.requirements, payload: forged });
      expect([response.status, errorOf(response)]).toEqual([402, "invalid_batch_settlement_evm_voucher_signature"]);
      expect(JSON.stringify(decoded(response, "payment-required"))).not.toContain("voucherState");
    }
  }
  const late = await shop.send(world.voucher(config, 1000n, payer), { path: "/goods?1" });
  expect(decoded(late, "payment-required")).toMatchObject({
    error: MISMATCH,
    accepts: [{ extra: { voucherState: { signedMaxClaimable: "1000" } } }],
  });
  expect(await onlyChannel(shop)).toMatchObject({ standing: "open", base: "1000" });
});

test("the same request with the newest voucher gets its response again, and pays once", async () => {
  const shop = world.open();
  const payer = await chain.payer();
  const config = await world.deposited(shop, payer, 5000n);
  const payment = world.voucher(config, 2000n, payer);
  const [first, again] = [await shop.send(payment), await shop.send(payment)];
  expect([first.status, again.status, await again.text()]).toEqual([200, 200, "the goods"]);
  expect(shop.runs).toBe(2);
  expect(await onlyChannel(shop)).toMatchObject({ charged: "2000" });
});

test("the next request takes a channel over whose process has died", async () => {
  world.reset({ wait_ms: 60 });
  const shop = world.open();
  const payer = await chain.payer();
  const config = await world.deposited(shop, payer, 5000n);
  const [channel] = await shop.store.channels.list(undefined, 1);
  const dead = {
    network: chain.chain.network,
    asset: "0x4020074e9df2ce1dee5a9c1b5c3f541d02a10003",
    from: payer.address,
    nonce: channelNonce(channel?.id ?? "", "1000"),
    token: chain.token.address.toLowerCase(),
    scheme: "batch-settlement",
    amount: "1000",
    payTo: world.seller.address,
    route: "/goods",
    consumer: "",
    fingerprint: "of the dead process",
    validBefore: Math.ceil(shop.clock.now / 1000) + 60,
    payload: "{}",
  };
  expect((await shop.store.ledger.reserve(dead)).leased).toBe(true);
  // The clock stands still meanwhile, as one that was set back.
  expect((await shop.send(world.voucher(config, 2000n, payer))).status).toBe(503);
  shop.clock.now += LEASE_MS + 1;
  expect((await shop.send(world.voucher(config, 2000n, payer))).status).toBe(200);
  expect(await onlyChannel(shop)).toMatchObject({ base: "2000", holder: "" });
});

test("a request whose process has died gets nothing from a channel that is being withdrawn meanwhile", async () => {
  world.reset({ wait_ms: 60 });
  const begun: TestExchange[] = [];
  const upstream = (exchange: TestExchange): void => {
    if (exchange.head.query === "?2" && begun.length === 0) begun.push(exchange);
    else respondWith(exchange, 200, "the goods");
  };
  const shop = world.open({ upstream });
  const payer = await chain.payer();
  const config = await world.deposited(shop, payer, 5000n);
  const payment = world.voucher(config, 2000n, payer);
  const first = shop.send(payment, { path: "/goods?2" });
  await until(() => begun.length === 1);
  const { id, balance, claimed, refundNonce } = await onlyChannel(shop);
  const withdrawAt = Math.floor(shop.clock.now / 1000);
  await shop.store.channels.sync(id, { balance, claimed, refundNonce, withdrawAt }, shop.clock.now);
  const retried = async (): Promise<Response> => {
    // The lease can be renewed in between.
    shop.clock.now += LEASE_MS + 1;
    const response = await shop.send(payment, { path: "/goods?2" });
    return response.status === 503 ? retried() : response;
  };
  const again = await retried();
  expect([again.status, errorOf(again)]).toEqual([402, "invalid_batch_settlement_evm_insufficient_balance"]);
  for (const exchange of begun) respondWith(exchange, 200, "the goods");
  expect((await first).status).toBe(409);
  expect(await onlyChannel(shop)).toMatchObject({ base: "1000", charged: "1000", holder: "" });
});

test("charges beyond the bound of the seller's risk wait for a claim", async () => {
  world.reset({ max_risk: "2500" });
  const shop = world.open();
  const payer = await chain.payer();
  const config = await world.deposited(shop, payer, 9000n);
  expect((await shop.send(world.voucher(config, 2000n, payer), { path: "/goods?1" })).status).toBe(200);
  const third = world.voucher(config, 3000n, payer);
  const refused = await shop.send(third, { path: "/goods?2" });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await world.claims(shop).claimer.round(true)).toBe(1);
  expect((await shop.send(third, { path: "/goods?2" })).status).toBe(200);
});

test("a channel whose money is gone does not stop the claim of others, and is lost after the time of a withdrawal", async () => {
  const shop = world.open();
  const [one, two] = [await chain.payer(), await chain.payer()];
  await world.deposited(shop, one, 3000n);
  const config = await world.deposited(shop, two, 3000n);
  const id = channelId(world.network, config);
  await shop.send(world.voucher(config, 2000n, two), { path: "/goods?1" });
  // Another facilitator pays the second channel's rest back, behind the seller.
  const row = await shop.store.channels.find(id);
  if (row === undefined) throw new Error("no channel");
  const order = refundOrder({ ...row, charged: "0" }, "2500", world.settings.authorizer);
  expect((await world.channels.settle(order, order.accepted)).kind).toBe("settled");
  const { claimer, troubles } = world.claims(shop);
  expect(await claimer.round(true)).toBe(1);
  expect(await chain.token.balanceOf(world.seller.address)).toBe(1000n);
  // A node that lags behind could say the same: the contract lets no payer take its money before its delay.
  shop.clock.now += WORK_MS + 1;
  expect([await claimer.round(), troubles]).toEqual([0, ["reverting", "reverting"]]);
  expect(await shop.store.channels.risks()).toMatchObject([{ channels: 1, owed: "2000", lost: "0" }]);
  shop.clock.now = row.syncedAt + 900_001;
  expect([await claimer.round(), troubles]).toEqual([0, ["reverting", "reverting", "lost"]]);
  expect(await shop.store.channels.risks()).toMatchObject([{ channels: 0, owed: "0", lost: "2000" }]);
  expect(await claimer.round()).toBe(0);
  expect(troubles).toHaveLength(3);
});

test("a payer that has taken its money does not put its write-off off by further vouchers", async () => {
  const shop = world.open();
  const payer = await chain.payer(3000n);
  const config = await world.deposited(shop, payer, 3000n);
  await chain.chain.fund(payer.address);
  const call = { from: payer.address, to: BATCH_SETTLEMENT_CONTRACT };
  await chain.chain.send({ ...call, data: initiateWithdrawCall(config, 3000n) });
  await chain.chain.passTime(901);
  await chain.chain.send({ ...call, data: finalizeWithdrawCall(config) });
  shop.clock.now += 900_001;
  const { claimer, troubles } = world.claims(shop);
  expect([await claimer.round(), troubles]).toEqual([0, ["reverting"]]);
  shop.clock.now += WORK_MS + 1;
  const refused = await shop.send(world.voucher(config, 2000n, payer), { path: "/goods?1" });
  expect([refused.status, errorOf(refused)]).toEqual([402, "invalid_batch_settlement_evm_channel_not_found"]);
  expect([await claimer.round(), troubles]).toEqual([0, ["reverting", "lost"]]);
  expect(await shop.store.channels.risks()).toMatchObject([{ owed: "0", lost: "1000" }]);
});

test.each([1, 2])(
  "in batches of %d, channels that cannot be claimed do not keep others from it, and payers without an authorizer are claimed apart",
  async (batch) => {
    world.reset({ claim: { batch } });
    const shop = world.open();
    const configs: ChannelConfig[] = [];
    for (const parties of [{ payerAuthorizer: ZERO }, {}, {}]) {
      configs.push(await world.deposited(shop, await chain.payer(), 3000n, parties));
      shop.clock.now += 1;
    }
    const [bad] = configs.map((config) => channelId(world.network, config));
    const sizes: number[] = [];
    const claiming: ChannelFacilitator = {
      verify: (payment, requirements) => world.channels.verify(payment, requirements),
      settle: async (order, requirements) => {
        if (order.payload.type !== "claim") return world.channels.settle(order, requirements);
        sizes.push(order.payload.claims.length);
        const isBad = order.payload.claims.some(
          ({ voucher: { channel } }) => channelId(world.network, channel) === bad,
        );
        const reason = "invalid_batch_settlement_evm_claim_transaction_failed";
        return isBad ? { kind: "refused", reason } : world.channels.settle(order, requirements);
      },
    };
    const { claimer, troubles } = world.claims(shop, claiming);
    expect([await claimer.round(true), troubles, sizes]).toEqual([2, ["reverting"], [1, 1, 1]]);
    expect(await shop.store.channels.risks()).toMatchObject([{ channels: 1, owed: "1000" }]);
  },
);

test("a deposit whose result was lost is found on the chain, and its response is owed", async () => {
  const shop = world.open({
    facilitator: () => ({
      ...world.facilitator,
      channels: world.facilitator.channels && {
        verify: (payment, requirements) => world.channels.verify(payment, requirements),
        settle: async (order, requirements) => {
          await world.channels.settle(order, requirements);
          return { kind: "unknown", cause: "lost", transaction: "" };
        },
      },
    }),
  });
  const payer = await chain.payer();
  const requirements = world.requirements;
  const config = channelConfig(requirements, payer.address);
  const now = await chain.chain.time();
  const payload = signedDeposit(requirements, config, { amount: 5000n, most: 1000n, signer: payer, now });
  const payment = { x402Version: 2, accepted: requirements, payload };
  expect((await shop.send(payment)).status).toBe(503);
  shop.clock.now += RECHECK_MS + 1;
  // A facilitator of another network says nothing true about the channel.
  const foreign: Facilitator = {
    ...world.facilitator,
    supported: async () => [{ scheme: "batch-settlement", network: "eip155:1" }],
    channels: {
      verify: async () => ({ kind: "refused", reason: "invalid_batch_settlement_evm_channel_not_found" }),
      settle: async () => ({ kind: "unknown", cause: "it is not asked", transaction: "" }),
    },
  };
  let known: readonly Facilitator[] = [foreign];
  const reconciler = new Reconciler({
    ledger: shop.store.ledger,
    channels: shop.store.channels,
    facilitators: () => known,
    testMode: () => false,
    notice: () => undefined,
    clock: () => shop.clock.now,
    random: () => 0,
    log: () => {},
  });
  expect(await reconciler.round()).toBe(0);
  known = [foreign, world.facilitator];
  shop.clock.now += RECHECK_MS + 1;
  expect(await reconciler.round()).toBe(1);
  expect(await onlyChannel(shop)).toMatchObject({ base: "1000", charged: "1000", signed: "1000", holder: "" });
  expect((await shop.send(payment)).status).toBe(200);
  expect((await shop.send(world.voucher(config, 2000n, payer), { path: "/goods?1" })).status).toBe(200);
  expect(shop.settlements).toBe(0);
});

test.each([
  ["result was lost", 503, { kind: "unknown", cause: "lost", transaction: "" }],
  // Its signed order is public.
  ["transaction failed", 402, { kind: "refused", reason: "invalid_batch_settlement_evm_refund_transaction_failed" }],
] as const)("a refund whose %s is made before its channel pays again", async (_what, status, made) => {
  world.reset({ wait_ms: 0 });
  const lost: ChannelFacilitator = {
    verify: (payment, requirements) => world.channels.verify(payment, requirements),
    settle: async (order, requirements) =>
      order.payload.type === "refund" ? made : world.channels.settle(order, requirements),
  };
  const shop = world.open({ facilitator: () => ({ ...world.facilitator, channels: lost }) });
  const payer = await chain.payer(5000n);
  const config = await world.deposited(shop, payer, 5000n);
  const voucher = signedVoucher(world.network, config, 1000n, payer);
  const payload = { type: "refund", channelConfig: config, voucher, amount: "1500" };
  expect((await shop.send({ x402Version: 2, accepted: world.requirements, payload })).status).toBe(status);
  // The transaction can still come: a voucher above what it leaves would be worth nothing.
  const unsure: ChannelFacilitator = {
    ...lost,
    settle: async () => ({ kind: "unknown", cause: "lost", transaction: "" }),
  };
  await world.claims(shop, unsure).claimer.round();
  expect((await shop.send(world.voucher(config, 2000n, payer))).status).toBe(503);
  await world.claims(shop).claimer.round();
  expect(await chain.token.balanceOf(payer.address)).toBe(4000n);
  const back = { standing: "open", balance: "1000", claimed: "1000", refundNonce: "1" };
  expect(await onlyChannel(shop)).toMatchObject(back);
});

test("the seller closes a channel: it claims the charges and pays the rest back", async () => {
  world.reset({ wait_ms: 0 });
  const shop = world.open();
  const payer = await chain.payer(5000n);
  const config = await world.deposited(shop, payer, 5000n);
  const { id } = await onlyChannel(shop);
  expect(await shop.store.channels.close(id)).toBe(true);
  expect((await shop.send(world.voucher(config, 2000n, payer))).status).toBe(503);
  await world.claims(shop).claimer.round();
  expect(await chain.token.balanceOf(payer.address)).toBe(4000n);
  expect(await onlyChannel(shop)).toMatchObject({ standing: "open", balance: "1000", claimed: "1000" });
});

test("a withdrawal ends the service, and its charges are claimed before its delay is over", async () => {
  const shop = world.open();
  const payer = await chain.payer(5000n);
  const config = await world.deposited(shop, payer, 5000n);
  expect((await shop.send(world.voucher(config, 2000n, payer), { path: "/goods?1" })).status).toBe(200);
  await chain.chain.fund(payer.address);
  await chain.chain.send({
    from: payer.address,
    to: BATCH_SETTLEMENT_CONTRACT,
    data: initiateWithdrawCall(config, 3000n),
  });
  const { claimer, troubles } = world.claims(shop);
  expect(await claimer.round()).toBe(0);
  shop.clock.now += 301_000;
  expect([await claimer.round(), troubles]).toEqual([1, ["withdrawal"]]);
  expect(await onlyChannel(shop)).toMatchObject({ standing: "withdrawing", claimed: "2000", charged: "2000" });
  const refused = await shop.send(world.voucher(config, 3000n, payer), { path: "/goods?2" });
  expect([refused.status, errorOf(refused)]).toEqual([402, "invalid_batch_settlement_evm_insufficient_balance"]);
  await chain.chain.passTime(901);
  await chain.chain.send({ from: payer.address, to: BATCH_SETTLEMENT_CONTRACT, data: finalizeWithdrawCall(config) });
  expect(await chain.token.balanceOf(payer.address)).toBe(3000n);
  expect(await chain.token.balanceOf(world.seller.address)).toBe(2000n);
  expect(shop.runs).toBe(2);
  // The same channel gets money again, when the withdrawal is over.
  const now = await chain.chain.time();
  shop.clock.now = now * 1000;
  const payload = signedDeposit(world.requirements, config, { amount: 2000n, most: 3000n, signer: payer, now });
  const back = await shop.send({ x402Version: 2, accepted: world.requirements, payload }, { path: "/goods?3" });
  expect(back.status).toBe(200);
  expect(await onlyChannel(shop)).toMatchObject({ standing: "open", balance: "4000", charged: "3000" });
});
