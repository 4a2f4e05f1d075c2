/** A person pays for a page in a real browser; the responses to the payment are the test's. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { encodeHeader, decodeHeader } from "../../x402/header.ts";
import { PAYEE, PAYER, REQUIREMENTS } from "../../testing/payment.ts";
import { SOLANA_DEVNET } from "../../testing/solana-chain.ts";
import { patient } from "../../../lib/testing/patience.ts";
import { until } from "../../../lib/testing/until.ts";
import {
  failure,
  type TestWallet,
  type Visit,
  wallet,
  WalletBrowser,
} from "../../../../test/payments/wallet-browser.ts";
import { Seller } from "./testing/seller.ts";

setDefaultTimeout(patient(20_000));

const seller = new Seller();
let browser: WalletBrowser;

beforeAll(async () => {
  browser = await WalletBrowser.start();
});

beforeEach(() => {
  seller.accepts = [REQUIREMENTS];
  seller.extensions = undefined;
  seller.requests.length = 0;
  seller.respond = () => new Response("the goods");
});

afterAll(async () => {
  await browser.close();
  await seller.close();
});

const PAY = "Pay 0.01 USDC with Honest";
const STOPPED = "Stopped. Nothing was paid. Close the wallet's window too.";
const AGAIN = "Send the same payment again";
const TRANSACTION = `0x${"1".repeat(64)}`;
const UPTO = {
  ...REQUIREMENTS,
  scheme: "upto",
  maxTimeoutSeconds: 90_000,
  extra: { ...REQUIREMENTS.extra, facilitatorAddress: PAYEE },
};
const PERMIT2 = { ...REQUIREMENTS, extra: { ...REQUIREMENTS.extra, assetTransferMethod: "permit2" } };

/** A wallet whose account has approved Permit2. */
const approved = (): TestWallet =>
  wallet({ hand: ({ method }) => (method === "eth_call" ? `0x${"f".repeat(64)}` : undefined) });

async function visit(wallets: readonly TestWallet[], script = ""): Promise<Visit> {
  const prepare = async (page: Visit["page"]) => void (await page.evaluateOnNewDocument(script));
  return await browser.visit(wallets, { url: `${seller.url}/goods?a=1`, prepare });
}

/** The text and the class of the line with the state. */
const state = ({ page }: Visit): Promise<readonly string[]> =>
  page.$eval(`#pay [role="status"]`, (line) => [line.textContent ?? "", line.className]);

const shownButtons = ({ page }: Visit): Promise<readonly string[]> =>
  page.$$eval("#pay button", (all) => all.map((one) => one.textContent ?? ""));

/** Resolves when the page has handled the last reply of a wallet: the first trip follows its sending, the second its arrival. */
async function caughtUp({ page }: Visit): Promise<void> {
  for (let trips = 0; trips < 2; trips += 1) await page.evaluate("new Promise((resolve) => setTimeout(resolve))");
}

const focused = ({ page }: Visit): Promise<unknown> =>
  page.evaluate("document.activeElement.className || document.activeElement.textContent");

interface Sent {
  readonly payload: {
    readonly authorization?: { readonly validBefore: string };
    readonly permit2Authorization?: { readonly deadline: string };
  };
}

/** Lets another wallet announce itself. */
const announceLate = ({ page }: Visit): Promise<unknown> =>
  page.evaluate(`dispatchEvent(new CustomEvent("eip6963:announceProvider", {
    detail: { info: { name: "Late" }, provider: { request() {} } } }))`);

/** The payments of the requests so far, as the seller reads them. */
function payments(): readonly Sent[] {
  return seller.requests.map(({ headers }) => decodeHeader(headers.get("payment-signature") ?? "") as Sent);
}

function withReceipt(receipt: object): Response {
  return new Response("the goods", { headers: { "payment-response": encodeHeader(receipt) } });
}

