/** A gateway that sells by Permit2: with exact, and with upto. A kill does not change the first charge of upto. */
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
import { signedPermit2 } from "../../src/payments/testing/permit2-payment.ts";
import { PERMIT2 } from "../../src/payments/x402/transfer.ts";
import { insist, type Market, never, openMarket, PRICE, send, Stall } from "./market.ts";
import { patient } from "../../src/lib/testing/patience.ts";

// A lease lasts, and processes start.
setDefaultTimeout(patient(90_000));
const SEND = "eth_sendRawTransaction";

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

function charging(amount: string): Stall["sell"] {
  return () => new Response("the goods", { headers: { "settlement-overrides": JSON.stringify({ amount }) } });
}

test.concurrent.skipIf(!hasChain)("the stock client pays exactly the price by Permit2", async () => {
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

for (const [name, isSent] of [
  ["before the transaction is sent", false],
  ["after the transaction was sent, before it knows of that", true],
] as const) {
  test.concurrent.skipIf(!hasChain)(`upto, killed ${name}: the first charge is settled, once`, async () => {
    const stall = await openStall({ scheme: "upto", price: "100000" });
    const [offer] = (await stall.challenge()).accepts;
    if (offer === undefined) throw new Error("Cannot pay: nothing is accepted");
    const payment = signedPermit2(offer, await market.chain.time());
    stall.sell = charging("12345");
    const { promise, resolve } = Promise.withResolvers<void>();
    stall.rpcHand = async ({ methods, forward }) => {
      if (!methods.includes(SEND)) return forward();
      if (isSent) await forward();
      resolve();
      return never();
    };
    const sent = send(stall, payment).catch(() => undefined);
    await promise;
    await stall.crash();
    expect(await sent).toBeUndefined();

    stall.sell = charging("99999");
    await stall.open();
    const response = await insist(stall, payment);
    expect([response.status, await response.text()]).toEqual([200, "the goods"]);
    const receipt = receiptSchema.parse(decodeHeader(response.headers.get("payment-response") ?? ""));
    expect(receipt).toMatchObject({ success: true, amount: "12345" });
    expect(await stall.balance()).toBe(12_345n);
  });
}
