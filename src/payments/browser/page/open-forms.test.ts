/** The forms of a documentation page that send a request and pay for it, in a real browser. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { encodeHeader } from "../../x402/header.ts";
import { REQUIREMENTS } from "../../testing/payment.ts";
import { patient } from "../../../lib/testing/patience.ts";
import { until } from "../../../lib/testing/until.ts";
import { type Visit, wallet, WalletBrowser } from "../../../../test/payments/wallet-browser.ts";
import { Seller } from "./testing/seller.ts";

setDefaultTimeout(patient(20_000));

const seller = new Seller();
let browser: WalletBrowser;

beforeAll(async () => {
  browser = await WalletBrowser.start();
});

afterAll(async () => {
  await browser.close();
  await seller.close();
});

const FORMS = `
<form class="try" data-path="/post?a=1" hidden><textarea>{"b": 2}</textarea><button>Post</button><div class="pay"></div></form>
<form class="try" data-method="GET" data-path="/get" hidden><button>Get</button><div class="pay"></div></form>
<form class="try" hidden><button>Without an output</button></form>
<form class="try" hidden><div class="pay"></div></form>
<form hidden><button>Another form</button><div class="pay"></div></form>`;

async function opened(script: "pay" | "pay-test" = "pay"): Promise<Visit> {
  seller.body = FORMS;
  seller.script = script;
  seller.requests.length = 0;
  return await browser.visit([wallet()], { url: seller.url });
}

/** A challenge of the seller, or something else in its place. */
function challenge(required: unknown = { ...seller.required, accepts: [REQUIREMENTS] }, status = 402): Response {
  return Response.json({ detail: "Pay." }, { status, headers: { "payment-required": encodeHeader(required) } });
}

const told = (text: string, className: string): string => `<p class="told ${className}" role="status">${text}</p>`;

const submit = (visit: Visit, name: string): Promise<unknown> =>
  visit.page.evaluate(`[...document.querySelectorAll("button")].find((one) => one.textContent === "${name}").click()`);

/** The output of a form that is not empty. */
async function output(visit: Visit, text: string): Promise<string> {
  await visit.reads(text);
  return await visit.page.$eval(".pay:not(:empty)", (shown) => shown.innerHTML);
}

test("the forms that are complete are shown, and send their requests with and without a body", async () => {
  const visit = await opened();
  expect(await visit.page.$$eval("form:not([hidden]) button", (all) => all.map((one) => one.textContent))).toEqual([
    "Post",
    "Get",
  ]);
  for (const [name, method, path, body, type] of [
    ["Post", "POST", "/post?a=1", '{"b": 2}', "application/json"],
    ["Get", "GET", "/get", "", null],
  ] as const) {
    const reply = Promise.withResolvers<Response>();
    seller.respond = () => reply.promise;
    await submit(visit, name);
    expect(await output(visit, "Working…")).toContain('<p class="told " role="status">Working…</p>');
    const isDisabled = `[...document.querySelectorAll("button")].find((one) => one.textContent === "${name}").disabled`;
    expect(await visit.page.evaluate(isDisabled)).toBe(true);
    await until(() => seller.requests.at(-1)?.method === method);
    reply.resolve(Response.json({ a: 1 }));
    await visit.reads('"a": 1');
    await visit.page.waitForFunction(`!${isDisabled}`);
    const request = seller.requests.at(-1);
    expect(request?.url).toBe(seller.url + path);
    expect(request?.body).toBe(body);
    expect([request?.headers.get("content-type"), request?.headers.get("cache-control")]).toEqual([type, "no-cache"]);
    await visit.page.evaluate(`document.querySelector(".pay:not(:empty)").replaceChildren()`);
  }
  await visit.close();
});

test("a free response is shown, the page explains a refused one, and nothing is paid", async () => {
  const visit = await opened();
  for (const [response, html] of [
    [new Response("Goods"), `${told("The response cost nothing.", "good")}<div class="result">`],
    [Response.json({ detail: "No <b>." }, { status: 400 }), told("400: No &lt;b&gt;.", "bad")],
    [Response.json({ detail: 7 }, { status: 400 }), told('400: {"detail":7}', "bad")],
    [new Response("words", { status: 500 }), told("500: words", "bad")],
    [new Response("none", { status: 402 }), told("402: none", "bad")],
    [challenge({ accepts: 7 }), told("402: Pay.", "bad")],
    [challenge(undefined, 401), told("401: Pay.", "bad")],
    [Response.redirect("/other"), told("0: ", "bad")],
  ] as const) {
    seller.respond = () => response;
    await submit(visit, "Get");
    await visit.page.waitForFunction(`document.querySelectorAll("button:disabled").length === 0`);
    expect(await visit.page.$eval(".pay:not(:empty)", (shown) => shown.innerHTML)).toStartWith(html);
  }
  await visit.page.setOfflineMode(true);
  await submit(visit, "Get");
  expect(await output(visit, "No response came.")).toBe(told("No response came. Nothing was paid.", "bad"));
  await visit.close();
});

test("a wallet pays for the request of a form", async () => {
  const visit = await opened();
  seller.respond = (request) => (request.headers.has("payment-signature") ? new Response("the goods") : challenge());
  await submit(visit, "Post");
  await visit.reads("Pay 10000 units of");
  expect(seller.requests).toHaveLength(1);
  await visit.page.click(".choices button");
  await visit.reads("the goods");
  expect(seller.requests).toHaveLength(2);
  expect(seller.requests[1]?.body).toBe('{"b": 2}');
  expect(await visit.page.evaluate("sessionStorage.length")).toBe(0);
  await visit.close();
});

test("in test mode the wallet of the page pays at once", async () => {
  const visit = await opened("pay-test");
  const success = encodeHeader({ success: true, transaction: `0x${"1".repeat(64)}` });
  seller.respond = (request) =>
    request.headers.has("payment-signature")
      ? new Response("the goods", { headers: { "payment-response": success } })
      : challenge();
  await submit(visit, "Get");
  await visit.reads("the goods");
  expect(await output(visit, "of test money.")).not.toContain("transaction");
  expect(seller.requests.map(({ headers }) => headers.has("payment-signature"))).toEqual([false, true]);
  await visit.close();
});
