/** The console of a gateway that sells: the search of payments, a payment's page, and the payers. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { PAYER, signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { errors } from "../support/browser.ts";
import { ConsoleRig, type Operator } from "../support/console.ts";
import { serverAt } from "../support/gateway.ts";

setDefaultTimeout(patient(120_000));

/** More than two pages. */
const PAID = 120;

let origin: Bun.Server<undefined>;
let rig: ConsoleRig;
let operator: Operator;
let newest: string;

beforeAll(async () => {
  origin = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("hello") });
  rig = await ConsoleRig.start({
    upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
    x402: { enabled: true, test_mode: true },
    routes: [
      { path_prefix: "/paid", upstream: "origin", x402: TERMS },
      { path_prefix: "/other", upstream: "origin", x402: TERMS },
      { path_prefix: "/metered", upstream: "origin", x402: { ...TERMS, scheme: "upto", price: "$0.25" } },
    ],
    access_log: { enabled: false },
  });
  for (let i = 0; i < PAID; i += 1) {
    const payment = signedPayment(Date.now() / 1000);
    newest = payment.payload.authorization.nonce;
    const response = await fetch(`http://127.0.0.1:${rig.gateway.port}/${i === 0 ? "other" : "paid"}`, {
      headers: { "payment-signature": encodeHeader(payment) },
    });
    expect(response.status).toBe(200);
  }
  operator = await rig.operator();
  await operator.logIn();
});

afterAll(async () => {
  expect(operator.complaints).toEqual([]);
  expect(operator.strays).toEqual([]);
  await rig.stop();
  await origin.stop(true);
});

async function rows(): Promise<number> {
  return Number(await operator.page.evaluate(`document.querySelectorAll("main tbody tr").length`));
}

async function shows(count: number): Promise<void> {
  await operator.page.waitForFunction(`document.querySelectorAll("main tbody tr").length === ${count}`);
}

test("the overview and the payments say that test mode moves no money", async () => {
  for (const [view, title] of [
    ["overview", "Overview"],
    ["payments", "Payments"],
  ] as const) {
    await operator.goTo(view, title);
    await operator.page.waitForFunction(
      `document.querySelector("main .notice.warn")?.textContent === "Test mode: payments are checked, and no money moves."`,
    );
  }
});

test("a price that is a limit is shown as one", async () => {
  await operator.goTo("routes", "Routes");
  await operator.row("/metered", "up to $0.25");
  await operator.row("/other", "$0.01");
  expect(await operator.page.evaluate(`document.body.innerText.match(/up to/g).length`)).toBe(1);
});

test("the usage of a payer leads to their payments", async () => {
  await operator.goTo("usage", "Usage");
  await operator.see(`main tbody a[href$="payments/all?text=${PAYER.toLowerCase()}"]`);
});

test("payments are read page by page, back and forth", async () => {
  await operator.goTo("payments/all", "Payments");
  await shows(50);
  await operator.press("Older");
  await operator.press("Older");
  await shows(PAID - 100);
  expect(await operator.page.evaluate(`document.querySelector("main nav.table-more :last-child").disabled`)).toBe(true);
  await operator.press("Newer");
  await shows(50);
});

test("a search is part of the address, and an impossible one says what can be searched", async () => {
  await operator.goTo("payments", "Payments");
  await operator.goTo("payments/all", "Payments");
  await (await operator.see("[type=search]")).type("/other\n");
  await shows(1);
  expect(await operator.page.evaluate("location.hash")).toBe("#/payments/all?text=%2Fother");
  await operator.page.reload();
  await shows(1);
  await operator.page.select("main select", "failed");
  await operator.reads("No payment matches");
  expect(await rows()).toBe(0);
  await operator.page.click("[type=search]", { count: 3 });
  await operator.page.keyboard.type("<img src=x onerror=document.title='owned'>\n");
  await operator.reads("the text is neither an address");
  expect(await operator.page.title()).not.toBe("owned");
});

test("the payments of some days are listed, and those with refunds", async () => {
  const today = new Date().toISOString().slice(0, 10);
  await operator.goTo(`payments/all?from=${today}`, "Payments");
  await shows(50);
  await operator.goTo("payments/all?from=2100-01-01&to=2100-01-02", "Payments");
  await operator.reads("No payment matches");
  await operator.goTo("payments/all?state=refunded", "Payments");
  await operator.reads("No payment matches");
});

test("a payment's page shows its life, and leads to the payer's other payments", async () => {
  await operator.goTo(`payments/one?id=${newest}`, "Payment");
  await operator.reads("Response delivered");
  await operator.reads("(test mode)");
  expect(await errors(operator.page)).toEqual([]);
  await operator.press(PAYER.toLowerCase());
  await operator.at("Payments");
  await shows(50);
  await operator.goTo("payments/one?id=0xnothing", "Payment");
  await operator.reads("Cannot find a payment with this nonce");
});

test("the funnel shows how far buyers come, and why one was lost", async () => {
  const late = signedPayment(Date.now() / 1000 - 1000);
  const response = await fetch(`http://127.0.0.1:${rig.gateway.port}/paid`, {
    headers: { "payment-signature": encodeHeader(late), "user-agent": "<img src=x onerror=document.title='owned'>" },
  });
  expect(response.status).toBe(402);
  await operator.goTo("funnel", "Funnel");
  await operator.reads("The payment has expired");
  await operator.row("/paid", "other");
  expect(await errors(operator.page)).toEqual([]);
  await operator.page.select("main select", "browser");
  await operator.reads("No requests on priced routes in this time");
});

test("the payers are ranked over a range", async () => {
  await operator.goTo("payments/payers", "Payments");
  await operator.row("0xf39f…2266", "1.20");
  await operator.press("24 hours");
  await operator.row("0xf39f…2266", "1.20");
});
