/** A person pays by Permit2 in a real browser: with and without an approval, a fixed price and at most a price. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { placePermit2 } from "../../src/payments/evm/permit2/testing/permit2-shop.ts";
import { paymentPage } from "../../src/gateway/policy/payment/challenge/payment-page.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../src/payments/testing/chain.ts";
import { REQUIREMENTS } from "../../src/payments/testing/payment.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { SIMULATED_FACILITATOR } from "../../src/payments/x402/terms.ts";
import { PERMIT2 } from "../../src/payments/x402/transfer.ts";
import { errors } from "../support/browser.ts";
import { addressOf, freshKey, type Market, never, openMarket, PRICE, Stall } from "./market.ts";
import {
  type Call,
  failure,
  odd,
  picture,
  type TestWallet,
  untilOffered,
  wallet,
  WalletBrowser,
} from "./wallet-browser.ts";

setDefaultTimeout(patient(60_000));

let market: Market;
let stall: Stall;
let browser: WalletBrowser;

beforeAll(async () => {
  if (!hasChain) return;
  market = await openMarket();
  await placePermit2(market.chain);
  const { chain, token } = market;
  const same = { price: String(PRICE), asset: token.address, network: chain.network };
  const domain = { extra_name: token.name, extra_version: token.version };
  const seller = new Stall(market);
  const terms = { ...same, ...domain, pay_to: seller.payee };
  await seller.close();
  stall = new Stall(market, {
    accepts: [
      { ...terms, asset_transfer_method: "permit2" },
      { ...terms, scheme: "upto" },
    ],
  });
  stall.sameSellerAs(seller);
  await stall.open();
  await untilOffered(stall.url, 3);
  browser = await WalletBrowser.start(chain);
}, CHAIN_SETUP_MS);

afterAll(async () => {
  await browser?.close();
  await stall?.close();
  await market?.chain.close();
});

const SUM = () => `${PRICE} units of ${market.token.address}`;
const BY_PERMIT2 = () => `${SUM()} on Base Sepolia (eip155:84532), by Permit2`;
const UPTO = () => `up to ${SUM()} on Base Sepolia (eip155:84532)`;

/** A wallet with a new key that has the price, and no coins for gas. */
async function buyer(change: Partial<TestWallet> = {}): Promise<TestWallet> {
  const key = freshKey();
  await market.token.mint(addressOf(key), PRICE);
  return wallet({ key, ...change });
}

function isCall({ method, params }: Call, selector: string): boolean {
  return method === "eth_call" && JSON.stringify(params).includes(`"0x${selector}`);
}

/** A token that knows no permits. */
function withoutPermits(call: Call): unknown {
  return isCall(call, "7ecebe00") ? failure(-32_000) : undefined;
}

test.skipIf(!hasChain)(
  "a person chooses Permit2, signs an approval and the payment, and the seller pays the gas",
  async () => {
    stall.sell = () => new Response("the goods", { headers: { "content-type": "text/plain" } });
    const before = await stall.balance();
    const honest = await buyer();
    const opened = await browser.visit([honest], { url: stall.url, width: 390 });
    const { page } = opened;
    await opened.reads(`Pay ${SUM()} with Honest`);
    const offers = await page.$$eval("#pay label", (labels) => labels.map((label) => label.textContent));
    expect(offers).toEqual([`${SUM()} on Base Sepolia (eip155:84532)`, BY_PERMIT2(), UPTO()]);
    await opened.press(BY_PERMIT2());
    await opened.press(`Pay ${SUM()} with Honest`);
    await opened.reads("the goods");
    await opened.reads(`Paid ${SUM()}.`);
    expect(honest.calls).toEqual([
      "eth_requestAccounts",
      "eth_chainId",
      "eth_call",
      "eth_call",
      "eth_signTypedData_v4",
      "eth_signTypedData_v4",
    ]);
    expect((await stall.balance()) - before).toBe(PRICE);
    expect(await errors(page)).toEqual([]);
    await opened.close();
  },
);

test.skipIf(!hasChain)("the page says the most that can be charged, and then what was charged", async () => {
  stall.sell = () => new Response("the goods", { headers: { "settlement-overrides": '{"amount":"4000"}' } });
  const before = await stall.balance();
  const honest = await buyer();
  await market.token.approve(addressOf(honest.key), PERMIT2, PRICE);
  const opened = await browser.visit([honest], { url: stall.url });
  await opened.press(UPTO());
  await opened.press(`Pay up to ${SUM()} with Honest`);
  await opened.reads(`Paid 4000 units of ${market.token.address} of at most ${SUM()}.`);
  expect(honest.calls.filter((method) => method === "eth_signTypedData_v4")).toHaveLength(1);
  expect((await stall.balance()) - before).toBe(4000n);
  await picture(opened.page, "upto-1280");
  await opened.close();
});

