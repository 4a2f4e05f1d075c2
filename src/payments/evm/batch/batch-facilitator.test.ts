import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { BatchSettlementEvmScheme } from "@x402/evm/batch-settlement/client";
import { privateKeyToAccount } from "viem/accounts";
import { until } from "../../../lib/testing/until.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../testing/chain.ts";
import {
  channelConfig,
  channelRequirements,
  claimOf,
  hasPublishedChannels,
  placeChannels,
  signedClaims,
  signedDeposit,
  signedRefund,
  signedVoucher,
} from "../../testing/channels.ts";
import { BATCH_SETTLEMENT_CONTRACT, channelId } from "../../signatures/batch-settlement.ts";
import { type ChannelFacilitator } from "../../x402/channel-facilitator.ts";
import {
  BATCH_SETTLEMENT,
  type ChannelConfig,
  type ChannelOrder,
  type ChannelPayment,
  channelPaymentSchema,
  type ChannelRequirements,
  type Deposit,
  type Voucher,
} from "../../x402/channel-messages.ts";
import { type EvmNetwork } from "../../x402/networks.ts";
import { PERMIT2 } from "../../x402/transfer.ts";
import { freshAccount, keyOf, openShop, type OpenFacilitator, type Shop, type TestAccount } from "../testing/shop.ts";
import { encodeCall } from "../node/abi.ts";
import { finalizeWithdrawCall, initiateWithdrawCall } from "./calls.ts";

const ORIGINS = hasPublishedChannels ? (["own", "published"] as const) : (["own"] as const);

