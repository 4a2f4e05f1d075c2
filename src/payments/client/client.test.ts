import { afterEach, expect, test } from "bun:test";
import { hexToBytes } from "@noble/hashes/utils.js";
import { describeReceipt, type PayOptions, payAndFetch, PaymentDeclined } from "./client.ts";
import { checkSignature, checkTerms } from "../signatures/check-payment.ts";
import { decodeHeader, encodeHeader } from "../x402/header.ts";
import { type Eip3009Payment, type PaymentRequirements, eip3009PaymentSchema, type Receipt } from "../x402/messages.ts";
import { parseDollars } from "./choice.ts";
import { SIMULATED_FACILITATOR } from "../x402/terms.ts";
import { v1PaymentSchema } from "../x402/v1.ts";
import { PAYER, PRIVATE_KEY, REQUIREMENTS } from "../testing/payment.ts";

const RECEIPT: Receipt = {
  success: true,
  transaction: "0xabc",
  network: "eip155:84532",
  payer: PAYER,
  extra: { testMode: true },
};

interface ShopResponse {
  readonly body?: string;
  readonly status: number;
  readonly headers?: Record<string, string>;
}

const servers: Bun.Server<undefined>[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop(true);
});

/** A gateway that asks for `accepts`. It sends `answers` to paid requests, in their order. */
function gateway(accepts: readonly PaymentRequirements[], responses: readonly ShopResponse[]) {
  const payments: Eip3009Payment[] = [];
  const bodies: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      bodies.push(await request.text());
      const header = request.headers.get("payment-signature");
      if (header === null) {
        const required = { x402Version: 2, resource: { url: request.url }, accepts };
        return new Response("{}", { status: 402, headers: { "payment-required": encodeHeader(required) } });
      }
      payments.push(eip3009PaymentSchema.parse(decodeHeader(header)));
      const { status, headers, body = "the goods" } = responses[payments.length - 1] ?? { status: 500 };
      return new Response(body, { status, ...(headers === undefined ? {} : { headers }) });
    },
  });
  servers.push(server);
  return { url: server.url.href, payments, bodies };
}

const waits: number[] = [];
let opened = 0;
const OPTIONS: PayOptions = {
  account: () => {
    opened += 1;
    return { address: PAYER, privateKey: hexToBytes(PRIVATE_KEY.slice(2)) };
  },
  maxPrice: "$0.10",
  sleep: async (ms) => {
    waits.push(ms);
  },
};

afterEach(() => {
  waits.length = 0;
  opened = 0;
});

test("the client pays the requested price with a valid signature, and keeps method and body", async () => {
  const shop = gateway([REQUIREMENTS], [{ status: 200, headers: { "payment-response": encodeHeader(RECEIPT) } }]);
  const paid = await payAndFetch(shop.url, { method: "POST", body: "order" }, OPTIONS);
  expect([paid.response.status, await paid.response.text()]).toEqual([200, "the goods"]);
  expect(paid.receipt).toEqual(RECEIPT);
  expect(shop.bodies).toEqual(["order", "order"]);
  const [payment] = shop.payments;
  expect(payment && checkTerms(payment, REQUIREMENTS, Date.now() / 1000)).toBeUndefined();
  expect(payment && checkSignature(payment, REQUIREMENTS)).toMatchObject({ payer: PAYER });
  expect(payment).toMatchObject({ accepted: REQUIREMENTS, resource: { url: shop.url } });
  expect(paid.choice && describeReceipt(paid.choice, RECEIPT)).toBe(
    "$0.01 USDC on Base Sepolia (eip155:84532), transaction 0xabc (test mode: no money moved)",
  );
});

test("a receipt without the mode names it by its transaction", async () => {
  const shop = gateway([REQUIREMENTS], [{ status: 200, headers: { "payment-response": encodeHeader(RECEIPT) } }]);
  const { choice } = await payAndFetch(shop.url, {}, OPTIONS);
  const described = (transaction: string) =>
    choice && describeReceipt(choice, { success: true, transaction, network: REQUIREMENTS.network });
  expect(described("0x7e577e57ab")).toEndWith("transaction 0x7e577e57ab (test mode: no money moved)");
  expect(described("0x7e577e58ab")).toEndWith("transaction 0x7e577e58ab");
});

