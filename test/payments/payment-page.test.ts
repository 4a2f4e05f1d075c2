/** The page of a 402 in a real browser: wallets pay on a real chain, and hostile ones gain nothing. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { CHAIN_SETUP_MS, hasChain } from "../../src/payments/testing/chain.ts";
import { createSimulatedFacilitator } from "../../src/payments/facilitator/simulated-facilitator.ts";
import { serveFacilitator } from "../../src/payments/facilitator/serve-facilitator.ts";
import { openStore } from "../../src/store/open/open-store.ts";
import { PAYER, REQUIREMENTS, signedPayment } from "../../src/payments/testing/payment.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { errors } from "../support/browser.ts";
import { freshKey, type Market, never, openMarket, PRICE, Stall } from "./market.ts";
import {
  failure,
  picture,
  type TestWallet,
  type Visit,
  type VisitOptions,
  wallet,
  WalletBrowser,
} from "./wallet-browser.ts";

setDefaultTimeout(patient(60_000));

const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const ICON = `data:image/png;base64,${PICTURE.toString("base64")}`;

let market: Market;
let stall: Stall;
let browser: WalletBrowser;

beforeAll(async () => {
  if (!hasChain) return;
  market = await openMarket();
  stall = new Stall(market);
  await stall.open();
  browser = await WalletBrowser.start(market.chain);
}, CHAIN_SETUP_MS);

afterAll(async () => {
  await browser?.close();
  await stall?.close();
  await market?.chain.close();
});

function visit(wallets: readonly TestWallet[], options: Partial<VisitOptions> = {}): Promise<Visit> {
  return browser.visit(wallets, { url: stall.url, ...options });
}

const pay = (name = "Honest") => `Pay ${PRICE} units of ${market.token.address} with ${name}`;

test.skipIf(!hasChain)(
  "a wallet pays on the chain by a keyboard, and the page shows the goods and the transaction",
  async () => {
    const before = await stall.balance();
    stall.sell = () => Response.json({ answer: 42 });
    const honest = wallet({ chain: "0x1" });
    honest.hand = ({ method }) => {
      if (method === "wallet_switchEthereumChain") honest.chain = "0x14a34";
    };
    const opened = await visit([honest]);
    const { page } = opened;
    expect(await errors(page)).toEqual([]);
    await opened.reads(pay());
    while ((await page.evaluate("document.activeElement.textContent")) !== pay()) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await opened.reads('"answer": 42');
    await opened.reads("The transaction");
    expect(await page.$eval(`[role="status"] a`, (link) => link.getAttribute("href"))).toMatch(
      /^https:\/\/sepolia\.basescan\.org\/tx\/0x[0-9a-f]{64}$/,
    );
    expect(await page.evaluate("document.activeElement.className")).toBe("result");
    expect(await page.$$("#pay button")).toHaveLength(0);
    expect(honest.calls).toEqual([
      "eth_requestAccounts",
      "eth_chainId",
      "wallet_switchEthereumChain",
      "eth_chainId",
      "eth_signTypedData_v4",
    ]);
    expect((await stall.balance()) - before).toBe(PRICE);
    expect(await errors(page)).toEqual([]);
    await picture(page, "paid-1280");
    await opened.close();
  },
);

test.skipIf(!hasChain)(
  "on a phone several wallets have buttons with their names, and a hostile name and icon are only text",
  async () => {
    const evil = `<img src=x onerror=alert(1)>\u202e\u0000 ${"x".repeat(100)}`;
    const opened = await visit([wallet({ icon: ICON }), wallet({ name: evil, icon: "https://evil.example/a.png" })], {
      width: 390,
    });
    const { page } = opened;
    const shown = await page.$$eval("#pay button bdi", (names) => names.map((name) => name.textContent));
    expect(shown).toEqual(["Honest", `<img src=x onerror=alert(1)> ${"x".repeat(11)}`]);
    expect(await page.$$eval("#pay img", (icons) => icons.map((icon) => icon.getAttribute("src")))).toEqual([ICON]);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    expect(await errors(page)).toEqual([]);
    await picture(page, "wallets-390");
    await opened.close();
  },
);

test.skipIf(!hasChain)(
  "the page explains in words the refusals of wallets and of the chain, and the next try pays",
  async () => {
    stall.sell = () => new Response("the goods", { headers: { "content-type": "text/plain" } });
    const before = await stall.balance();
    const poor = wallet({ name: "Poor", key: freshKey() });
    const moody = wallet({ chain: "0x1" });
    const opened = await visit([moody, poor]);
    const answers: readonly (readonly [number, string])[] = [
      [4001, "You declined in the wallet. Nothing was paid."],
      [-32_002, "The wallet already waits for you."],
      [4900, "The wallet is not connected"],
      [7, "The wallet failed (code 7)."],
    ];
    for (const [code, words] of answers) {
      moody.hand = () => failure(code);
      await opened.press(pay());
      await opened.reads(words);
    }
    await opened.press(pay("Poor"));
    await opened.reads("Your account does not have enough of the token. Nothing was paid.");
    let added: unknown;
    moody.hand = ({ method, params }) => {
      if (method === "wallet_switchEthereumChain") return failure(4902);
      if (method === "wallet_addEthereumChain") {
        added = params?.[0];
        moody.chain = "0x14a34";
      }
      return undefined;
    };
    await opened.press(pay());
    await opened.reads("the goods");
    expect(added).toMatchObject({
      chainId: "0x14a34",
      chainName: "Base Sepolia",
      rpcUrls: ["https://sepolia.base.org"],
    });
    expect((await stall.balance()) - before).toBe(PRICE);
    expect(await opened.page.evaluate("document.body.innerHTML")).not.toContain("evil");
    await opened.close();
  },
);

test.skipIf(!hasChain)(
  "hostile wallets move nothing: a foreign account, no signature, another network, no response at all",
  async () => {
    stall.sell = () => new Response("the goods", { headers: { "content-type": "text/plain" } });
    const before = await stall.balance();
    const { runs } = stall;
    const thief = wallet({ name: "Thief", key: freshKey() });
    thief.hand = ({ method }) => (method === "eth_requestAccounts" ? [PAYER] : undefined);
    const liar = wallet({
      name: "Liar",
      hand: ({ method }) => (method === "eth_signTypedData_v4" ? "<b>0x</b>" : undefined),
    });
    const nobody = wallet({ name: "Nobody", hand: () => [{}] });
    const stubborn = wallet({ name: "Stubborn", chain: "0x1" });
    const mute = wallet({ name: "Mute", hand: () => never() });
    const opened = await visit([wallet(), thief, liar, nobody, stubborn, mute]);
    await opened.press(pay("Thief"));
    await opened.reads("Nothing was paid.");
    await opened.press(pay("Liar"));
    await opened.reads("The wallet did not return a signature. Nothing was sent.");
    await opened.press(pay("Nobody"));
    await opened.reads("The wallet named no account.");
    await opened.press(pay("Stubborn"));
    await opened.reads("The wallet stayed on another network than Base Sepolia");
    await opened.press(pay("Mute"));
    await opened.press("Stop waiting");
    await opened.reads("Stopped. Nothing was paid.");
    expect([await stall.balance(), stall.runs]).toEqual([before, runs]);
    await opened.press(pay());
    await opened.reads("the goods");
    expect((await stall.balance()) - before).toBe(PRICE);
    await opened.close();
  },
);

test.skipIf(!hasChain)("a payment without a response is kept, over a reload too, and pays once", async () => {
  const before = await stall.balance();
  stall.sell = () => Response.json({ title: "Broken", detail: "The oven is cold." }, { status: 500 });
  const honest = wallet();
  const opened = await visit([honest]);
  const { page } = opened;
  await opened.press(pay());
  await opened.reads("The oven is cold. Your payment is kept here: send the same one again. It pays once.");
  await page.reload({ waitUntil: "load" });
  await opened.reads("A payment that you signed has had no response yet.");
  await page.setOfflineMode(true);
  await opened.press("Send the same payment again");
  await opened.reads("No response came.");
  await page.setOfflineMode(false);
  stall.sell = () =>
    new Response("# The goods\n\n- **one** [link](https://a.example/)\n- [bad](javascript:alert(1))", {
      headers: { "content-type": "text/markdown" },
    });
  await opened.press("Send the same payment again");
  await page.waitForSelector("#pay article h3");
  expect(await page.$$eval("#pay article a", (links) => links.map((link) => link.getAttribute("href")))).toEqual([
    "https://a.example/",
  ]);
  expect(honest.calls.filter((method) => method === "eth_signTypedData_v4")).toHaveLength(1);
  expect((await stall.balance()) - before).toBe(PRICE);
  await page.reload({ waitUntil: "load" });
  await opened.reads(pay());
  await opened.close();
});

test.skipIf(!hasChain)(
  "a payment stays at the page's own server, although its path begins like another host",
  async () => {
    const opened = await visit([wallet()]);
    const { page } = opened;
    await page.evaluateOnNewDocument("history.replaceState(null, '', location.origin + '//other.example/goods')");
    await page.goto(stall.url, { waitUntil: "load" });
    await opened.press(pay());
    await opened.reads("The seller responded with 404.");
    await opened.close();
  },
);

test.skipIf(!hasChain)("a picture, a page and a file are shown without running anything of them", async () => {
  const opened = await visit([wallet()]);
  const { page } = opened;
  const goods: readonly (readonly [type: string, body: string | Buffer, selector: string])[] = [
    ["image/png", PICTURE, ".result img"],
    ["text/html", "<h1>A page</h1><script>parent.document.title = 'evil'</script>", ".result iframe"],
    ["application/pdf", "%PDF-1.7", `.result a[download="goods.pdf"]`],
  ];
  for (const [type, body, selector] of goods) {
    stall.sell = () => new Response(body, { headers: { "content-type": type } });
    await page.goto(stall.url, { waitUntil: "load" });
    await opened.press(pay());
    await page.waitForSelector(selector);
    expect(await errors(page)).toEqual([]);
    expect(await page.title()).toStartWith("Payment required");
  }
  // The frame's policy reports its own script.
  expect(opened.complaints.filter((text) => !text.includes("script"))).toEqual([]);
  await page.browserContext().close();
});

test.skipIf(!hasChain)("a 402 of the upstream asks for no further payment", async () => {
  const before = await stall.balance();
  const forged = btoa(JSON.stringify({ x402Version: 2, error: "<b>Pay me</b>", accepts: [] }));
  stall.sell = () =>
    new Response("<script>alert(1)</script>", {
      status: 402,
      headers: { "content-type": "text/html", "payment-required": forged },
    });
  const honest = wallet();
  const opened = await visit([honest]);
  await opened.press(pay());
  await opened.reads("The seller's server refused the payment. Nothing was paid.");
  expect(await opened.page.evaluate("document.body.innerHTML")).not.toContain("Pay me");
  expect(honest.calls.filter((method) => method === "eth_signTypedData_v4")).toHaveLength(1);
  expect(await stall.balance()).toBe(before);
  await opened.close();
});

test.skipIf(!hasChain)(
  "the page of a facilitator service asks for its token, and shows signers and settlements",
  async () => {
    const store = openStore(":memory:", Date.now);
    const simulated = createSimulatedFacilitator(store.simulatedTransfers, Date.now);
    const gas = [{ network: "eip155:84532", account: PAYER, balance: "0.5", wei: 5n, isLow: true }] as const;
    const place = { hostname: "127.0.0.1", port: 0 };
    const options = { token: "s3cret", gas: () => gas, log: () => undefined };
    const server = await serveFacilitator(simulated, place, options);
    const body = { paymentPayload: signedPayment(Date.now() / 1000), paymentRequirements: REQUIREMENTS };
    const headers = { authorization: "Bearer s3cret", "content-type": "application/json" };
    await fetch(`${server.url}/settle`, { method: "POST", headers, body: JSON.stringify({ x402Version: 2, ...body }) });
    for (const width of [1280, 390]) {
      const opened = await visit([], { url: server.url, width });
      await opened.reads("Enter the token of the operator.");
      await opened.page.type("#token", "s3cret");
      await opened.page.keyboard.press("Enter");
      await opened.reads("settle: settled");
      await opened.reads(PAYER);
      expect(await errors(opened.page)).toEqual([]);
      expect(await opened.page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
      await picture(opened.page, `facilitator-${width}`);
      await opened.close();
    }
    await server.close(0);
    await store.close();
  },
);