test.each<[what: string, receipt: object, text: string, html: string]>([
  [
    "a transaction",
    { success: true, transaction: TRANSACTION },
    "Paid 0.01 USDC. The transaction",
    `Paid 0.01 USDC. <a href="https://sepolia.basescan.org/tx/${TRANSACTION}" rel="noreferrer">The transaction</a>`,
  ],
  ["no transaction", { success: true }, "Paid 0.01 USDC. ", "Paid 0.01 USDC. "],
  ["a short transaction", { success: true, transaction: "1".repeat(63) }, "Paid 0.01 USDC. ", "Paid 0.01 USDC. "],
  ["a long transaction", { success: true, transaction: "1".repeat(91) }, "Paid 0.01 USDC. ", "Paid 0.01 USDC. "],
  ["other words", { success: true, transaction: `${TRANSACTION}<` }, "Paid 0.01 USDC. ", "Paid 0.01 USDC. "],
  [
    "no success",
    { success: "true", transaction: TRANSACTION },
    "The response cost nothing.",
    "The response cost nothing.",
  ],
])(
  "the page explains a receipt with %s beside the goods, and nothing more can be paid",
  async (_what, receipt, text, html) => {
    seller.respond = () => withReceipt(receipt);
    const opened = await visit([wallet()]);
    await opened.press(PAY);
    await opened.reads("the goods");
    expect(await state(opened)).toEqual([text, "told good"]);
    expect(await opened.page.$eval(`#pay [role="status"]`, (line) => line.innerHTML)).toBe(html);
    expect(await shownButtons(opened)).toEqual([]);
    expect(await focused(opened)).toBe("result");
    const [sent] = seller.requests;
    expect([sent?.method, sent?.url]).toEqual(["GET", `${seller.url}/goods?a=1`]);
    expect(payments()).toMatchObject([{ accepted: REQUIREMENTS, resource: { url: `${seller.url}/goods` } }]);
    await opened.page.reload();
    await opened.reads(PAY);
    await opened.close();
  },
);

test("a transaction of a network without an explorer is shown as a name", async () => {
  seller.accepts = [{ ...REQUIREMENTS, network: "eip155:999" }];
  seller.respond = () => withReceipt({ success: true, transaction: TRANSACTION });
  const opened = await visit([wallet({ chain: "0x3e7" })]);
  await opened.press(`Pay 10000 units of ${REQUIREMENTS.asset} with Honest`);
  await opened.reads("the goods");
  expect(await opened.page.$eval(`#pay [role="status"]`, (line) => line.innerHTML)).toEndWith(
    `. <code>${TRANSACTION}</code>`,
  );
  await opened.close();
});

test.each<[what: string, receipt: object, text: string]>([
  ["what was charged", { success: true, amount: "4000" }, "Paid 0.004 USDC of at most 0.01 USDC. "],
  [
    "that a charge can follow",
    { success: false },
    "Nothing was charged yet. The seller can still charge up to 0.01 USDC.",
  ],
])("of a maximum price the page says %s", async (_what, receipt, text) => {
  seller.accepts = [UPTO];
  seller.respond = () => withReceipt(receipt);
  const opened = await visit([approved()]);
  await opened.press("Pay up to 0.01 USDC with Honest");
  await opened.reads("the goods");
  expect(await state(opened)).toEqual([text, "told good"]);
  const deadline = payments()[0]?.payload.permit2Authorization?.deadline;
  // Two hours at most, whatever the seller asks for.
  expect(Math.abs(Number(deadline) - Date.now() / 1000 - 7200)).toBeLessThan(60);
  await opened.close();
});

test("a person chooses among the offers that a wallet can pay", async () => {
  const other = { ...REQUIREMENTS, amount: "20000" };
  const onSolana = { ...REQUIREMENTS, network: SOLANA_DEVNET };
  seller.accepts = [{ ...REQUIREMENTS, scheme: "other" }, onSolana, REQUIREMENTS, other, PERMIT2];
  const opened = await visit([wallet(), wallet({ name: "Second" })]);
  const { page } = opened;
  await opened.reads(PAY);
  const rows = await page.$$eval("#pay label", (all) =>
    all.map((label) => [label.textContent, label.querySelector("input")?.checked, label.querySelector("input")?.type]),
  );
  expect(rows).toEqual([
    ["0.01 USDC on Base Sepolia (eip155:84532)", true, "radio"],
    ["0.02 USDC on Base Sepolia (eip155:84532)", false, "radio"],
    ["0.01 USDC on Base Sepolia (eip155:84532), by Permit2", false, "radio"],
  ]);
  expect(await page.$eval("#pay legend", (legend) => legend.textContent)).toBe("Pay with");
  await opened.press("0.02 USDC on Base Sepolia (eip155:84532)");
  expect(await shownButtons(opened)).toEqual(["Pay 0.02 USDC with Honest", "Pay 0.02 USDC with Second"]);
  // A wallet that comes later does not undo the choice.
  await announceLate(opened);
  await opened.press("Pay 0.02 USDC with Second");
  await opened.reads("the goods");
  expect(payments()).toMatchObject([{ accepted: other }]);
  expect(await page.$eval("#pay fieldset", (offers) => offers.hidden)).toBe(true);
  await opened.close();
});

test("a single offer needs no choice, and a page without wallets or payable offers says what to do", async () => {
  const opened = await visit([wallet()]);
  await opened.reads(PAY);
  expect(await opened.page.$eval("#pay fieldset", (offers) => offers.hidden)).toBe(true);
  await opened.close();
  const without = await visit([]);
  await without.reads(
    "This browser has no wallet that can pay. Install one as an extension, and load this page again.",
  );
  await without.close();
  seller.accepts = [{ ...REQUIREMENTS, scheme: "other" }];
  const empty = await visit([wallet()]);
  await empty.reads("No browser wallet can pay this price. Use a program.");
  expect(await empty.page.$$("#pay label")).toHaveLength(0);
  await empty.close();
});