test("a free resource is not paid for, and needs no wallet", async () => {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("free") });
  servers.push(server);
  const paid = await payAndFetch(server.url.href, {}, OPTIONS);
  expect([await paid.response.text(), paid.choice, opened]).toEqual(["free", undefined, 0]);
});

function refusal(url: string): Promise<string> {
  return payAndFetch(url, {}, OPTIONS).then(() => "paid", String);
}

const DECLINED: readonly (readonly [name: string, change: Partial<PaymentRequirements>, message: string])[] = [
  ["a price above the limit", { amount: "100001" }, "Cannot pay $0.100001: the limit is $0.10"],
  [
    "an unknown token",
    { asset: PAYER },
    "this client supports none of the payment methods asked for (exact on Base Sepolia",
  ],
  ["another scheme", { scheme: "upto" }, "this client supports none of the payment methods asked for (upto on"],
  ["Permit2", { extra: { assetTransferMethod: "permit2" } }, "none of the payment methods"],
  ["an unknown payment flow", { extra: { paymentFlow: "escrow" } }, "none of the payment methods"],
  ["another chain's coin", { network: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp" }, "none of the payment methods"],
  ["no payee", { payTo: "nobody" }, "the payee is not an address"],
];

for (const [name, change, message] of DECLINED) {
  test(`the client declines ${name}, and signs nothing`, async () => {
    const shop = gateway([{ ...REQUIREMENTS, ...change }], []);
    expect(await refusal(shop.url)).toContain(message);
    expect([shop.payments.length, opened]).toEqual([0, 0]);
  });
}

test("a price from the target of a redirect is not paid, and nothing is signed", async () => {
  const shop = gateway([REQUIREMENTS], [{ status: 200 }]);
  const door = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.redirect(shop.url, 307) });
  servers.push(door);
  const [from, to] = [door.url.origin, new URL(shop.url).origin];
  expect(await refusal(door.url.href)).toBe(
    `Error: Cannot pay: the price is not from ${from}, which redirected the request to ${to}. Call that address instead`,
  );
  expect([shop.payments.length, opened]).toEqual([0, 0]);
});

function forbid(): never {
  throw new PaymentDeclined("Cannot pay: enough");
}

test("the spending limit is checked before anything is signed, and can forbid the payment", async () => {
  const shop = gateway([REQUIREMENTS], [{ status: 200 }]);
  const asked: bigint[] = [];
  await payAndFetch(shop.url, {}, { ...OPTIONS, spend: (dollars) => void asked.push(dollars) });
  expect(asked).toEqual([10n ** 34n]);
  const refused = payAndFetch(shop.url, {}, { ...OPTIONS, spend: forbid });
  expect(await refused.then(() => "paid", String)).toContain("Cannot pay: enough");
  expect(shop.payments.length).toBe(1);
});

for (const [name, receipt] of [
  ["of another network", { ...RECEIPT, network: "eip155:8453" }],
  ["of another payer", { ...RECEIPT, payer: REQUIREMENTS.payTo }],
  ["above the signed amount", { ...RECEIPT, amount: "10001" }],
  ["without a transaction hash", { ...RECEIPT, transaction: "done" }],
  ["of no amount", { ...RECEIPT, amount: "-1" }],
  ["of another shape", { paid: true }],
] as const) {
  test(`a receipt ${name} is ignored`, async () => {
    const shop = gateway([REQUIREMENTS], [{ status: 200, headers: { "payment-response": encodeHeader(receipt) } }]);
    const paid = await payAndFetch(shop.url, {}, OPTIONS);
    expect([paid.response.status, paid.receipt]).toEqual([200, undefined]);
  });
}

test("a receipt may be without payer and transaction, and up to the signed amount", async () => {
  const receipt = { ...RECEIPT, payer: undefined, transaction: "", amount: "10000", extra: {} };
  const shop = gateway([REQUIREMENTS], [{ status: 200, headers: { "payment-response": encodeHeader(receipt) } }]);
  const paid = await payAndFetch(shop.url, {}, OPTIONS);
  expect(paid.choice && paid.receipt && describeReceipt(paid.choice, paid.receipt)).toBe(
    "$0.01 USDC on Base Sepolia (eip155:84532), by a voucher",
  );
});

