/** The gateway sells on a real chain, with its own key, to the stock x402 client. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { x402Client } from "@x402/core/client";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { UptoEvmScheme } from "@x402/evm/upto/client";
import { wrapFetchWithPayment } from "@x402/fetch";
import { createPublicClient, http, parseAbiItem } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { placePermit2 } from "../../src/payments/evm/permit2/testing/permit2-shop.ts";
import { decodeHeader, encodeHeader } from "../../src/payments/x402/header.ts";
import { type Receipt, receiptSchema } from "../../src/payments/x402/messages.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../src/payments/testing/chain.ts";
import { PAYER, PRIVATE_KEY } from "../../src/payments/testing/payment.ts";
import { PERMIT2 } from "../../src/payments/x402/transfer.ts";
import { type Market, openMarket, PRICE, Stall } from "./market.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

const TRANSFER = parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 value)");

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

async function openStall(x402: object = {}): Promise<Stall> {
  const stall = new Stall(market, x402);
  stalls.push(stall);
  await stall.open();
  await stall.challenge();
  return stall;
}

function payingFetch(): ReturnType<typeof wrapFetchWithPayment> {
  const account = privateKeyToAccount(PRIVATE_KEY);
  const client = x402Client.fromConfig({
    schemes: [
      { network: "eip155:*", client: new ExactEvmScheme(account) },
      { network: "eip155:*", client: new UptoEvmScheme(account) },
    ],
    // It does not know the test's own token.
    spendControls: false,
  });
  return wrapFetchWithPayment(fetch, client);
}

function receiptOf(response: Response): Receipt {
  return receiptSchema.parse(decodeHeader(response.headers.get("payment-response") ?? ""));
}

/** The transfer of a transaction, read from the chain. */
async function moved(transaction: string): Promise<unknown> {
  const client = createPublicClient({ transport: http(market.chain.rpcUrl) });
  const { blockNumber } = await client.getTransactionReceipt({ hash: `0x${transaction.slice(2)}` });
  const logs = await client.getLogs({ event: TRANSFER, fromBlock: blockNumber, toBlock: blockNumber });
  return logs.filter(({ transactionHash }) => transactionHash === transaction).map(({ args }) => args);
}

test.skipIf(!hasChain)(
  "the stock client pays, balances change, and the transaction of the receipt is on the chain",
  async () => {
    const stall = await openStall();
    const before = await market.token.balanceOf(PAYER);
    const response = await payingFetch()(stall.url, { method: "POST", body: "an order" });
    expect([response.status, await response.text()]).toEqual([200, "the goods"]);
    const receipt = receiptOf(response);
    expect(receipt).toMatchObject({ success: true, network: market.chain.network });
    expect(receipt.payer?.toLowerCase()).toBe(PAYER.toLowerCase());
    expect(await moved(receipt.transaction)).toMatchObject([{ to: stall.payee, value: PRICE }]);
    expect(await stall.balance()).toBe(PRICE);
    expect(await market.token.balanceOf(PAYER)).toBe(before - PRICE);
  },
);

test.skipIf(!hasChain)("twenty simultaneous payments all settle, each by its own transaction", async () => {
  const stall = await openStall();
  const pay = payingFetch();
  const responses = await Promise.all(Array.from({ length: 20 }, () => pay(stall.url)));
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
  expect(new Set(responses.map((response) => receiptOf(response).transaction)).size).toBe(20);
  expect([await stall.balance(), stall.runs]).toEqual([20n * PRICE, 20]);
});

test.skipIf(!hasChain)("five requests at once with one payment run the upstream once and settle once", async () => {
  const stall = await openStall();
  const gate = Promise.withResolvers<void>();
  stall.sell = async () => {
    await gate.promise;
    return new Response("the goods");
  };
  const headers = { "payment-signature": encodeHeader(await stall.sign()) };
  let conflicts = 0;
  const statuses = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const { status } = await fetch(stall.url, { headers });
      if (status === 409 && ++conflicts === 4) gate.resolve();
      return status;
    }),
  );
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409]);
  expect([await stall.balance(), stall.runs]).toEqual([PRICE, 1]);
});

test.skipIf(!hasChain)("a failed upstream request is free, and the same payment can be used again", async () => {
  const stall = await openStall();
  const headers = { "payment-signature": encodeHeader(await stall.sign()) };
  stall.sell = () => new Response("sorry", { status: 500 });
  const failed = await fetch(stall.url, { headers });
  expect([failed.status, await failed.text(), await stall.balance()]).toEqual([500, "sorry", 0n]);
  stall.sell = () => new Response("the goods");
  const response = await fetch(stall.url, { headers });
  expect([response.status, await response.text(), await stall.balance()]).toEqual([200, "the goods", PRICE]);
});

test.skipIf(!hasChain)("events stream to a client that has paid in advance", async () => {
  const stall = await openStall({ settle: "before" });
  const last = Promise.withResolvers<void>();
  stall.sell = () =>
    new Response(
      async function* () {
        yield "data: 1\n\n";
        await last.promise;
        yield "data: 2\n\n";
      },
      { headers: { "content-type": "text/event-stream" } },
    );
  const headers = { "payment-signature": encodeHeader(await stall.sign()) };
  const response = await fetch(stall.url, { headers });
  expect(receiptOf(response).success).toBe(true);
  const reader = response.body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? "").toString()).toBe("data: 1\n\n");
  expect(await stall.balance()).toBe(PRICE);
  last.resolve();
  expect(Buffer.from((await reader?.read())?.value ?? "").toString()).toBe("data: 2\n\n");
});

test.skipIf(!hasChain)("under upto the upstream's response names the amount to charge", async () => {
  const stall = await openStall({ scheme: "upto", price: "100000" });
  stall.sell = () => new Response("the goods", { headers: { "settlement-overrides": '{"amount":"12345"}' } });
  const response = await payingFetch()(stall.url);
  expect([response.status, await response.text()]).toEqual([200, "the goods"]);
  expect(receiptOf(response)).toMatchObject({ success: true, amount: "12345" });
  expect(await stall.balance()).toBe(12_345n);
  expect(response.headers.has("settlement-overrides")).toBe(false);
});
