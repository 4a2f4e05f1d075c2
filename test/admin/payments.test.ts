/** Search, top payers and single payments in the admin interface of a gateway that sells. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { PAYEE, PAYER, signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { Admin, READ_KEY } from "../support/admin.ts";
import { RawOrigin } from "../support/raw-origin.ts";

setDefaultTimeout(patient(60_000));

let origin: RawOrigin;
let admin: Admin;
const nonces: string[] = [];

beforeAll(async () => {
  origin = await RawOrigin.start();
  origin.response = (_request, connection) => connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
  admin = await Admin.start({
    config: {
      upstreams: [{ name: "app", servers: [{ address: "127.0.0.1", port: origin.port }] }],
      x402: { enabled: true, test_mode: true },
      routes: [
        { path_prefix: "/paid", upstream: "app", x402: TERMS },
        { path_prefix: "/other", upstream: "app", x402: TERMS },
      ],
      access_log: { enabled: false },
    },
  });
  for (const path of ["/paid", "/paid", "/other"]) {
    const payment = signedPayment(Date.now() / 1000);
    nonces.unshift(payment.payload.authorization.nonce);
    const response = await fetch(`http://127.0.0.1:${admin.port}${path}`, {
      headers: { "payment-signature": encodeHeader(payment) },
    });
    expect([response.status, await response.text()]).toEqual([200, "hello"]);
  }
});
afterAll(async () => {
  await admin.stop();
  await origin.stop();
});

// Tests access responses freely; the schemas of the description check their form.
// oxlint-disable-next-line typescript/no-explicit-any
async function found(query: string): Promise<any> {
  return (await admin.call("GET", `/v1/payments/search?${query}`, { key: READ_KEY })).body;
}

test("payments are found by payer, route, nonce, transaction and state", async () => {
  const all = await found("");
  expect(all.payments.map(({ id }: { id: string }) => id)).toEqual(nonces);
  const [{ transaction }] = all.payments;
  for (const [query, count] of [
    [`text=${PAYER}`, 3],
    [`text=${PAYER.toUpperCase().replace("X", "x")}`, 3],
    [`text=${PAYEE}`, 0],
    ["text=/paid", 2],
    ["text=/nowhere", 0],
    [`text=${nonces[1]}`, 1],
    [`text=${transaction.slice(0, 20)}`, 1],
    [`text=${transaction.slice(2, 20)}`, 1],
    ["state=settled", 3],
    ["state=failed", 0],
    [`text=${nonces[1]}&state=failed`, 0],
  ] as const) {
    expect([query, (await found(query)).payments.length]).toEqual([query, count]);
  }
});

test("a payment is shown with its whole life, without its signature", async () => {
  const { body, text } = await admin.call("GET", `/v1/payments/${nonces[2]}`, { key: READ_KEY });
  expect(body.payments).toMatchObject([
    {
      id: nonces[2],
      route: "/paid",
      state: "settled",
      payer: PAYER.toLowerCase(),
      pay_to: PAYEE.toLowerCase(),
      scheme: "exact",
      explorer: expect.stringMatching(/^https:\/\/sepolia\.basescan\.org\/tx\/0x[0-9a-f]{64}$/),
      attempts: 1,
      cuts: 0,
      repeats: 0,
    },
  ]);
  expect(text).not.toContain("signature");
  expect((await admin.call("GET", "/v1/payments/0x")).body.code).toBe("not_found");
});

test("the top payers have exact sums", async () => {
  const { body } = await admin.call("GET", "/v1/payments/payers?days=7", { key: READ_KEY });
  expect(body.payers).toMatchObject([{ payer: PAYER.toLowerCase(), amount: "30000", symbol: "USDC", payments: 3 }]);
  for (const days of [1, 30]) {
    expect((await admin.call("GET", `/v1/payments/payers?days=${days}`, { key: READ_KEY })).status).toBe(200);
  }
});

test("searches that nothing can match are refused with a reason", async () => {
  for (const path of [
    "search?text=0x12",
    "search?text=%3Cimg%20src=x%3E",
    "search?state=rich",
    "search?before=e30",
    "search?before=%00",
    "payers?days=0",
    "payers?days=31",
    "payers?days=1e1",
  ]) {
    const { status, body } = await admin.call("GET", `/v1/payments/${path}`);
    expect([path, status, body.code]).toEqual([path, 400, "bad_request"]);
  }
});