test("the caller sees the fields of the paid request, and its clock decides the expiry", async () => {
  const shop = gateway([REQUIREMENTS], [{ status: 200 }]);
  const seen: (string | null)[] = [];
  const paying = (headers: Headers) => void seen.push(headers.get("payment-signature"), headers.get("x-own"));
  await payAndFetch(shop.url, { headers: { "x-own": "1" } }, { ...OPTIONS, paying, now: () => 5_999 });
  expect(seen).toEqual([expect.any(String), "1"]);
  expect(shop.payments[0]?.payload.authorization.validBefore).toBe("65");
});

test("a call that is given up before the signature pays nothing, and after it ends with an open outcome", async () => {
  const shop = gateway([REQUIREMENTS], [{ status: 503, headers: { "retry-after": "1" } }]);
  const first = new AbortController();
  const funds = async () => {
    first.abort(new Error("given up"));
    return undefined;
  };
  const early = payAndFetch(shop.url, { signal: first.signal }, { ...OPTIONS, funds, spend: forbid });
  expect(await early.then(() => "paid", String)).toBe("Error: given up");
  expect([shop.payments.length, opened]).toEqual([0, 0]);
  const later = new AbortController();
  // The wait does not end by itself.
  const sleep = (): Promise<void> => {
    later.abort();
    return new Promise(() => {});
  };
  const late = payAndFetch(shop.url, { signal: later.signal }, { ...OPTIONS, sleep });
  expect(await late.then(() => "paid", String)).toContain(
    "Cannot find out the result of the payment: the call was given up; it may have been charged",
  );
  expect(shop.payments.length).toBe(1);
});

test("the receipt shows the charged amount if it is less than the signed amount", async () => {
  const receipt = { ...RECEIPT, amount: "5000" };
  const shop = gateway([REQUIREMENTS], [{ status: 200, headers: { "payment-response": encodeHeader(receipt) } }]);
  const paid = await payAndFetch(shop.url, {}, OPTIONS);
  expect(paid.choice && paid.receipt && describeReceipt(paid.choice, paid.receipt)).toStartWith("$0.005 USDC on");
});

test.each([
  [{}, "has no x402 payment requirements, neither in PAYMENT-REQUIRED nor in its body"],
  [{ "payment-required": "e30=" }, "has no readable PAYMENT-REQUIRED header"],
])("a 402 without a price is declined: %j", async (headers, why) => {
  const fetch = (): Response => new Response("", { status: 402, headers });
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
  servers.push(server);
  expect(await refusal(server.url.href)).toContain(`Cannot pay: the 402 ${why}`);
});

test("while the outcome is open, the client sends the same payment again, at the gateway's pace", async () => {
  const pending = { status: 503, headers: { "retry-after": "5" } };
  const busy = { status: 409, headers: { "retry-after": "1" } };
  const shop = gateway([REQUIREMENTS], [pending, busy, { status: 200 }]);
  const { response } = await payAndFetch(shop.url, {}, OPTIONS);
  expect(response.status).toBe(200);
  expect(waits).toEqual([5000, 1000]);
  expect(new Set(shop.payments.map(({ payload }) => payload.signature)).size).toBe(1);
  expect(opened).toBe(1);
});

test("the client stops after a few tries, and at once after a refusal or failure, and never signs twice", async () => {
  const pending = { status: 503, headers: { "retry-after": "99999" } };
  for (const [reply, sent] of [
    [{ status: 402 }, 1],
    [{ status: 500 }, 1],
    [{ status: 409 }, 1],
    [pending, 1],
    [{ status: 503, headers: { "retry-after": "60" } }, 6],
  ] as const) {
    const shop = gateway([REQUIREMENTS], Array<ShopResponse>(9).fill(reply));
    opened = 0;
    const { response } = await payAndFetch(shop.url, {}, OPTIONS);
    expect([response.status, shop.payments.length, opened]).toEqual([reply.status, sent, 1]);
    expect(new Set(shop.payments.map(({ payload }) => payload.signature)).size).toBe(1);
  }
  expect(Math.max(...waits)).toBe(10_000);
});

test("the client distinguishes a payment that the gateway does not know from a late response", async () => {
  const late = { status: 503, headers: { "retry-after": "1" } };
  const body = '{"type":"urn:turnpike:error:settlement-pending"}';
  for (const [reply, isOpen] of [
    [late, false],
    [{ ...late, body: '{"type":"urn:turnpike:error:overloaded"}' }, false],
    [{ ...late, body }, true],
  ] as const) {
    const paid = await payAndFetch(gateway([REQUIREMENTS], Array<ShopResponse>(9).fill(reply)).url, {}, OPTIONS);
    expect([paid.isOpen, await paid.response.text()]).toEqual([isOpen, "body" in reply ? reply.body : "the goods"]);
  }
});