test("a wallet on another network has no button, and takes over the choice that the person has not made", async () => {
  const token = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU";
  const asked = { ...REQUIREMENTS, network: SOLANA_DEVNET, asset: token, payTo: token, extra: { feePayer: token } };
  seller.blockhash = "/hash";
  seller.accepts = [asked, REQUIREMENTS];
  const opened = await visit([wallet()]);
  await opened.reads(PAY);
  await opened.page.evaluate(`dispatchEvent(new CustomEvent("wallet-standard:register-wallet", {
    detail: (api) => api.register({
      name: "Sol",
      chains: ["solana:devnet"],
      features: { "standard:connect": { connect() {} }, "solana:signTransaction": { signTransaction() {} } },
    }) }))`);
  await opened.reads("Pay 0.01 USDC with Sol");
  expect(await shownButtons(opened)).toEqual(["Pay 0.01 USDC with Sol"]);
  const [solana, base] = await opened.page.$$eval("#pay label", (all) => all.map((label) => label.textContent ?? ""));
  expect(solana).toContain("Solana Devnet");
  await opened.press(base ?? "");
  expect(await shownButtons(opened)).toEqual([PAY]);
  seller.blockhash = undefined;
  await opened.close();
});

test("a payment without its goods is kept over a reload, is the only one that can be sent, and is sent as it is", async () => {
  seller.accepts = [REQUIREMENTS, { ...REQUIREMENTS, amount: "20000" }];
  seller.respond = () =>
    Response.json({ detail: "The  oven\nis cold." }, { status: 503, headers: { "retry-after": "7" } });
  const opened = await visit([wallet()]);
  const { page } = opened;
  const isDisabled = (): Promise<boolean> => page.$eval("#pay fieldset", (offers) => offers.disabled);
  expect(await isDisabled()).toBe(false);
  await opened.press(PAY);
  await opened.reads("The oven is cold.");
  expect(await state(opened)).toEqual([
    "The seller failed (503). The oven is cold. Your payment is kept here: send the same one again in 7 s. It pays once.",
    "told bad",
  ]);
  expect([await shownButtons(opened), await focused(opened), await isDisabled()]).toEqual([[AGAIN], AGAIN, true]);
  await page.reload();
  await opened.reads("A payment that you signed has had no response yet.");
  expect([await shownButtons(opened), await isDisabled()]).toEqual([[AGAIN], true]);
  seller.respond = () => new Response(null, { status: 302, headers: { location: "/elsewhere" } });
  await opened.press(AGAIN);
  await opened.reads("The payment was sent, and the response leads to another page, which this page cannot show.");
  expect([await shownButtons(opened), (await state(opened))[1]]).toEqual([[], "told good"]);
  const [first, second] = seller.requests.map(({ headers }) => headers.get("payment-signature"));
  expect([seller.requests.length, second]).toEqual([2, first]);
  expect(seller.requests[1]?.headers.get("cache-control")).toBe("no-cache");
  await page.reload();
  await opened.reads(PAY);
  await opened.close();
});

test("a refused payment is forgotten, and the person can pay again", async () => {
  const refusal = encodeHeader({ x402Version: 2, error: "insufficient_funds", accepts: [] });
  seller.respond = () => new Response("no JSON", { status: 402, headers: { "payment-required": refusal } });
  const opened = await visit([wallet()]);
  await opened.press(PAY);
  await opened.reads("Your account does not have enough of the token. Nothing was paid.");
  expect([await shownButtons(opened), await focused(opened), (await state(opened))[1]]).toEqual([
    [PAY],
    PAY,
    "told bad",
  ]);
  expect(await opened.page.evaluate("sessionStorage.length")).toBe(0);
  await announceLate(opened);
  expect(await shownButtons(opened)).toEqual([PAY, "Pay 0.01 USDC with Late"]);
  await opened.close();
});

test("a payment is kept for its own page alone, and a browser without storage pays too", async () => {
  seller.respond = () => new Response(null, { status: 500 });
  const opened = await visit([wallet()]);
  await opened.press(PAY);
  await opened.reads("The seller failed (500).");
  await opened.page.goto(`${seller.url}/goods?a=2`);
  await opened.reads(PAY);
  await opened.close();
  const denied = `Object.defineProperty(window, "sessionStorage", { get() { throw new Error("denied") } })`;
  const without = await visit([wallet()], denied);
  await without.press(PAY);
  await without.reads("The seller failed (500).");
  seller.respond = () => new Response("the goods");
  await without.press(AGAIN);
  await without.reads("the goods");
  await without.close();
});

