/** A gateway that sells by Permit2, and a client that is not its own. Kills are in `crash.test.ts`. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { x402Client } from "@x402/core/client";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";
import { payAndFetch } from "../../src/payments/client/client.ts";
import { createFunds } from "../../src/payments/client/funds.ts";
import { freshAccount, keyOf } from "../../src/payments/evm/testing/shop.ts";
import { placePermit2 } from "../../src/payments/evm/permit2/testing/permit2-shop.ts";
import { decodeHeader, encodeHeader } from "../../src/payments/x402/header.ts";
import { receiptSchema } from "../../src/payments/x402/messages.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../src/payments/testing/chain.ts";
import { until } from "../../src/lib/testing/until.ts";
import { GAS_PERMIT } from "../../src/payments/signatures/gas-permit.ts";
import { signedPermit2 } from "../../src/payments/testing/permit2-payment.ts";
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

test.skipIf(!hasChain)("the stock client of a payer without gas pays with a signed approval", async () => {
  // Without the token's domain, the client signs no permit.
  const terms = { asset_transfer_method: "permit2", extra_name: "", extra_version: "" };
  const stall = await openStall(terms);
  stall.more = { embedded: { enabled: true, approval_key_env: "TEST_APPROVAL_KEY" } };
  await market.chain.fund(stall.lender);
  await stall.crash();
  await stall.open();
  // The extension is offered as soon as the facilitator has said that it supports it.
  await until(async () => "erc20ApprovalGasSponsoring" in ((await stall.challenge()).extensions ?? {}));
  const payer = freshAccount();
  await market.token.mint(payer.address, 2n * PRICE);
  const scheme = new ExactEvmScheme(privateKeyToAccount(keyOf(payer)), { rpcUrl: market.chain.rpcUrl });
  const client = x402Client.fromConfig({
    schemes: [{ network: "eip155:*", client: scheme }],
    // It does not know the test's own token.
    spendControls: false,
  });
  const response = await wrapFetchWithPayment(fetch, client)(stall.url);
  expect([response.status, await response.text()]).toEqual([200, "the goods"]);
  expect([await stall.balance(), await market.token.balanceOf(payer.address)]).toEqual([PRICE, PRICE]);
});

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

test.skipIf(!hasChain)(
  "a payer without an approval pays by Permit2, and the gateway's facilitator pays the gas",
  async () => {
    const stall = await openStall({ asset_transfer_method: "permit2" });
    // The extension is offered as soon as the facilitator has said that it supports it.
    await until(async () => GAS_PERMIT in ((await stall.challenge()).extensions ?? {}));
    const { chain, token } = market;
    const buyer = freshAccount();
    await token.mint(buyer.address, 2n * PRICE);
    const rpcUrl = chain.rpcUrl;
    const stock = x402Client.fromConfig({
      schemes: [{ network: "eip155:*", client: new ExactEvmScheme(privateKeyToAccount(keyOf(buyer)), { rpcUrl }) }],
      spendControls: false,
    });
    expect((await wrapFetchWithPayment(fetch, stock)(stall.url)).status).toBe(200);
    const asset = { network: "eip155:84532", symbol: "T", decimals: 6, ...token } as const;
    const funds = createFunds({ TURNPIKE_RPC_84532: rpcUrl }, () => buyer.address);
    const options = { account: () => buyer, maxPrice: "$1", assets: [asset], funds };
    expect((await payAndFetch(stall.url, {}, options)).response.status).toBe(200);
    expect([await stall.balance(), await token.balanceOf(buyer.address)]).toEqual([2n * PRICE, 0n]);
    expect(BigInt(String(await chain.rpc("eth_getBalance", [buyer.address, "latest"])))).toBe(0n);
  },
);

test.skipIf(!hasChain)(
  "a later charge moves what was delivered, and waits while the payer's money is away",
  async () => {
    const stall = await openStall({ scheme: "upto", max_timeout_seconds: 3600 });
    const job = { due: "4000", ended: false, words: 0, paid: "0", closed: false };
    stall.sell = async (request) => {
      if (new URL(request.url).pathname !== "/charges/1") {
        return new Response("begun", { status: 202, headers: { "settlement-deferral": '{"path":"/charges/1"}' } });
      }
      const { paid, closed = false } = (await request.json()) as { paid: string; closed?: boolean };
      Object.assign(job, { paid, closed, words: job.words + 1 });
      return Response.json({ due: job.due, ended: job.ended });
    };
    const [requirements] = (await stall.challenge()).accepts;
    if (requirements === undefined) throw new Error("the stall asks for no payment");
    const payment = signedPermit2(requirements, await market.chain.time());
    const response = await fetch(stall.url, { headers: { "payment-signature": encodeHeader(payment) } });
    expect([response.status, response.headers.get("payment-response")]).toEqual([202, null]);
    await until(() => job.words > 0);
    // The payer takes its allowance back while the upstream works.
    await market.token.approve(PAYER, PERMIT2, 0n);
    job.ended = true;
    const { words } = job;
    await until(() => job.words > words);
    const metrics = async (): Promise<string> => (await fetch(new URL("/metrics", stall.url))).text();
    await until(async () => /deferred_trouble_total\{trouble="refused"\} [1-9]/.test(await metrics()));
    expect([job.paid, job.closed, await stall.balance()]).toEqual(["0", false, 0n]);
    await market.token.approve(PAYER, PERMIT2, 1_000_000_000n);
    await until(() => job.closed, 60_000);
    expect([job.paid, await stall.balance()]).toEqual(["4000", 4000n]);
  },
);
