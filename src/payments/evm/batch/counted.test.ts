/** Channels whose deposits and claims are in blocks that do not count yet, or are dropped with such a block. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../../lib/testing/patience.ts";
import { findDeposit } from "../../channels/find-deposit.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../testing/chain.ts";
import {
  channelConfig,
  channelRequirements,
  claimOf,
  placeChannels,
  signedClaims,
  signedDeposit,
  signedVoucher,
} from "../../testing/channels.ts";
import { type ChannelFacilitator, type ChannelVerification } from "../../x402/channel-facilitator.ts";
import { type ChannelConfig, type ChannelOrder, type ChannelRequirements } from "../../x402/channel-messages.ts";
import { freshAccount, openShop, type Shop, type TestAccount } from "../testing/shop.ts";

const CAUSE = "the money of the channel is in a block that does not count yet";
setDefaultTimeout(patient(30_000));

describe.skipIf(!hasChain)("with three confirmations", () => {
  let shop: Shop;
  let channels: ChannelFacilitator;
  let requirements: ChannelRequirements;
  const authorizer = freshAccount();

  beforeAll(async () => {
    shop = await openShop();
    await placeChannels(shop.chain, "own");
    channels = await open(3);
    requirements = channelRequirements(shop.token, shop.chain.network, {
      payTo: freshAccount().address,
      authorizer: authorizer.address,
    });
  }, CHAIN_SETUP_MS);
  afterAll(() => shop.close());

  async function open(confirmations: number): Promise<ChannelFacilitator> {
    const facilitator = await shop.facilitator({ confirmations });
    if (facilitator.channels === undefined) throw new Error("no channels");
    return facilitator.channels;
  }

  /** An order to another facilitator, for which one block is enough. It knows no nonce of a dropped block. */
  async function hasty(payload: ChannelOrder["payload"]) {
    return order(await open(1), payload);
  }

  function order(to: ChannelFacilitator, payload: ChannelOrder["payload"]) {
    return to.settle({ x402Version: 2, accepted: requirements, payload }, requirements);
  }

  async function deposited(signer: TestAccount, config: ChannelConfig) {
    const now = await shop.chain.time();
    const deposit = signedDeposit(requirements, config, { amount: 10_000n, most: 1000n, signer, now });
    expect(await hasty(deposit)).toMatchObject({ kind: "settled" });
    return deposit;
  }

  function ask(config: ChannelConfig, payer: TestAccount, most: bigint) {
    const voucher = signedVoucher(shop.chain.network, config, most, payer);
    const payload = { type: "voucher", channelConfig: config, voucher } as const;
    return channels.verify({ x402Version: 2, accepted: requirements, payload }, requirements);
  }

  test("a voucher counts on no money of a block that does not count yet, and a dropped block takes it away", async () => {
    const payer = await shop.payer();
    const config = channelConfig(requirements, payer.address);
    const restore = await shop.chain.snapshot();
    const deposit = await deposited(payer, config);
    const now = Date.now();
    const rows: unknown[] = [];
    const sync = async (...row: unknown[]) => void rows.push(row);
    const find = () =>
      findDeposit(channels, { x402Version: 2, accepted: requirements, payload: deposit }, { channels: { sync }, now });
    const early: ChannelVerification = { kind: "early", cause: CAUSE };
    expect(await ask(config, payer, 1000n)).toEqual(early);
    expect(await find()).toEqual({ kind: "unknown", cause: CAUSE });
    await restore();
    expect(await ask(config, payer, 1000n)).toMatchObject({ reason: expect.stringContaining("not_found") });
    expect(await find()).toEqual({ kind: "unspent" });
    expect(rows).toEqual([]);
    await hasty(deposit);
    await shop.chain.mine(2);
    expect(await ask(config, payer, 1000n)).toMatchObject({ kind: "valid", state: { balance: 10_000n } });
    expect(await find()).toMatchObject({ kind: "settled" });
    // A second deposit that does not count yet leaves the first one.
    await deposited(payer, config);
    expect(await ask(config, payer, 10_000n)).toMatchObject({ kind: "valid", state: { balance: 10_000n } });
    expect(await ask(config, payer, 10_001n)).toEqual(early);
    await shop.chain.mine(2);
    expect(await ask(config, payer, 10_001n)).toMatchObject({ kind: "valid", state: { balance: 20_000n } });
  });

  test("a claim in a block that does not count yet is open, for its own order too", async () => {
    const payer = await shop.payer();
    const config = channelConfig(requirements, payer.address);
    await deposited(payer, config);
    await shop.chain.mine(2);
    const { network } = shop.chain;
    const voucher = signedVoucher(network, config, 1000n, payer);
    const claims = [claimOf(config, voucher, 1000n)];
    const claim = {
      type: "claim",
      claims,
      claimAuthorizerSignature: signedClaims(network, claims, authorizer),
    } as const;
    const look = () => {
      const payload = { type: "refund", channelConfig: config, voucher } as const;
      return channels.verify({ x402Version: 2, accepted: requirements, payload }, requirements);
    };
    const restore = await shop.chain.snapshot();
    expect(await hasty(claim)).toMatchObject({ kind: "settled", amount: "1000" });
    expect(await look()).toMatchObject({ kind: "valid", state: { totalClaimed: 0n } });
    // A voucher that was claimed pays for nothing, whether its claim counts or not.
    expect(await ask(config, payer, 1000n)).toMatchObject({ reason: expect.stringContaining("below_claimed") });
    expect(await order(channels, claim)).toMatchObject({ kind: "unknown" });
    await restore();
    expect(await look()).toMatchObject({ kind: "valid", state: { totalClaimed: 0n } });
    expect(await hasty(claim)).toMatchObject({ kind: "settled", amount: "1000" });
    await shop.chain.mine(2);
    expect(await look()).toMatchObject({ kind: "valid", state: { totalClaimed: 1000n } });
    expect(await order(channels, claim)).toMatchObject({ kind: "settled", amount: "0" });
  });
});