function receiptWith(change: object) {
  return { "payment-response": encodeHeader({ ...RECEIPT, ...change }) };
}

test("a failed request is free, charged or open by what the response says, and only a free one is released", async () => {
  const pending = '{"type":"urn:turnpike:error:settlement-pending"}';
  const free = [false, true, 1];
  const open = [true, false, 0];
  const neither = [false, false, 0];
  for (const [reply, expected] of [
    [{ status: 500 }, free],
    [{ status: 402 }, free],
    [{ status: 409 }, free],
    [{ status: 503, headers: { "retry-after": "1" } }, free],
    [{ status: 402, headers: receiptWith({ success: false }) }, free],
    [{ status: 409, headers: { "retry-after": "1" } }, open],
    [{ status: 503, body: pending }, open],
    [{ status: 500, headers: { "payment-response": "x" } }, open],
    [{ status: 500, headers: receiptWith({ success: false, network: "eip155:1" }) }, open],
    [{ status: 500, headers: receiptWith({ network: "eip155:1" }) }, open],
    [{ status: 500, headers: receiptWith({}) }, neither],
    [{ status: 200 }, neither],
  ] as const) {
    const shop = gateway([REQUIREMENTS], Array<ShopResponse>(9).fill(reply));
    const released: number[] = [];
    const spend = () => (expires: number) => void released.push(expires);
    const { isOpen, isFree } = await payAndFetch(shop.url, {}, { ...OPTIONS, spend });
    expect([reply, isOpen, isFree, released.length]).toEqual([reply, ...expected]);
    for (const expires of released)
      expect(String(expires)).toBe(shop.payments[0]?.payload.authorization.validBefore ?? "");
  }
});

test("what an upto payment did not charge is freed when its signature has expired, and nothing on a receipt's word beyond it", async () => {
  const extra = { ...REQUIREMENTS.extra, facilitatorAddress: SIMULATED_FACILITATOR };
  const upto = { ...REQUIREMENTS, scheme: "upto", amount: "10000", extra };
  for (const [status, receipt, freed] of [
    [200, { amount: "4000" }, "$0.006"],
    [200, { amount: "0", transaction: "" }, "$0.01"],
    [500, { amount: "4000" }, "$0.006"],
    [200, { amount: "10000" }, undefined],
    [200, {}, undefined],
    [200, { amount: "10001" }, undefined],
    [200, { amount: "4000", network: "eip155:1" }, undefined],
  ] as const) {
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch(request) {
        if (request.headers.has("payment-signature"))
          return new Response("", { status, headers: receiptWith(receipt) });
        const required = { x402Version: 2, resource: { url: request.url }, accepts: [upto] };
        return new Response("", { status: 402, headers: { "payment-required": encodeHeader(required) } });
      },
    });
    servers.push(server);
    const parts: unknown[] = [];
    const spend = () => (_expires: number, part?: bigint) => void parts.push(part);
    await payAndFetch(server.url.href, {}, { ...OPTIONS, spend });
    expect([receipt, parts]).toEqual([receipt, freed === undefined ? [] : [parseDollars(freed)]]);
  }
});

