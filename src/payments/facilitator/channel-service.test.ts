/** The facilitator over HTTP with x402's own server and client for channels, on a real chain. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { BatchSettlementEvmScheme } from "@x402/evm/batch-settlement/client";
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import { createPublicClient, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { patient } from "../../lib/testing/patience.ts";
import { until } from "../../lib/testing/until.ts";
import { readChannel } from "../evm/batch/state.ts";
import { EvmNode } from "../evm/node/node.ts";
import { freshAccount, keyOf, openShop, type Shop } from "../evm/testing/shop.ts";
import { channelId } from "../signatures/batch-settlement.ts";
import { CHAIN_SETUP_MS, hasChain } from "../testing/chain.ts";
import {
  channelConfig,
  channelRequirements,
  claimOf,
  placeChannels,
  signedClaims,
  signedDeposit,
  signedVoucher,
} from "../testing/channels.ts";
import { startStockShop, type StockShop } from "../testing/stock-channel-shop.ts";
import { BATCH_SETTLEMENT, channelConfigSchema } from "../x402/channel-messages.ts";
import { takeOnly } from "./asset-gate.ts";
import { HttpFacilitator } from "./http-facilitator.ts";
import { type FacilitatorServer, serveFacilitator } from "./serve-facilitator.ts";

setDefaultTimeout(patient(30_000));

describe.skipIf(!hasChain)("the facilitator of channels over HTTP", () => {
  let shop: Shop;
  let service: FacilitatorServer;
  let seller: StockShop;
  let node: EvmNode;
  let ours: HttpFacilitator;
  const authorizer = freshAccount();
  const receiver = freshAccount();

  beforeAll(async () => {
    shop = await openShop();
    const { chain, token } = shop;
    const { network, rpcUrl } = chain;
    await placeChannels(chain);
    const facilitator = takeOnly(await shop.facilitator(), [network], [{ network, address: token.address }]);
    service = await serveFacilitator(facilitator, { hostname: "127.0.0.1", port: 0 }, { log: () => {} });
    const sold = { facilitatorUrl: service.url, network, token, payTo: receiver.address };
    seller = await startStockShop({ ...sold, authorizer: keyOf(authorizer) });
    node = new EvmNode({ network, rpc_url: rpcUrl, timeout_ms: 5000, poll_ms: 5, confirmations: 1 }, Date.now);
    ours = new HttpFacilitator({ url: service.url, timeoutMs: 10_000 });
  }, CHAIN_SETUP_MS);
  afterAll(async () => {
    await seller.close();
    await ours.close();
    await service.close(1000);
    await shop.close();
  });

  /** A stock client with money, and the channel that it opens. */
  async function buyer() {
    const payer = await shop.payer();
    const account = privateKeyToAccount(keyOf(payer));
    const reader = createPublicClient({ transport: http(shop.chain.rpcUrl) });
    const scheme = new BatchSettlementEvmScheme({ ...account, readContract: reader.readContract });
    const asked = await fetch(seller.url);
    const header = JSON.parse(atob(asked.headers.get("payment-required") ?? ""));
    const config = channelConfigSchema.parse(scheme.buildChannelConfig(header.accepts[0]));
    const schemes = [{ network: shop.chain.network, client: scheme }];
    const pay = wrapFetchWithPaymentFromConfig(fetch, { schemes, spendControls: false });
    return {
      payer,
      buy: async () => (await pay(seller.url)).status,
      refund: (amount?: string) => scheme.refund(seller.url, amount === undefined ? {} : { amount }),
      state: () => readChannel(node, channelId(shop.chain.network, config)),
    };
  }

  test("the stock client buys from the stock server, which claims, is paid, and refunds: to the unit", async () => {
    const { payer, buy, refund, state } = await buyer();
    // The first payment deposits ten times the price.
    expect(await buy()).toBe(200);
    expect(await state()).toEqual({ balance: 10_000n, totalClaimed: 0n, withdrawRequestedAt: 0, refundNonce: 0n });
    expect([await buy(), await buy()]).toEqual([200, 200]);
    seller.charge = "300";
    expect(await buy()).toBe(200);
    seller.charge = undefined;
    expect(seller.runs).toBe(4);
    expect(await seller.manager.claimAndSettle()).toMatchObject({ claims: [{ vouchers: 1 }] });
    expect(await state()).toMatchObject({ balance: 10_000n, totalClaimed: 3300n });
    expect(await shop.token.balanceOf(receiver.address)).toBe(3300n);
    expect(await buy()).toBe(200);
    expect(await refund("1000")).toMatchObject({ success: true, amount: "1000" });
    expect(await state()).toMatchObject({ balance: 9000n, totalClaimed: 4300n, refundNonce: 1n });
    expect(await refund()).toMatchObject({ success: true, amount: "4700" });
    expect(await state()).toMatchObject({ balance: 4300n, totalClaimed: 4300n, refundNonce: 2n });
    await seller.manager.settle();
    expect(await shop.token.balanceOf(receiver.address)).toBe(4300n);
    expect(await shop.token.balanceOf(payer.address)).toBe(1_000_000n - 4300n);
  });

  test("our client of a facilitator reads what the service responds", async () => {
    const { network } = shop.chain;
    expect(await ours.supported()).toContainEqual(expect.objectContaining({ scheme: BATCH_SETTLEMENT, network }));
    const { channels } = ours;
    const payer = await shop.payer();
    const terms = channelRequirements(shop.token, network, { payTo: receiver.address, authorizer: authorizer.address });
    const config = channelConfig(terms, payer.address);
    const now = await shop.chain.time();
    const payload = signedDeposit(terms, config, { amount: 5000n, most: 1000n, signer: payer, now });
    const payment = { x402Version: 2, accepted: terms, payload } as const;
    const empty = { balance: 0n, totalClaimed: 0n, withdrawRequestedAt: 0, refundNonce: 0n };
    expect(await channels.verify(payment, terms)).toEqual({ kind: "valid", payer: payer.address, state: empty });
    const settled = await channels.settle(payment, terms);
    expect(settled).toMatchObject({ kind: "settled", amount: "5000", state: { ...empty, balance: 5000n } });
    const voucher = signedVoucher(network, config, 6000n, payer);
    const over = { ...payment, payload: { type: "voucher", channelConfig: config, voucher } } as const;
    expect(await channels.verify(over, terms)).toEqual({
      state: { ...empty, balance: 5000n },
      kind: "refused",
      reason: "invalid_batch_settlement_evm_cumulative_exceeds_balance",
    });
    const claims = [claimOf(config, voucher, 6000n)];
    const claimAuthorizerSignature = signedClaims(network, claims, authorizer);
    const order = { ...payment, payload: { type: "claim", claims, claimAuthorizerSignature } } as const;
    expect(await channels.settle(order, { ...terms, amount: "0", maxTimeoutSeconds: 0 })).toEqual({
      kind: "refused",
      reason: "invalid_batch_settlement_evm_claim_simulation_failed",
      reverting: [channelId(network, config)],
    });
    const status: unknown = await (await fetch(`${service.url}/status`)).json();
    expect(status).toMatchObject({
      counts: {
        "deposit: settled": expect.any(Number),
        "verify: invalid_batch_settlement_evm_cumulative_exceeds_balance": 1,
        "claim: invalid_batch_settlement_evm_claim_simulation_failed": 1,
      },
      settlements: expect.arrayContaining([
        expect.objectContaining({ amount: expect.stringMatching(/^5000 units of 0x/), result: "deposit: settled" }),
      ]),
    });
  });

  test("a token that the facilitator does not take, and a malformed body, are refused without a call to the chain", async () => {
    const { network } = shop.chain;
    const other = { ...shop.token, address: freshAccount().address };
    const terms = channelRequirements(other, network, { payTo: receiver.address, authorizer: authorizer.address });
    const payload = { type: "settle", receiver: receiver.address, token: other.address } as const;
    const order = { x402Version: 2, accepted: terms, payload } as const;
    const refused = { kind: "refused", reason: "invalid_payment_requirements" } as const;
    expect(await ours.channels.settle(order, terms)).toEqual(refused);
    expect(await ours.channels.settle(order, { ...terms, asset: shop.token.address })).toEqual(refused);
    for (const path of ["verify", "settle"]) {
      const response = await fetch(`${service.url}/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          x402Version: 2,
          paymentPayload: { x402Version: 2, accepted: terms, payload: { type: "claim", claims: [{}] } },
          paymentRequirements: terms,
        }),
      });
      expect(response.status).toBe(400);
    }
  });

  test("an order of which the receipt is late stays open, and is found when it is given again", async () => {
    const { network } = shop.chain;
    const late = await shop.facilitator({ receipt_timeout_ms: 300 });
    const payer = await shop.payer();
    const terms = channelRequirements(shop.token, network, { payTo: receiver.address, authorizer: authorizer.address });
    const config = channelConfig(terms, payer.address);
    const now = await shop.chain.time();
    const payload = signedDeposit(terms, config, { amount: 5000n, most: 1000n, signer: payer, now });
    const payment = { x402Version: 2, accepted: terms, payload } as const;
    await shop.chain.setMining(false);
    const open = await late.channels?.settle(payment, terms);
    expect(open?.kind).toBe("unknown");
    // Another process with another key does not send it a second time.
    const other = await (await shop.facilitator()).channels?.settle(payment, terms);
    expect(other?.kind).toBe("unknown");
    await shop.chain.mine();
    await shop.chain.setMining(true);
    // Its timeout is short, so that a busy machine may need several tries.
    await until(async () => (await late.channels?.settle(payment, terms))?.kind === "settled");
    expect(await ours.channels.settle(payment, terms)).toMatchObject({ kind: "settled", state: { balance: 5000n } });
    expect(await shop.token.balanceOf(payer.address)).toBe(995_000n);
  });
});