describe.skipIf(!hasChain).each(ORIGINS)("the facilitator of channels, with the %s contract", (origin) => {
  let shop: Shop;
  let network: EvmNetwork;
  let facilitator: OpenFacilitator;
  let channels: ChannelFacilitator;
  const authorizer = freshAccount();
  const receiver = freshAccount();
  let requirements: ChannelRequirements;

  beforeAll(async () => {
    shop = await openShop();
    await placeChannels(shop.chain, origin);
    ({ network } = shop.chain);
    facilitator = await shop.facilitator();
    if (facilitator.channels === undefined) throw new Error("no channels");
    ({ channels } = facilitator);
    requirements = channelRequirements(shop.token, network, {
      payTo: receiver.address,
      authorizer: authorizer.address,
    });
  }, CHAIN_SETUP_MS);
  afterAll(() => shop.close());

  function ask(payload: ChannelPayment["payload"], terms = requirements) {
    return channels.verify({ x402Version: 2, accepted: terms, payload }, terms);
  }
  function order(payload: ChannelOrder["payload"], terms = requirements) {
    return channels.settle({ x402Version: 2, accepted: terms, payload }, terms);
  }
  async function depositOf(
    config: ChannelConfig,
    payer: TestAccount,
    amount = 10_000n,
    most = 1000n,
  ): Promise<Deposit> {
    const now = await shop.chain.time();
    return signedDeposit(requirements, config, { amount, most, signer: payer, now });
  }
  /** A channel with 10000 on the chain. */
  async function opened(): Promise<{ payer: TestAccount; config: ChannelConfig; voucher: (most: bigint) => Voucher }> {
    const payer = await shop.payer();
    const config = channelConfig(requirements, payer.address);
    expect((await order(await depositOf(config, payer))).kind).toBe("settled");
    return { payer, config, voucher: (most) => signedVoucher(network, config, most, payer) };
  }
  function claims(rows: readonly { config: ChannelConfig; voucher: (most: bigint) => Voucher; total: bigint }[]) {
    const all = rows.map(({ config, voucher, total }) => claimOf(config, voucher(total), total));
    return { type: "claim" as const, claims: all, claimAuthorizerSignature: signedClaims(network, all, authorizer) };
  }

  test("is offered where the chain has the contract", async () => {
    expect(await facilitator.supported()).toContainEqual({ scheme: BATCH_SETTLEMENT, network });
  });

  test("a deposit is verified without a change, and moves the money once, however often it is ordered", async () => {
    const payer = await shop.payer();
    const config = channelConfig(requirements, payer.address);
    const deposit = await depositOf(config, payer);
    const before = { balance: 0n, totalClaimed: 0n, withdrawRequestedAt: 0, refundNonce: 0n };
    expect(await ask(deposit)).toEqual({ kind: "valid", payer: payer.address, state: before });
    expect(await shop.token.balanceOf(payer.address)).toBe(1_000_000n);
    const all = await Promise.all([order(deposit), order(deposit), order(structuredClone(deposit))]);
    const [first] = all;
    if (first?.kind !== "settled") throw new Error(JSON.stringify(first));
    expect(first).toEqual({ ...first, amount: "10000", state: { ...before, balance: 10_000n } });
    for (const one of all) expect(one).toEqual(first);
    // After a lost response, perhaps by another process: the chain is the proof.
    expect(await order(deposit)).toEqual(first);
    const other = await shop.facilitator();
    expect(
      await other.channels?.settle({ x402Version: 2, accepted: requirements, payload: deposit }, requirements),
    ).toEqual(first);
    expect(await shop.token.balanceOf(payer.address)).toBe(990_000n);
  });

  test("a deposit that is being made is refused for another payee", async () => {
    const payer = await shop.payer();
    const deposit = await depositOf(channelConfig(requirements, payer.address), payer);
    const others = { ...requirements, payTo: payer.address };
    const [made, other] = await Promise.all([order(deposit), order(deposit, others)]);
    expect(made.kind).toBe("settled");
    expect(other).toEqual(await order(deposit, others));
    expect(other).toEqual({ kind: "refused", reason: "invalid_batch_settlement_evm_receiver_mismatch" });
  });

  test("vouchers are checked against the channel on the chain", async () => {
    const { config, voucher, payer } = await opened();
    const check = async (most: bigint) => {
      const verification = await ask({ type: "voucher", channelConfig: config, voucher: voucher(most) });
      return verification.kind === "refused" ? verification.reason : verification.kind;
    };
    expect(await check(1000n)).toBe("valid");
    expect(await check(10_000n)).toBe("valid");
    expect(await check(10_001n)).toBe("invalid_batch_settlement_evm_cumulative_exceeds_balance");
    expect((await order(claims([{ config, voucher, total: 3000n }]))).kind).toBe("settled");
    expect(await check(3000n)).toBe("invalid_batch_settlement_evm_cumulative_below_claimed");
    expect(await check(3001n)).toBe("valid");
    const refund = { type: "refund", channelConfig: config, voucher: voucher(3000n) } as const;
    expect((await ask(refund)).kind).toBe("valid");
    const unknown = channelConfig(requirements, payer.address);
    const foreign = signedVoucher(network, unknown, 1000n, payer);
    expect(await ask({ type: "voucher", channelConfig: unknown, voucher: foreign })).toEqual({
      kind: "refused",
      reason: "invalid_batch_settlement_evm_channel_not_found",
    });
  });

  test("a channel that is not the seller's, and a signature that is not the payer's, are refused", async () => {
    const { config, voucher, payer } = await opened();
    const thief = freshAccount();
    const signed = voucher(1000n);
    const reasons = await Promise.all(
      [
        [{ ...config, receiver: thief.address }, {}],
        [config, { channelId: `0x${"12".repeat(32)}` }],
        [config, { maxClaimableAmount: "1001" }],
        [config, { signature: signedVoucher(network, config, 1000n, thief).signature }],
        // The payer's own, for the same terms on another chain.
        [config, { signature: signedVoucher("eip155:1", config, 1000n, payer).signature }],
      ].map(async ([channel, change]) => {
        const payload = { type: "voucher", channelConfig: channel, voucher: { ...signed, ...change } };
        const verification = await ask(payload as ChannelPayment["payload"]);
        return verification.kind === "refused" ? verification.reason : verification.kind;
      }),
    );
    expect(reasons).toEqual([
      "invalid_batch_settlement_evm_channel_id_mismatch",
      "invalid_batch_settlement_evm_channel_id_mismatch",
      "invalid_batch_settlement_evm_voucher_signature",
      "invalid_batch_settlement_evm_voucher_signature",
      "invalid_batch_settlement_evm_voucher_signature",
    ]);
    const payload = { type: "voucher", channelConfig: config, voucher: signed } as const;
    const terms: (readonly [Partial<ChannelRequirements>, string])[] = [
      [{ payTo: thief.address }, "receiver_mismatch"],
      [{ asset: thief.address }, "token_mismatch"],
      [{ extra: { ...requirements.extra, receiverAuthorizer: thief.address } }, "receiver_authorizer_mismatch"],
      [{ extra: {} }, "receiver_authorizer_mismatch"],
      [{ extra: { ...requirements.extra, withdrawDelay: 901 } }, "withdraw_delay_mismatch"],
      [{ network: "eip155:1" }, "network_mismatch"],
    ];
    for (const [change, word] of terms) {
      expect(await ask(payload, { ...requirements, ...change })).toEqual({
        kind: "refused",
        reason: `invalid_batch_settlement_evm_${word}` as never,
      });
    }
  });

  test("many channels are claimed in one transaction, paid to the receiver, and tie out to the unit", async () => {
    const before = await shop.token.balanceOf(receiver.address);
    await order({ type: "settle", receiver: receiver.address, token: shop.token.address });
    const earlier = await shop.token.balanceOf(receiver.address);
    expect(earlier).toBeGreaterThanOrEqual(before);
    const rows = await Promise.all([1000n, 2000n, 10_000n].map(async (total) => ({ ...(await opened()), total })));
    const claim = claims(rows);
    const claimed = await order(claim);
    expect(claimed).toMatchObject({ kind: "settled", amount: "13000" });
    expect(await order(claim)).toEqual({ kind: "settled", transaction: "", amount: "0" });
    const settle = { type: "settle", receiver: receiver.address, token: shop.token.address } as const;
    expect(await order(settle)).toMatchObject({ kind: "settled", amount: "13000" });
    expect(await order(settle)).toEqual({ kind: "refused", reason: "invalid_batch_settlement_evm_nothing_to_settle" });
    expect(await shop.token.balanceOf(receiver.address)).toBe(earlier + 13_000n);
  });

  test("a claim names the channels that make it fail, so that the others can be claimed without them", async () => {
    const [good, drained] = [await opened(), await opened()];
    const rows = [
      { ...good, total: 5000n },
      { ...drained, total: 10_001n },
    ];
    expect(await order(claims(rows))).toEqual({
      kind: "refused",
      reason: "invalid_batch_settlement_evm_claim_simulation_failed",
      reverting: [channelId(network, drained.config)],
    });
    expect(await order(claims(rows.slice(0, 1)))).toMatchObject({ kind: "settled", amount: "5000" });
    const unsigned = { ...claims(rows.slice(0, 1)), claimAuthorizerSignature: undefined };
    expect(await order(unsigned as never)).toMatchObject({
      reason: "invalid_batch_settlement_evm_authorizer_not_configured",
    });
    const forged = { ...claims([{ ...good, total: 6000n }]) };
    const signature = signedClaims(network, forged.claims, freshAccount());
    expect((await order({ ...forged, claimAuthorizerSignature: signature })).kind).toBe("refused");
  });

  test("a refund claims what is due and gives back the rest, in part and then in full", async () => {
    const { config, voucher, payer } = await opened();
    const refund = (nonce: bigint, amount: bigint, total: bigint) => {
      const due = [claimOf(config, voucher(total), total)];
      return {
        type: "refund" as const,
        channelConfig: config,
        voucher: voucher(total),
        amount: String(amount),
        refundNonce: String(nonce),
        claims: due,
        refundAuthorizerSignature: signedRefund(network, config, { nonce, amount }, authorizer),
        claimAuthorizerSignature: signedClaims(network, due, authorizer),
      };
    };
    const partial = refund(0n, 2500n, 1000n);
    const settled = await order(partial);
    const state = { balance: 7500n, totalClaimed: 1000n, withdrawRequestedAt: 0, refundNonce: 1n };
    expect(settled).toMatchObject({ kind: "settled", amount: "2500", state });
    // After a lost response.
    expect(await order(partial)).toEqual(settled);
    expect(await order(refund(1n, 100_000n, 1500n))).toMatchObject({ kind: "settled", amount: "6000" });
    expect(await shop.token.balanceOf(payer.address)).toBe(1_000_000n - 1500n);
    expect(await order(refund(2n, 1n, 1500n))).toEqual({
      kind: "refused",
      reason: "invalid_batch_settlement_evm_refund_no_balance",
    });
    expect(await order(refund(7n, 1n, 1500n))).toMatchObject({ kind: "refused" });
  });

  test("a withdrawal that has begun is shown, and can be claimed against before its delay ends", async () => {
    const { config, voucher, payer } = await opened();
    await shop.chain.send({
      from: payer.address,
      to: BATCH_SETTLEMENT_CONTRACT,
      data: initiateWithdrawCall(config, 10_000n),
    });
    const payload = { type: "voucher", channelConfig: config, voucher: voucher(4000n) } as const;
    const verification = await ask(payload);
    if (verification.kind !== "valid") throw new Error(JSON.stringify(verification));
    expect(verification.state.withdrawRequestedAt).toBe(await shop.chain.time());
    expect(await order(claims([{ config, voucher, total: 4000n }]))).toMatchObject({ amount: "4000" });
    const back = await shop.chain.snapshot();
    await shop.chain.passTime(900);
    await shop.chain.send({ from: payer.address, to: BATCH_SETTLEMENT_CONTRACT, data: finalizeWithdrawCall(config) });
    expect(await shop.token.balanceOf(payer.address)).toBe(1_000_000n - 4000n);
    expect((await ask({ ...payload, voucher: voucher(4001n) })).kind).toBe("refused");
    await back();
  });

  test("a deposit that the chain would refuse is refused before gas is spent", async () => {
    const payer = await shop.payer(500n);
    const config = channelConfig(requirements, payer.address);
    const reason = async (payload: Deposit, terms = requirements) => {
      const [verification, settlement] = [await ask(payload, terms), await order(payload, terms)];
      expect(settlement).toEqual(verification as never);
      return verification.kind === "refused" ? verification.reason.replace("invalid_batch_settlement_evm_", "") : "";
    };
    const deposit = await depositOf(config, payer, 500n, 500n);
    expect(await reason(await depositOf(config, payer, 501n, 500n))).toBe("insufficient_balance");
    expect(await reason(await depositOf(config, payer, 500n, 501n))).toBe("cumulative_exceeds_balance");
    expect(await reason(await depositOf(config, freshAccount(), 500n, 500n))).toBe("voucher_signature");
    const bigger = { ...deposit, deposit: { ...deposit.deposit, amount: "499" } };
    expect(await reason(bigger)).toBe("receive_authorization_signature");
    const { deposit: late } = signedDeposit(requirements, config, { amount: 500n, most: 500n, signer: payer, now: 0 });
    expect(await reason({ ...deposit, deposit: late })).toBe("payload_authorization_valid_before");
    const permit2 = { ...requirements, extra: { ...requirements.extra, assetTransferMethod: "permit2" } };
    expect(await reason(deposit, permit2)).toBe("payload_type");
    const nameless = { ...requirements, extra: { ...requirements.extra, name: undefined } };
    expect(await reason(deposit, nameless)).toBe("missing_eip712_domain");
    const short = channelConfig(requirements, payer.address, { withdrawDelay: 899 });
    const terms = { ...requirements, extra: { ...requirements.extra, withdrawDelay: 899 } };
    expect(await reason(await depositOf(short, payer, 500n, 500n), terms)).toBe("withdraw_delay_out_of_range");
    expect(await shop.token.balanceOf(payer.address)).toBe(500n);
  });

  test("a deposit by Permit2 moves the money once, and needs the payer's approval", async () => {
    const payer = await shop.payer();
    const account = privateKeyToAccount(keyOf(payer));
    const client = new BatchSettlementEvmScheme({ ...account, readContract: async () => [0n, 0n] });
    const terms = { ...requirements, extra: { ...requirements.extra, assetTransferMethod: "permit2" } };
    const made = await client.createPaymentPayload(2, { ...terms, network });
    const { payload } = channelPaymentSchema.parse({ ...made, accepted: terms });
    if (payload.type !== "deposit") throw new Error("no deposit");
    expect(await ask(payload, terms)).toEqual({
      kind: "refused",
      reason: "invalid_batch_settlement_evm_permit2_allowance_required",
    });
    await shop.token.approve(payer.address, PERMIT2, 1_000_000n);
    expect((await ask(payload, terms)).kind).toBe("valid");
    const settled = await order(payload, terms);
    expect(settled).toMatchObject({ kind: "settled", amount: "5000", state: { balance: 5000n } });
    expect(await order(payload, terms)).toEqual(settled);
    expect(await shop.token.balanceOf(payer.address)).toBe(995_000n);
  });

  test("a smart wallet signs its vouchers by its contract, and one with a key of its own by that key", async () => {
    const owner = freshAccount();
    const wallet = await shop.chain.deploy("SmartAccount", [owner.address]);
    await shop.token.mint(wallet, 100_000n);
    const zero = `0x${"0".repeat(40)}` as const;
    for (const payerAuthorizer of [zero, owner.address]) {
      const config = channelConfig(requirements, wallet, { payerAuthorizer });
      const now = await shop.chain.time();
      const deposit = signedDeposit(requirements, config, { amount: 10_000n, most: 1000n, signer: owner, now });
      expect(await order(deposit)).toMatchObject({ kind: "settled", amount: "10000" });
      const voucher = (most: bigint) => signedVoucher(network, config, most, owner);
      const forged = signedVoucher(network, config, 2000n, freshAccount());
      expect(await ask({ type: "voucher", channelConfig: config, voucher: voucher(2000n) })).toMatchObject({
        kind: "valid",
      });
      expect(await ask({ type: "voucher", channelConfig: config, voucher: forged })).toMatchObject({
        reason: "invalid_batch_settlement_evm_voucher_signature",
      });
      expect(await order(claims([{ config, voucher, total: 2000n }]))).toMatchObject({ amount: "2000" });
    }
    // An account without code that signs for itself.
    const payer = await shop.payer();
    const config = channelConfig(requirements, payer.address, { payerAuthorizer: zero });
    expect((await order(await depositOf(config, payer))).kind).toBe("settled");
  });

  test("a payer that denies its voucher in the block does not keep the seller from other claims", async () => {
    const wallet = await shop.chain.deploy("TwoFaced");
    await shop.token.mint(wallet, 100_000n);
    const stranger = freshAccount();
    const config = channelConfig(requirements, wallet, { payerAuthorizer: `0x${"0".repeat(40)}` });
    const now = await shop.chain.time();
    const deposit = signedDeposit(requirements, config, { amount: 10_000n, most: 1000n, signer: stranger, now });
    expect((await order(deposit)).kind).toBe("settled");
    const good = await opened();
    const voucher = (most: bigint) => signedVoucher(network, config, most, stranger);
    const hostile = claims([{ config, voucher, total: 1000n }]);
    await shop.chain.fund(stranger.address);
    await shop.chain.setMining(false);
    const denied = order(hostile);
    await until(async () => (await pendingTransactions()) === 1);
    const fees = { maxFeePerGas: "0x174876e800", maxPriorityFeePerGas: "0x174876e800", gas: "0x30d40" };
    const data = encodeCall("deny(bool)", [1n]);
    await shop.chain.rpc("eth_sendTransaction", [{ from: stranger.address, to: wallet, data, ...fees }]);
    await shop.chain.mine();
    expect(await denied).toEqual({ kind: "refused", reason: "invalid_batch_settlement_evm_claim_transaction_failed" });
    await shop.chain.setMining(true);
    expect(await order(claims([{ ...good, total: 1000n }]))).toMatchObject({ kind: "settled", amount: "1000" });
    // Its own claims wait.
    expect(await order(hostile)).toMatchObject({ kind: "unknown", isUnsent: true });
  });

  async function pendingTransactions(): Promise<number> {
    return Number(await shop.chain.rpc("eth_getBlockTransactionCountByNumber", ["pending"]));
  }
});
