/** The project's own client pays the project's own gateway on a real chain. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hexToBytes } from "@noble/hashes/utils.js";
import { parseAllowedAsset } from "../../src/payments/client/allowed-asset.ts";
import { describeReceipt, type PayOptions, payAndFetch } from "../../src/payments/client/client.ts";
import { createFunds } from "../../src/payments/client/funds.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../src/payments/testing/chain.ts";
import { PAYER, PRIVATE_KEY } from "../../src/payments/testing/payment.ts";
import { type Market, openMarket, PRICE, Stall } from "./market.ts";

describe.skipIf(!hasChain)("the paying client", () => {
  let market: Market;
  let stall: Stall;
  let options: PayOptions;

  beforeAll(async () => {
    market = await openMarket();
    stall = new Stall(market);
    await stall.open();
    const { chain, token } = market;
    options = {
      account: () => ({ address: PAYER, privateKey: hexToBytes(PRIVATE_KEY.slice(2)) }),
      maxPrice: "$1",
      assets: [parseAllowedAsset(`${chain.network}:${token.address}:${token.name}:${token.version}:6`)],
      funds: createFunds({ TURNPIKE_RPC_84532: chain.rpcUrl }, () => PAYER),
    };
  }, CHAIN_SETUP_MS);

  afterAll(async () => {
    await stall.close();
    await market.chain.close();
  });

  test("pays with an allowed token, and gets a receipt whose transaction is on the chain", async () => {
    const before = await stall.balance();
    const { response, choice: offer, receipt } = await payAndFetch(stall.url, {}, options);
    expect([response.status, await response.text()]).toEqual([200, "the goods"]);
    expect(await stall.balance()).toBe(before + PRICE);
    expect(offer && receipt && describeReceipt(offer, receipt)).toMatch(/^\$0\.01 .*transaction 0x[0-9a-f]{64}$/);
    const found = await market.chain.rpc("eth_getTransactionReceipt", [receipt?.transaction]);
    expect(found).toMatchObject({ status: "0x1" });
  });

  test("pays with its own id if the gateway requires one, and before the upstream request", async () => {
    const extensions = { "payment-identifier": { info: { required: true }, schema: {} } };
    const strict = new Stall(market, { settle: "before", extensions });
    try {
      await strict.open();
      const { response, receipt } = await payAndFetch(strict.url, {}, options);
      expect([response.status, receipt?.success, await strict.balance()]).toEqual([200, true, PRICE]);
    } finally {
      await strict.close();
    }
  });

  test("signs nothing with a token that is not allowed", async () => {
    const before = [await stall.balance(), stall.runs];
    const refused = payAndFetch(stall.url, {}, { ...options, assets: [] }).then(() => "paid", String);
    expect(await refused).toContain("none of the payment methods asked for");
    expect([await stall.balance(), stall.runs]).toEqual(before);
  });
});