test.skipIf(!hasChain)(
  "without a permit the page asks for an approval in words, and pays nothing until the chain has it",
  async () => {
    stall.sell = () => new Response("the goods", { headers: { "content-type": "text/plain" } });
    const before = await stall.balance();
    const honest = await buyer({ hand: withoutPermits });
    const owner = addressOf(honest.key);
    await market.chain.fund(owner);
    const opened = await browser.visit([honest], { url: stall.url, width: 390 });
    const { page } = opened;
    const start = async (): Promise<void> => {
      await opened.press(`Pay ${SUM()} with Honest`);
      await opened.reads(`The approval is a transaction on Base Sepolia (eip155:84532), for exactly ${SUM()}.`);
    };
    await opened.press(BY_PERMIT2());
    await start();
    expect(await errors(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    await picture(page, "approval-390");
    expect(honest.calls).not.toContain("eth_sendTransaction");
    await opened.press("Stop waiting");
    await opened.reads("Stopped. Nothing was paid.");

    const refusals: readonly (readonly [result: unknown, words: string])[] = [
      [failure(4001), "You declined in the wallet. Nothing was paid."],
      ["<b>sent</b>", "The wallet sent no transaction."],
    ];
    for (const [result, words] of refusals) {
      honest.hand = (call) => (call.method === "eth_sendTransaction" ? result : withoutPermits(call));
      await start();
      await opened.press(`Approve ${SUM()}`);
      await opened.reads(words);
    }
    honest.hand = (call) => {
      if (call.method === "eth_sendTransaction") return `0x${"1".repeat(64)}`;
      return call.method === "eth_getTransactionReceipt" ? { status: "0x0" } : withoutPermits(call);
    };
    await start();
    await opened.press(`Approve ${SUM()}`);
    await opened.reads("The approval failed on the chain. Nothing was paid.");
    expect(honest.calls).not.toContain("eth_signTypedData_v4");

    // The chain takes its time.
    await market.chain.setMining(false);
    honest.hand = withoutPermits;
    await start();
    await opened.press(`Approve ${SUM()}`);
    await opened.reads("The approval was sent. Waiting for the chain.");
    expect(honest.calls).not.toContain("eth_signTypedData_v4");
    await market.chain.setMining(true);
    await market.chain.mine();
    await opened.reads("the goods");
    expect((await stall.balance()) - before).toBe(PRICE);
    await opened.close();
  },
);

test.skipIf(!hasChain)(
  "wallets that throw anything, lie about the chain or sign something else move nothing",
  async () => {
    stall.sell = () => new Response("the goods", { headers: { "content-type": "text/plain" } });
    const before = await stall.balance();
    const { runs } = stall;
    const honest = await buyer();
    const opened = await browser.visit([honest], { url: stall.url });
    const pay = `Pay ${SUM()} with Honest`;
    await opened.press(BY_PERMIT2());
    for (const thrown of ["null", "text", "trap"] as const) {
      honest.hand = ({ method }) => (method === "eth_signTypedData_v4" ? odd(thrown) : undefined);
      await opened.press(pay);
      await opened.reads("The wallet failed. Nothing was paid.");
    }
    // It says that Permit2 may move everything, so that the page asks for no approval.
    honest.hand = (call) => (isCall(call, "dd62ed3e") ? `0x${"f".repeat(64)}` : undefined);
    await opened.press(pay);
    await opened.reads("Your account has not approved Permit2 for this amount. Nothing was paid.");
    // It signs for another account.
    const other = wallet({ key: freshKey() });
    honest.hand = (call) => (call.method === "eth_requestAccounts" ? [addressOf(other.key)] : undefined);
    await opened.press(pay);
    await opened.reads("The signature does not belong to the account that the wallet named. Nothing was paid.");
    honest.hand = ({ method }) => (method === "eth_signTypedData_v4" ? `0x${"12".repeat(65)}` : undefined);
    await opened.press(pay);
    await opened.reads("The signature does not belong to the account that the wallet named. Nothing was paid.");
    honest.hand = ({ method }) => (method === "eth_call" ? never() : undefined);
    await opened.press(pay);
    await opened.press("Stop waiting");
    await opened.reads("Stopped. Nothing was paid.");
    expect([await stall.balance(), stall.runs]).toEqual([before, runs]);
    expect(await opened.page.evaluate("document.body.innerHTML")).not.toContain("evil");
    await opened.close();
  },
);

test.skipIf(!hasChain)(
  "terms of a hostile seller are shown as text, in any width, and huge amounts do not break the page",
  async () => {
    const evil = "<img src=x onerror=alert(1)>\u202egnp.exe";
    const huge = (2n ** 256n - 1n).toString();
    const extra = { name: evil, version: evil };
    const accepts = [
      { ...REQUIREMENTS, amount: huge, extra },
      {
        ...REQUIREMENTS,
        scheme: "upto",
        asset: PERMIT2,
        amount: huge,
        extra: { ...extra, facilitatorAddress: SIMULATED_FACILITATOR },
      },
      { ...REQUIREMENTS, network: evil, extra },
      { ...REQUIREMENTS, scheme: evil, payTo: evil, asset: evil, extra },
    ];
    const resource = { url: `https://shop.example/${evil}`, description: evil };
    const served = paymentPage(
      { required: { x402Version: 2, resource, accepts }, price: evil, testMode: false },
      { method: "GET" },
    );
    const fields = served.fields
      .trim()
      .split("\r\n")
      .map((line) => line.split(/: (.*)/).slice(0, 2) as [string, string]);
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () =>
        new Response(served.html, { status: 402, headers: [...fields, ["content-type", "text/html; charset=utf-8"]] }),
    });
    const honest = await buyer();
    for (const width of [1280, 390]) {
      const opened = await browser.visit([honest], { url: server.url.href, width });
      const { page } = opened;
      await opened.reads("with Honest");
      expect(await page.$$("#pay label")).toHaveLength(2);
      expect(await page.$$("img")).toHaveLength(0);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
      expect(await errors(page)).toEqual([]);
      await picture(page, `hostile-${width}`);
      await opened.close();
    }
    await server.stop(true);
  },
);