test("the end of a payment is reckoned by the gateway's clock", async () => {
  const ahead = 7200;
  seller.respond = () =>
    new Response(null, { status: 402, headers: { date: new Date(Date.now() + ahead * 1000).toUTCString() } });
  const opened = await visit([wallet()]);
  for (const offset of [0, ahead]) {
    const before = seller.requests.length;
    await opened.press(PAY);
    await until(() => seller.requests.length > before);
    await opened.reads("The seller's server refused the payment.");
    const validBefore = payments().at(-1)?.payload.authorization?.validBefore;
    const expected = Date.now() / 1000 + offset + REQUIREMENTS.maxTimeoutSeconds;
    expect(Math.abs(Number(validBefore) - expected)).toBeLessThan(60);
  }
  await opened.close();
});

test("a wallet that was given up signs for nothing, and another one pays", async () => {
  const slow = wallet({ name: "Slow" });
  const opened = await visit([slow, wallet()]);
  for (const late of [failure(4001), `0x${"1".repeat(130)}`]) {
    const signature = Promise.withResolvers<unknown>();
    slow.hand = ({ method }) => (method === "eth_signTypedData_v4" ? signature.promise : undefined);
    await opened.press("Pay 0.01 USDC with Slow");
    await opened.reads("Waiting for the wallet: check the amount, and sign.");
    expect(await shownButtons(opened)).toEqual(["Stop waiting"]);
    // Another wallet that is found meanwhile has no button yet.
    await announceLate(opened);
    expect(await shownButtons(opened)).toEqual(["Stop waiting"]);
    await opened.press("Stop waiting");
    signature.resolve(late);
    await caughtUp(opened);
    expect([await state(opened), seller.requests]).toEqual([[STOPPED, "told "], []]);
    expect((await shownButtons(opened))[1]).toBe(PAY);
  }
  await opened.press(PAY);
  await opened.reads("the goods");
  expect(seller.requests).toHaveLength(1);
  await opened.close();
});

test("a person who has stopped is not asked to sign", async () => {
  const accounts = Promise.withResolvers<unknown>();
  const slow = wallet();
  slow.hand = ({ method }) => (method === "eth_requestAccounts" ? accounts.promise : undefined);
  const opened = await visit([slow]);
  await opened.press(PAY);
  await opened.reads("allow this page to see your account");
  await opened.press("Stop waiting");
  accounts.resolve([PAYER]);
  await until(() => slow.calls.includes("eth_chainId"));
  await caughtUp(opened);
  expect(slow.calls).not.toContain("eth_signTypedData_v4");
  expect((await state(opened))[0]).toBe(STOPPED);
  await opened.close();
});

test("before an approval by Permit2 the person presses a button that has the focus", async () => {
  seller.accepts = [PERMIT2];
  let isApproved = false;
  const honest = wallet();
  honest.hand = ({ method }) => {
    if (method === "eth_call") return `0x${(isApproved ? "f" : "0").repeat(64)}`;
    if (method === "eth_sendTransaction") isApproved = true;
    return method === "eth_sendTransaction" ? TRANSACTION : undefined;
  };
  const opened = await visit([honest]);
  await opened.press(PAY);
  await opened.reads("The approval pays nothing: you sign the payment after it.");
  expect([await shownButtons(opened), await focused(opened)]).toEqual([
    ["Approve 0.01 USDC", "Stop waiting"],
    "Approve 0.01 USDC",
  ]);
  await opened.press("Approve 0.01 USDC");
  await opened.reads("the goods");
  expect(honest.calls.slice(-4)).toEqual(["eth_call", "eth_sendTransaction", "eth_call", "eth_signTypedData_v4"]);
  await opened.close();
});

test("a person who stops before the question for an approval is not asked", async () => {
  seller.accepts = [PERMIT2];
  const allowance = Promise.withResolvers<unknown>();
  const slow = wallet();
  slow.hand = ({ method }) => (method === "eth_call" ? allowance.promise : undefined);
  const opened = await visit([slow]);
  await opened.press(PAY);
  await until(() => slow.calls.includes("eth_call"));
  await opened.press("Stop waiting");
  allowance.resolve(`0x${"0".repeat(64)}`);
  await caughtUp(opened);
  expect([(await state(opened))[0], await shownButtons(opened)]).toEqual([STOPPED, [PAY]]);
  await opened.close();
});

test("a page that fails itself pays nothing and says so", async () => {
  const opened = await visit([wallet()], `crypto.getRandomValues = () => { throw new Error("broken") }`);
  await opened.press(PAY);
  await opened.reads("The wallet or this page failed. Nothing was paid.");
  expect([await shownButtons(opened), (await state(opened))[1], seller.requests]).toEqual([[PAY], "told bad", []]);
  await opened.close();
});