test("after a broken connection the client sends the same payment again, then stops and reports the open outcome", async () => {
  const signatures: string[] = [];
  let breaks = 2;
  let paidHeads = ["200 OK"];
  const server = Bun.listen({
    port: 0,
    hostname: "127.0.0.1",
    socket: {
      data(socket, bytes) {
        const signature = /^payment-signature: (.*)\r$/im.exec(bytes.toString("latin1"))?.[1];
        const required = { x402Version: 2, resource: { url: "u" }, accepts: [REQUIREMENTS] };
        if (signature !== undefined) signatures.push(signature);
        const unpaid = `HTTP/1.1 402 Pay\r\nPAYMENT-REQUIRED: ${encodeHeader(required)}\r\n`;
        if (signature !== undefined && breaks-- > 0) {
          socket.terminate();
          return;
        }
        const paid = signature !== undefined && paidHeads.length > 1 ? paidHeads.shift() : paidHeads[0];
        socket.end(
          `${signature === undefined ? unpaid : `HTTP/1.1 ${paid}\r\n`}Content-Length: 0\r\nConnection: close\r\n\r\n`,
        );
      },
    },
  });
  const url = `http://127.0.0.1:${server.port}/`;
  expect((await payAndFetch(url, {}, OPTIONS)).response.status).toBe(200);
  expect([signatures.length, new Set(signatures).size, opened]).toEqual([3, 1, 1]);
  breaks = 1;
  // The request that broke may have been charged, whatever the server responds to the next ones.
  paidHeads = ["503 Busy\r\nRetry-After: 0", "500 No"];
  expect(await payAndFetch(url, {}, OPTIONS)).toMatchObject({ isOpen: true, isFree: false });
  breaks = 99;
  expect(await refusal(url)).toMatch(/Cannot find out the result of the payment: \w+; it may have been charged$/);
  expect([signatures.length, new Set(signatures).size, opened]).toEqual([12, 3, 3]);
  server.stop(true);
});

test("a redirect does not receive the payment, and the payment is valid only for a short time", async () => {
  const shop = gateway(
    [{ ...REQUIREMENTS, maxTimeoutSeconds: 86_400 }],
    [{ status: 307, headers: { location: "/else" } }],
  );
  const { response } = await payAndFetch(shop.url, {}, OPTIONS);
  expect(response.status).toBe(307);
  const validBefore = Number(shop.payments[0]?.payload.authorization.validBefore);
  expect(validBefore).toBeLessThanOrEqual(Date.now() / 1000 + 600);
});

/** A version 1 server's payment requirements. */
const V1_REQUIREMENTS = {
  scheme: "exact",
  network: "base-sepolia",
  maxAmountRequired: "10000",
  resource: "http://a.example/",
  description: "",
  mimeType: "",
  payTo: REQUIREMENTS.payTo,
  maxTimeoutSeconds: 60,
  asset: REQUIREMENTS.asset,
  outputSchema: null,
  extra: { name: "USDC", version: "2" },
};

/** A server that sends its price in the body of the 402. */
function oldServer(challenge: unknown, receipt: object = { ...RECEIPT, network: "base-sepolia" }) {
  const payments: unknown[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const header = request.headers.get("x-payment");
      if (header === null) return Response.json(challenge, { status: 402 });
      payments.push(decodeHeader(header));
      return new Response("the goods", { headers: { "x-payment-response": encodeHeader(receipt) } });
    },
  });
  servers.push(server);
  return { url: server.url.href, payments };
}

test("a version 1 server is paid with X-PAYMENT, and its receipt is matched by the name of its network", async () => {
  const strange = [{ scheme: "exact", network: "solana" }, 7, { ...V1_REQUIREMENTS, network: "nowhere" }];
  const shop = oldServer({ x402Version: 1, error: "pay", accepts: [...strange, V1_REQUIREMENTS] });
  const paid = await payAndFetch(shop.url, {}, OPTIONS);
  expect(await paid.response.text()).toBe("the goods");
  expect(paid.receipt).toMatchObject({ transaction: "0xabc" });
  expect(shop.payments).toEqual([
    { x402Version: 1, scheme: "exact", network: "base-sepolia", payload: expect.anything() },
  ]);
  const payment = v1PaymentSchema.parse(shop.payments[0]);
  expect(
    checkSignature({ x402Version: 2, accepted: REQUIREMENTS, payload: payment.payload }, REQUIREMENTS),
  ).toMatchObject({
    payer: PAYER,
  });
});

for (const [name, challenge] of [
  ["above the limit", { x402Version: 1, accepts: [{ ...V1_REQUIREMENTS, maxAmountRequired: "100001" }] }],
  ["by Permit2", { x402Version: 1, accepts: [{ ...V1_REQUIREMENTS, extra: { assetTransferMethod: "permit2" } }] }],
  ["on no network", { x402Version: 1, accepts: [] }],
  ["of another version", { x402Version: 3, accepts: [V1_REQUIREMENTS] }],
  ["of another shape", "pay me"],
] as const) {
  test(`a version 1 price ${name} is not paid`, async () => {
    const shop = oldServer(challenge);
    expect(await refusal(shop.url)).toContain("Cannot pay");
    expect([shop.payments.length, opened]).toEqual([0, 0]);
  });
}
