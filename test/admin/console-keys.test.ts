/** API keys, credit tokens, refunds, prices and settings in the console. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { until } from "../../src/lib/testing/until.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { PAYEE, PAYER, signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { errors } from "../support/browser.ts";
import { ConsoleRig, type Operator, READ_KEY } from "../support/console.ts";
import { serverAt } from "../support/gateway.ts";

setDefaultTimeout(patient(120_000));

const HOSTILE = "<img src=x onerror=document.title='owned'>";

let origin: Bun.Server<undefined>;
let rig: ConsoleRig;
let operator: Operator;

beforeAll(async () => {
  origin = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("hello") });
  rig = await ConsoleRig.start({
    upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
    x402: {
      enabled: true,
      test_mode: true,
      credit: { network: "base-sepolia", asset: "USDC", pay_to: PAYEE },
    },
    routes: [
      { path_prefix: "/paid", upstream: "origin", x402: TERMS },
      {
        path_prefix: "/keys",
        upstream: "origin",
        auth: {
          type: "chain",
          methods: [
            { type: "jwt", secret: "a-secret-that-is-long-enough-for-hs256" },
            {
              type: "api_key",
              keys: [
                { key: "k-1", name: HOSTILE },
                { key: "k-2", name: "partner" },
              ],
            },
          ],
        },
      },
    ],
    access_log: { enabled: false },
  });
  operator = await rig.operator({ width: 390 });
  await operator.logIn();
});

afterAll(async () => {
  expect(operator.complaints).toEqual([]);
  await rig.stop();
  await origin.stop(true);
});

async function status(path: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${rig.gateway.port}${path}`, { headers });
  await response.text();
  return response.status;
}

async function shownSecret(): Promise<string> {
  await operator.see("input[readonly]");
  return String(await operator.page.evaluate(`document.querySelector("input[readonly]").value`));
}

test("an API key is issued, shown once, works, and is revoked", async () => {
  await operator.goTo("keys", "Keys and credit");
  await operator.type("Owner", "new partner");
  await operator.press("Issue key");
  const key = await shownSecret();
  expect(key).toMatch(/^tk_[\w-]{43}$/);
  expect(await errors(operator.page)).toEqual([]);
  expect(await status("/keys", { "x-api-key": key })).toBe(200);
  expect(await status("/keys", { "x-api-key": "k-1" })).toBe(200);
  await operator.press("Done");
  await operator.row("new partner", "3");
  for (const path of ["/v1/keys", "/v1/config", "/v1/events?format=json", "/v1/routes"])
    expect(await (await rig.ask(path)).text()).not.toContain(key);
  expect(await operator.page.content()).not.toContain(key);
  expect(await operator.page.title()).not.toBe("owned");
  await operator.press("Revoke key 2 of partner");
  await operator.press("Revoke key");
  await operator.reads("2 keys");
  expect(await status("/keys", { "x-api-key": "k-2" })).toBe(401);
  expect(await status("/keys", { "x-api-key": "k-1" })).toBe(200);
  expect(await status("/keys", { "x-api-key": key })).toBe(200);
});

test("a key that moved meanwhile is not revoked by its number, and readers can change nothing", async () => {
  expect((await rig.ask("/v1/routes/%2Fkeys/keys/1?owner=partner", { method: "DELETE" })).status).toBe(404);
  expect((await rig.ask("/v1/routes/%2Fkeys/keys/0?owner=x", { method: "DELETE" })).status).toBe(400);
  expect((await rig.ask("/v1/routes/%2Fpaid/keys", { method: "POST", body: { name: "x" } })).status).toBe(404);
  expect((await rig.ask("/v1/routes/%2Fkeys/keys", { method: "POST", body: { name: " a " } })).status).toBe(400);
  const reader = await rig.operator();
  await reader.logIn(READ_KEY);
  await reader.goTo("keys", "Keys and credit");
  await reader.row(HOSTILE, "/keys");
  expect(await reader.text()).not.toContain("Issue");
  expect(await reader.page.$("main form")).toBeNull();
  await reader.leave();
});

test("a credit token is issued, shown once, pays, and is revoked", async () => {
  await operator.goTo("keys/credits", "Keys and credit");
  await operator.reads("No balances yet");
  await until(async () => (await operator.page.evaluate(`document.querySelectorAll("main input")[1].value`)) !== "");
  await operator.type("Wallet", PAYER);
  await operator.press("Issue token");
  const token = await shownSecret();
  expect(await errors(operator.page)).toEqual([]);
  expect(await status("/paid", { authorization: `Bearer ${token}` })).toBe(200);
  await operator.press("Done");
  expect(await operator.page.content()).not.toContain(token);
  await (await operator.see("tbody th a")).click();
  await operator.at("Credit");
  await operator.row("/paid", "0.01 USDC");
  expect(await errors(operator.page)).toEqual([]);
  await operator.press("All credit");
  await (await operator.see(".cell-actions button")).click();
  await operator.press("Revoke token");
  await operator.reads("revoked");
  expect(await status("/paid", { authorization: `Bearer ${token}` })).not.toBe(200);
  // The message would cover fields of the next page.
  await operator.press("Dismiss");
});

test("a refund asks for confirmation, and is part of the payment's life", async () => {
  const payment = signedPayment(Date.now() / 1000);
  expect(await status("/paid", { "payment-signature": encodeHeader(payment) })).toBe(200);
  const { nonce } = payment.payload.authorization;
  await until(async () => (await (await rig.ask(`/v1/payments/${nonce}`)).text()).includes('"delivered":true'));
  await operator.goTo(`payments/one?id=${nonce}`, "Payment");
  await (await operator.see("summary")).click();
  await operator.type("Amount", "4000");
  await operator.type("Made elsewhere", "bank-4711");
  await operator.press("Refund…");
  await operator.reads("Record a refund of 4000?");
  expect(await errors(operator.page)).toEqual([]);
  await operator.press("Record refund");
  await operator.reads("Refund of 0.004 recorded");
  await operator.press("Dismiss");
});

test("the rest of a balance is given back after a confirmation, also of one that is revoked", async () => {
  const issued = await rig.ask("/v1/credits", {
    method: "POST",
    body: { owner: PAYER, network: "base-sepolia", amount: "$5" },
  });
  const { credit } = (await issued.json()) as { credit: { id: string } };
  await rig.ask(`/v1/credits/${credit.id}`, { method: "DELETE" });
  await operator.goTo(`keys/credit?id=${credit.id}`, "Credit");
  await (await operator.see("summary")).click();
  await operator.press("Refund…");
  await operator.reads("Send 5.00 USDC back?");
  expect(await errors(operator.page)).toEqual([]);
  // Issued credit was not paid for.
  await operator.press("Refund");
  await operator.reads("issued credit is not sent back");
  await operator.press("Cancel");
  await operator.type("Amount", "$2");
  await operator.type("Made elsewhere", "bank-4712");
  await operator.press("Refund…");
  await operator.reads("Record a refund of $2?");
  await operator.press("Record refund");
  await operator.reads("The refund is recorded.");
  await operator.reads("3.00 USDC");
  await operator.press("Dismiss");
  const reader = await rig.operator();
  await reader.logIn(READ_KEY);
  await reader.goTo(`keys/credit?id=${credit.id}`, "Credit");
  await reader.reads("3.00 USDC");
  expect(await reader.page.$("main summary")).toBeNull();
  await reader.leave();
});

test("a path is sold by six fields", async () => {
  expect(await status("/sold")).toBe(404);
  await operator.goTo("routes", "Routes");
  await operator.press("Sell a path");
  await operator.at("Sell a path");
  await operator.see("main form");
  await operator.type("Path", "/paid");
  await operator.press("Sell this path");
  await operator.reads("it exists already");
  expect(await errors(operator.page)).toEqual([]);
  await operator.type("Path", "/sold");
  await operator.type("Price", "$0.25");
  await operator.press("Sell this path");
  await operator.row("/sold", "$0.25");
  await operator.press("Dismiss");
  const challenge = await fetch(`http://127.0.0.1:${rig.gateway.port}/sold/x`);
  expect([challenge.status, await challenge.json()]).toMatchObject([
    402,
    { accepts: [{ maxAmountRequired: "250000" }] },
  ]);
});

interface Box {
  readonly top: number;
  readonly bottom: number;
}

/** The places of the message and of the buttons of a form after the page was scrolled. */
async function boxes(top: string): Promise<[message: Box, buttons: Box]> {
  const found = await operator.page.evaluate(
    `scrollTo(0, ${top}); [".told p", ".editor-actions"].map((one) => document.querySelector(one).getBoundingClientRect().toJSON())`,
  );
  // The expression gives two rectangles.
  return found as [Box, Box];
}

test("global settings are changed beside routes and secrets, which stay", async () => {
  await operator.goTo("config", "Configuration");
  await operator.press("Edit settings");
  await operator.at("Edit settings");
  await operator.fill("limits.max_header_count", "5");
  await operator.reads("The configuration is valid.");
  await operator.press("Save changes");
  await operator.at("Configuration");
  await operator.see(".told p");
  const config = (await (await rig.ask("/v1/config")).json()) as { limits: object; routes: unknown[] };
  expect([config.limits, config.routes.length]).toEqual([{ max_header_count: 5 }, 3]);
  expect(await status("/keys", { "x-api-key": "k-1" })).not.toBe(401);
  await operator.goTo("config/settings", "Edit settings");
  await operator.see("main form");
  // The message is above the bar with the buttons, and at the end of the page below everything.
  const [above, bar] = await boxes("0");
  expect(above.bottom).toBeLessThanOrEqual(bar.top);
  const [below, end] = await boxes("document.body.scrollHeight");
  expect(below.top).toBeGreaterThanOrEqual(end.bottom);
  await operator.fill("limits.max_header_count", "0");
  await operator.press("Save changes");
  await operator.reads("One key needs a change:");
});
