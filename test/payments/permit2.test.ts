/** A gateway that sells by Permit2, and a client that is not its own. Kills are in `crash.test.ts`. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { x402Client } from "@x402/core/client";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";
import { placePermit2 } from "../../src/payments/evm/permit2/testing/permit2-shop.ts";
import { decodeHeader } from "../../src/payments/x402/header.ts";
import { receiptSchema } from "../../src/payments/x402/messages.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../src/payments/testing/chain.ts";
import { PAYER, PRIVATE_KEY } from "../../src/payments/testing/payment.ts";
import { PERMIT2 } from "../../src/payments/x402/transfer.ts";
import { type Market, openMarket, PRICE, Stall } from "./market.ts";
import { patient } from "../../src/lib/testing/patience.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(90_000));

let market: Market;
const stalls: Stall[] = [];

beforeAll(async () => {
  if (!hasChain) return;
  market = await openMarket();
  await placePermit2(market.chain);
  await market.token.approve(PAYER, PERMIT2, 1_000_000_000n);
}, CHAIN_SETUP_MS);

afterAll(async () => {
  await Promise.all(stalls.map((stall) => stall.close()));
  await market?.chain.close();
});

async function openStall(x402: object): Promise<Stall> {
  const stall = new Stall(market, x402);
  stalls.push(stall);
  await stall.open();
  return stall;
}

test.skipIf(!hasChain)("the stock client pays exactly the price by Permit2", async () => {
  const stall = await openStall({ asset_transfer_method: "permit2" });
  const [offer] = (await stall.challenge()).accepts;
  expect(offer).toMatchObject({ scheme: "exact", extra: { assetTransferMethod: "permit2" } });
  const client = x402Client.fromConfig({
    schemes: [{ network: "eip155:*", client: new ExactEvmScheme(privateKeyToAccount(PRIVATE_KEY)) }],
    // It does not know the test's own token.
    spendControls: false,
  });
  const response = await wrapFetchWithPayment(fetch, client)(stall.url);
  expect([response.status, await response.text()]).toEqual([200, "the goods"]);
  const receipt = receiptSchema.parse(decodeHeader(response.headers.get("payment-response") ?? ""));
  expect(receipt).toMatchObject({ success: true, transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
  expect(await stall.balance()).toBe(PRICE);
});
