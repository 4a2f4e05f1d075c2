import { expect, spyOn, test } from "bun:test";
import { identityOf } from "../../../../../payments/channels/chain-state.ts";
import { channelId } from "../../../../../payments/signatures/batch-settlement.ts";
import { channelConfig, channelRequirements } from "../../../../../payments/testing/channels.ts";
import { freshAccount } from "../../../../../payments/evm/testing/shop.ts";
import { type Channel, channelNonce, NO_AUTHORIZER } from "../../../../../store/channels.ts";
import { type Payment } from "../../../../../store/ledger.ts";
import { openStore } from "../../../../../store/open/open-store.ts";
import { channels as channelKeys } from "../../../../config/schema/x402-channels.ts";
import { NETWORK, SELLER, TOKEN, USDC } from "../../metered/testing/metered-sale.ts";
import { ChannelDesk, OPEN_MS, RISK_MS } from "./channel-desk.ts";

test("a charge that is not made yet counts for as long as it is open, however often the risk is counted meanwhile", async () => {
  const clock = { now: Date.now(), steady: 0 };
  await using store = Object.assign(
    openStore(":memory:", () => clock.now),
    {
      [Symbol.asyncDispose]: () => store.close(),
    },
  );
  const keys = channelKeys.parse({ withdraw_delay_s: 900, contracts: { max_risk: "5000", max_total_risk: "1000" } });
  const desk = new ChannelDesk(
    { keys, authorizer: freshAccount() },
    store.channels,
    () => clock.now,
    () => clock.steady,
  );
  const ledger = desk.watching(store.ledger);
  const newChannel = async (): Promise<Channel> => {
    const made = channelConfig(channelRequirements(TOKEN, NETWORK, SELLER), freshAccount().address);
    const config = { ...made, payerAuthorizer: `0x${NO_AUTHORIZER.slice(2)}` } as const;
    const state = { balance: "9000", claimed: "0", withdrawAt: 0, refundNonce: "0" };
    return store.channels.open(identityOf(NETWORK, channelId(NETWORK, config), config), state, clock.now);
  };
  const pay = async (channel: Channel): Promise<Payment> => {
    const reservation = {
      network: NETWORK,
      asset: "0xc",
      from: channel.payer,
      nonce: channelNonce(channel.id, channel.base),
      token: USDC.toLowerCase(),
      scheme: "batch-settlement",
      amount: "600",
      payTo: "0xp",
      route: "/",
      consumer: "",
      fingerprint: "f",
      validBefore: Math.floor(clock.now / 1000) + 60,
      payload: "",
    };
    return (await ledger.reserve(reservation)).payment;
  };
  const [one, two, three] = [await newChannel(), await newChannel(), await newChannel()];
  expect(await desk.isTooRisky(one, "600")).toBe(false);
  const first = await pay(one);
  await ledger.move(first, { state: "deferred", lease: true, dueInMs: 600_000 });
  const later = async (channel: Channel, amount = "600"): Promise<boolean> => {
    clock.steady += RISK_MS + 1;
    return desk.isTooRisky(channel, amount);
  };
  expect([await later(two), await later(two)]).toEqual([true, true]);
  await ledger.move(first, { state: "released", lease: false });
  expect(await later(two)).toBe(false);
  await ledger.move(await pay(two), { state: "settled", lease: false });
  expect([await later(three), await desk.isTooRisky(three, "400")]).toEqual([true, false]);
  // Another process may have made the charge since, and the system clock was set back.
  clock.now -= 86_400_000;
  expect(await later(two, "400")).toBe(true);
  clock.steady += OPEN_MS;
  expect(await later(two, "400")).toBe(false);
});

test("after the clock was set back, no state of a channel is fresh", async () => {
  const clock = { now: Date.now() };
  const store = openStore(":memory:");
  const desk = new ChannelDesk(
    { keys: channelKeys.parse({}), authorizer: freshAccount() },
    store.channels,
    () => clock.now,
  );
  const config = channelConfig(channelRequirements(TOKEN, NETWORK, SELLER), freshAccount().address);
  const state = { balance: "9000", claimed: "0", withdrawAt: 0, refundNonce: "0" };
  const channel = await store.channels.open(identityOf(NETWORK, channelId(NETWORK, config), config), state, clock.now);
  expect(desk.isFresh(channel)).toBe(true);
  clock.now -= 86_400_000;
  expect(desk.isFresh(channel)).toBe(false);
  await store.close();
});

test("the risk is counted once for a time, and a count that failed is made again at once", async () => {
  const clock = { steady: 0 };
  const store = openStore(":memory:");
  const keys = channelKeys.parse({ withdraw_delay_s: 900, contracts: { max_risk: "5000", max_total_risk: "1000" } });
  const desk = new ChannelDesk({ keys, authorizer: freshAccount() }, store.channels, Date.now, () => clock.steady);
  const made = channelConfig(channelRequirements(TOKEN, NETWORK, SELLER), freshAccount().address);
  const config = { ...made, payerAuthorizer: `0x${NO_AUTHORIZER.slice(2)}` } as const;
  const state = { balance: "9000", claimed: "0", withdrawAt: 0, refundNonce: "0" };
  const channel = await store.channels.open(identityOf(NETWORK, channelId(NETWORK, config), config), state, Date.now());
  const risks = spyOn(store.channels, "risks").mockImplementationOnce(() => Promise.reject(new Error("away")));
  expect(desk.isTooRisky(channel, "1")).rejects.toThrow("away");
  await new Promise(setImmediate);
  expect(await desk.isTooRisky(channel, "1001")).toBe(true);
  clock.steady += RISK_MS;
  expect(await desk.isTooRisky(channel, "1001")).toBe(true);
  expect(risks).toHaveBeenCalledTimes(2);
  clock.steady += 1;
  expect(await desk.isTooRisky(channel, "1001")).toBe(true);
  expect(risks).toHaveBeenCalledTimes(3);
  await store.close();
});
