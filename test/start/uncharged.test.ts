/**
 * Bodies that only the content service can refuse cost nothing, whatever they are paid with: the shipped program and routes,
 * with payments by `exact`, `upto` and prepaid credit.
 */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { z } from "@hono/zod-openapi";
import shipped from "../../config/turnpike.json";
import { withBrowser } from "../../src/content/testing/state-folder.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { signedPermit2 } from "../../src/payments/testing/permit2-payment.ts";
import { decodeHeader, encodeHeader } from "../../src/payments/x402/header.ts";
import { paymentRequiredSchema, type PaymentRequirements } from "../../src/payments/x402/messages.ts";
import { Folder, Program } from "../support/program.ts";

setDefaultTimeout(patient(90_000));

const URL_OF = { url: "https://example.com/" };
const KINDS = ["exact", "upto", "credit"] as const;

/** A request, and the field that its error names. */
const REFUSED: readonly (readonly [path: string, field: string, body: object])[] = [
  ["/scrape", "include_selectors.0", { ...URL_OF, include_selectors: ["a["] }],
  ["/read", "cookies.0.domain", { ...URL_OF, cookies: [{ name: "a", value: "b", domain: "example.net" }] }],
  ["/read", "proxy", { ...URL_OF, proxy: "unknown" }],
  ["/extract", "selectors.a", { ...URL_OF, selectors: { a: "div >" } }],
  ["/extract", "schema", { ...URL_OF, schema: { type: "object" } }],
  ["/pdf", "margin_top", { ...URL_OF, margin_top: 11 }],
  ["/qr", "size", { data: "x".repeat(1000), size: 32 }],
  ["/search", "page", { query: "tides", page: 50, count: 50 }],
  ["/map", "include_paths.0", { ...URL_OF, include_paths: ["(?=a)"] }],
  ["/crawl", "include_paths", { urls: [URL_OF.url], exclude_paths: ["(?=a)"] }],
  ["/parse", "file", { file: "*" }],
  ["/v2/map", "url", { url: "nowhere" }],
  ["/v2/extract", "schema", { urls: [URL_OF.url], prompt: "the title" }],
  ["/v1/scrape", "formats.0", { ...URL_OF, formats: ["docx"] }],
];

const folder = new Folder();
let program: Program;
let gateway: string;
let token: string;

/** The shipped routes, each of which can be paid for by both schemes. */
function routes(): object[] {
  return shipped.routes.map((route) => {
    if (!("x402" in route)) return route;
    const { accepts: _accepts, scheme: _scheme, ...terms } = { accepts: [], scheme: "", ...route.x402 };
    const { price, asset, network, pay_to } = terms;
    const exact = { scheme: "exact", price, asset, network, pay_to, max_timeout_seconds: 300 };
    // A client that has its payment already does not ask for the price, which the check comes before.
    return { ...route, x402: { ...terms, check_form: false, scheme: "upto", accepts: [exact] } };
  });
}

const requestOf = (body: object, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

/** A payment for the request by the scheme. */
async function paymentFor(path: string, body: object, scheme: "exact" | "upto"): Promise<Record<string, string>> {
  const response = await fetch(gateway + path, requestOf(body));
  expect([path, response.status]).toEqual([path, 402]);
  const { accepts } = paymentRequiredSchema.parse(decodeHeader(response.headers.get("payment-required") ?? ""));
  const found = accepts.find((one) => one.scheme === scheme);
  if (found === undefined) throw new Error(`Cannot pay for ${path}: it does not accept ${scheme}`);
  return { "payment-signature": encodeHeader(signed(found)) };
}

function signed(requirements: PaymentRequirements): object {
  const now = Date.now() / 1000;
  if (requirements.scheme === "upto") return signedPermit2(requirements, now);
  const { payTo, amount } = requirements;
  // The payee of a challenge is an address.
  const change = { to: payTo as `0x${string}`, value: amount };
  return { ...signedPayment(now, change), accepted: requirements };
}

/** Payments in the ledger, by state. */
function payments(): unknown {
  const database = new Database(folder.file("state/turnpike.db"), { readonly: true });
  const rows = database.query("SELECT state, count(*) AS payments FROM payments GROUP BY state ORDER BY state").all();
  database.close();
  return rows;
}

async function balance(): Promise<string> {
  const response = await fetch(`${gateway}/.turnpike/credit`, { headers: { authorization: `Bearer ${token}` } });
  return z.object({ credit: z.object({ balance: z.string() }) }).parse(await response.json()).credit.balance;
}

beforeAll(async () => {
  const { price: _price, scheme: _scheme, ...account } = TERMS;
  const config = {
    ...shipped,
    server: { address: "127.0.0.1", port: 0 },
    x402: { enabled: true, test_mode: true, credit: { ...account, min: "$0.01", max: "$100" } },
    routes: routes(),
  };
  const args = ["start", "--config", folder.write("config.json", config), "--port", "0"];
  program = new Program([...args, "--state-dir", withBrowser(folder.file("state"))]);
  const [, port] = await program.sees(/^gateway +http:\/\/127\.0\.0\.1:(\d+)$[^]*^try /m);
  gateway = `http://127.0.0.1:${port}`;
  const path = "/.turnpike/credit";
  const order = { amount: "$90" };
  const bought = await fetch(gateway + path, requestOf(order, await paymentFor(path, order, "exact")));
  token = z.object({ token: z.string() }).parse(await bought.json()).token;
});

afterAll(async () => {
  await program.stop();
  folder.remove();
});

test.each(KINDS)("a body that the service refuses is an error with the field, and free: %s", async (kind) => {
  const before = await balance();
  for (const [path, field, body] of REFUSED) {
    const payment = kind === "credit" ? { authorization: `Bearer ${token}` } : await paymentFor(path, body, kind);
    const response = await fetch(gateway + path, requestOf(body, payment));
    const text = await response.text();
    expect([path, response.status, text]).toEqual([path, 400, expect.stringContaining(`"path":"${field}"`)]);
    expect([path, response.headers.get("payment-response")]).toEqual([path, null]);
  }
  expect(await balance()).toBe(before);
});

test("the ledger has released the payments of refused bodies, and keeps no charge of the credit", () => {
  expect(payments()).toEqual([
    { state: "released", payments: 2 * REFUSED.length },
    { state: "settled", payments: 1 },
  ]);
});
