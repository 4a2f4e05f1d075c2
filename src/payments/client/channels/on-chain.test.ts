import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FacilitatorClient } from "@x402/core/server";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { BatchSettlementEvmScheme } from "@x402/evm/batch-settlement/facilitator";
import { createWalletClient, defineChain, http, publicActions } from "viem";
import { nonceManager, privateKeyToAccount } from "viem/accounts";
import { openChain } from "../../evm/balances.ts";
import { freshAccount, keyOf, openShop, type Shop, type TestAccount } from "../../evm/testing/shop.ts";
import { BATCH_SETTLEMENT_CONTRACT } from "../../signatures/batch-settlement.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../testing/chain.ts";
import { hasPublishedChannels, placeChannels } from "../../testing/channels.ts";
import { PAYEE } from "../../testing/payment.ts";
import { AUTHORIZER, openStockShop, type StockShop } from "../../testing/stock-channels.ts";
import { payAndFetch, type PayOptions } from "../client.ts";
import { Channels } from "./channels.ts";
import { payerFrom } from "./pay-from-channel.ts";
import { refundChannel } from "./refund.ts";
import { withdrawChannel } from "./withdraw.ts";

const NETWORK = "eip155:84532";

/** The reference facilitator on this chain, with its own key. */
async function referenceFacilitator({ chain }: Shop): Promise<FacilitatorClient> {
  const account = freshAccount();
  await chain.fund(account.address);
  const wallet = createWalletClient({
    account: privateKeyToAccount(keyOf(account), { nonceManager }),
    chain: defineChain({
      id: 84_532,
      name: "test",
      nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
      rpcUrls: { default: { http: [chain.rpcUrl] } },
    }),
    transport: http(chain.rpcUrl),
    pollingInterval: 20,
  }).extend(publicActions);
  // The signer's parameter has the same methods, with types of another copy of viem.
  const signer = toFacilitatorEvmSigner(
    Object.assign(wallet, { address: wallet.account.address }) as unknown as Parameters<
      typeof toFacilitatorEvmSigner
    >[0],
  );
  const scheme = new BatchSettlementEvmScheme(signer, AUTHORIZER);
  return {
    verify: async (payment, requirements) => await scheme.verify(payment, requirements),
    settle: async (payment, requirements) => await scheme.settle(payment, requirements),
    getSupported: async () => ({
      kinds: [{ x402Version: 2, scheme: "batch-settlement", network: NETWORK }],
      extensions: [],
      signers: {},
    }),
  };
}

const ORIGINS = hasPublishedChannels ? (["own", "published"] as const) : (["own"] as const);

describe.skipIf(!hasChain).each(ORIGINS)("channels of the payer on a chain with the %s contract", (origin) => {
  let shop: Shop;
  let stock: StockShop;
  let payer: TestAccount;
  let options: PayOptions;
  let channels: Channels;
  let ahead = 0;
  const folder = mkdtempSync(join(tmpdir(), "turnpike-channels-"));

  beforeAll(async () => {
    shop = await openShop();
    await placeChannels(shop.chain, origin);
    const { token } = shop;
    stock = await openStockShop({
      facilitator: await referenceFacilitator(shop),
      network: NETWORK,
      asset: token.address,
      amount: "1000",
      extra: { name: token.name, version: token.version },
    });
    payer = await shop.payer();
    channels = new Channels(folder, { maxDeposit: "$1", now: () => Date.now() + ahead * 1000 });
    const asset = { network: NETWORK, symbol: "TUSD", decimals: 6, ...token } as const;
    options = { account: () => payer, maxPrice: "$0.01", assets: [asset], channels: payerFrom(channels) };
  }, CHAIN_SETUP_MS);
  afterAll(async () => {
    await stock.close();
    await shop.close();
    rmSync(folder, { recursive: true });
  });

  const held = (): Promise<bigint> => shop.token.balanceOf(BATCH_SETTLEMENT_CONTRACT);

  test("deposit, vouchers, claim and refund tie out with the reference server and facilitator", async () => {
    const before = [await shop.token.balanceOf(payer.address), await shop.token.balanceOf(PAYEE)];
    for (let i = 0; i < 12; i++) expect((await payAndFetch(stock.url, {}, options)).response.status).toBe(200);
    expect(channels.file.channels()).toMatchObject([{ balance: "20000", charged: "12000" }]);
    expect(await held()).toBe(20_000n);
    const [channel] = channels.file.channels();
    const refunded = await refundChannel(channel?.id ?? "", { channels, account: payer, send: fetch });
    expect(refunded.amount).toBe("8000");
    const client = await referenceFacilitator(shop);
    await stock.scheme.createChannelManager(client, NETWORK, shop.token.address).settle();
    const after = [await shop.token.balanceOf(payer.address), await shop.token.balanceOf(PAYEE)];
    expect(after.map((balance, i) => balance - (before[i] ?? 0n))).toEqual([-12_000n, 12_000n]);
    expect(await held()).toBe(0n);
  });

  test("without the server, the wallet withdraws the rest after the delay, and pays nothing meanwhile", async () => {
    await payAndFetch(stock.url, {}, options);
    const [channel] = channels.file.channels();
    const id = channel?.id ?? "";
    const before = await shop.token.balanceOf(payer.address);
    await shop.chain.fund(payer.address);
    const node = openChain(NETWORK, shop.chain.rpcUrl);
    const step = () => withdrawChannel(id, { channels, account: payer, node });
    const { from, transaction } = await step();
    expect(await shop.chain.rpc("eth_getTransactionReceipt", [transaction])).toMatchObject({ status: "0x1" });
    expect(from).toBeGreaterThan(Date.now() / 1000 + 800);
    expect(await step().then(() => "", String)).toContain("Cannot withdraw yet");
    await payAndFetch(stock.url, {}, options);
    expect(channels.file.channels().length).toBe(2);
    await shop.chain.passTime(901);
    ahead = 902;
    expect((await step()).from).toBeUndefined();
    // The server has claimed nothing of the last deposit, of which one voucher is signed.
    expect(await shop.token.balanceOf(payer.address)).toBe(before - 10_000n + 10_000n);
    expect(channels.file.channels().find((one) => one.id === id)).not.toHaveProperty("withdrawable");
  });
});
