import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listenOnLoopback } from "../lib/testing/listen.ts";
import { decodeHeader, encodeHeader } from "../payments/x402/header.ts";
import { eip3009PaymentSchema } from "../payments/x402/messages.ts";
import { PAYER, PRIVATE_KEY, REQUIREMENTS } from "../payments/testing/payment.ts";
import { type Payment, Turnpike, TurnpikePaymentError, TurnpikeProblem } from "./client.ts";

const RECEIPT = { success: true, transaction: "0xabc", network: "eip155:84532" };
const PROBLEM = {
  type: "urn:turnpike:error:invalid-parameters",
  title: "Invalid Parameters",
  status: 400,
  detail: "Cannot accept the request: 'format' is wrong",
  instance: "request-1",
  errors: [{ path: "format", message: "is wrong" }],
};

let gateway: Bun.Server<undefined>;
let url: string;
let seen: { path: string; body: unknown; payer: string | undefined }[];
/** The response to the next paid request. */
let reply: () => Response | Promise<Response>;

beforeAll(() => {
  gateway = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/base/health") return Response.json({ status: "ok", browser: "B" });
      const header = request.headers.get("payment-signature");
      if (header === null) {
        const required = { x402Version: 2, resource: { url: request.url }, accepts: [REQUIREMENTS] };
        return new Response("{}", { status: 402, headers: { "payment-required": encodeHeader(required) } });
      }
      const { authorization } = eip3009PaymentSchema.parse(decodeHeader(header)).payload;
      seen.push({ path: pathname, body: await request.json(), payer: authorization.from });
      const response = await reply();
      if (response.ok) response.headers.set("payment-response", encodeHeader(RECEIPT));
      return response;
    },
  });
  url = `${gateway.url.href}base/`;
});

afterAll(() => gateway.stop(true));

beforeEach(() => {
  seen = [];
  reply = () => Response.json({ content: "text", metadata: {} });
});

const failureOf = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

test("a call pays for itself, and reports the payment", async () => {
  const payments: Payment[] = [];
  const turnpike = new Turnpike({ url, privateKey: PRIVATE_KEY, onPayment: (payment) => payments.push(payment) });
  const { content } = await turnpike.scrape({ url: "https://example.com/", format: "text" });
  expect(content).toBe("text");
  expect(turnpike.address?.toLowerCase()).toBe(PAYER.toLowerCase());
  expect(seen).toMatchObject([{ path: "/base/scrape", body: { url: "https://example.com/", format: "text" } }]);
  expect(seen[0]?.payer?.toLowerCase()).toBe(PAYER.toLowerCase());
  expect(payments).toEqual([{ path: "/scrape", price: "$0.01", network: "eip155:84532", transaction: "0xabc" }]);
});

test("a free call needs no key, and a binary response comes with its type", async () => {
  const turnpike = new Turnpike({ url });
  expect(turnpike.address).toBeUndefined();
  expect((await turnpike.health()).status).toBe("ok");
  reply = () => new Response(Uint8Array.of(1, 2), { headers: { "content-type": "image/png; x=y" } });
  const picture = await new Turnpike({ url, privateKey: PRIVATE_KEY.slice(2) }).qr({ data: "x" });
  expect(picture).toEqual({ bytes: Uint8Array.of(1, 2), contentType: "image/png" });
});

test("an error of the service becomes a problem with its code, fields and id", async () => {
  reply = () => Response.json(PROBLEM, { status: 400, headers: { "retry-after": "7" } });
  const problem = await failureOf(new Turnpike({ url, privateKey: PRIVATE_KEY }).read({ url: "x" }));
  expect(problem).toBeInstanceOf(TurnpikeProblem);
  expect(problem).toMatchObject({
    message: "400 Invalid Parameters: Cannot accept the request: 'format' is wrong",
    status: 400,
    code: "invalid-parameters",
    detail: PROBLEM.detail,
    requestId: "request-1",
    errors: PROBLEM.errors,
    retryAfter: 7,
  });
  reply = () => new Response("<h1>broken", { status: 500 });
  const other = await failureOf(new Turnpike({ url, privateKey: PRIVATE_KEY }).read({ url: "x" }));
  expect(other).toMatchObject({ message: "500 HTTP 500", code: "", errors: [], retryAfter: undefined });
});

test("an error response that was paid for in advance is also reported as a payment", async () => {
  const headers = { "payment-response": encodeHeader(RECEIPT) };
  reply = () => Response.json(PROBLEM, { status: 502, headers });
  const payments: Payment[] = [];
  const turnpike = new Turnpike({ url, privateKey: PRIVATE_KEY, onPayment: (payment) => payments.push(payment) });
  expect(await failureOf(turnpike.read({ url: "x" }))).toBeInstanceOf(TurnpikeProblem);
  expect(payments).toMatchObject([{ path: "/read", transaction: "0xabc" }]);
});

test("the client pays at most the limit of client and call, and nothing without a key", async () => {
  const dear = await failureOf(new Turnpike({ url, privateKey: PRIVATE_KEY, maxPrice: "$0.001" }).qr({ data: "x" }));
  expect(dear).toBeInstanceOf(TurnpikePaymentError);
  expect(dear).toMatchObject({ message: "Cannot pay $0.01: the limit is $0.001", maybeCharged: false });
  const turnpike = new Turnpike({ url, privateKey: PRIVATE_KEY });
  expect(await failureOf(turnpike.qr({ data: "x" }, { maxPrice: "$0.009" }))).toMatchObject({ maybeCharged: false });
  const poor = await failureOf(new Turnpike({ url }).qr({ data: "x" }));
  expect(poor).toMatchObject({ message: "Cannot pay: there is no privateKey and no wallet", maybeCharged: false });
  expect(seen).toEqual([]);
});

test("a wallet file pays, and is created on first use", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-client-test-"));
  try {
    const wallet = join(folder, "wallet.json");
    const turnpike = new Turnpike({ url, wallet });
    await turnpike.read({ url: "https://example.com/" });
    expect(statSync(wallet).mode & 0o777).toBe(0o600);
    expect(seen[0]?.payer?.toLowerCase()).toBe(turnpike.address?.toLowerCase() ?? "");
    expect(new Turnpike({ url, wallet }).address).toBe(turnpike.address ?? "");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("an aborted call ends at once, and reports whether it may be charged", async () => {
  const turnpike = new Turnpike({ url, privateKey: PRIVATE_KEY });
  const before = await failureOf(turnpike.qr({ data: "x" }, { signal: AbortSignal.abort() }));
  expect(before).toMatchObject({ name: "AbortError" });
  const leaving = new AbortController();
  reply = () => {
    leaving.abort();
    return new Promise(() => undefined);
  };
  const after = await failureOf(turnpike.qr({ data: "x" }, { signal: leaving.signal }));
  expect(after).toBeInstanceOf(TurnpikePaymentError);
  expect(after).toMatchObject({ maybeCharged: true });
  expect(seen).toHaveLength(1);
});

test("a call that is aborted while it waits to send its payment again ends at once", async () => {
  const leaving = new AbortController();
  reply = () => {
    setTimeout(() => leaving.abort(), 10);
    return new Response("", { status: 503, headers: { "retry-after": "9" } });
  };
  const turnpike = new Turnpike({ url, privateKey: PRIVATE_KEY });
  const failure = await failureOf(turnpike.qr({ data: "x" }, { signal: leaving.signal }));
  expect(failure).toMatchObject({ maybeCharged: true });
  expect(seen).toHaveLength(1);
});

test("the error for a broken response says that it may be paid for", async () => {
  const cutting = createServer((request, response) => {
    if (request.headers["payment-signature"] === undefined) {
      const required = { x402Version: 2, resource: { url: "http://127.0.0.1/" }, accepts: [REQUIREMENTS] };
      response.writeHead(402, { "payment-required": encodeHeader(required) }).end();
      return;
    }
    const type = { "content-type": "application/json", "content-length": "1000" };
    response.writeHead(200, { ...type, "payment-response": encodeHeader(RECEIPT) });
    response.write('{"content": "te', () => response.destroy());
  });
  const port = await listenOnLoopback(cutting);
  const turnpike = new Turnpike({ url: `http://127.0.0.1:${port}`, privateKey: PRIVATE_KEY });
  const failures = [
    await failureOf(turnpike.scrape({ url: "https://example.com/" })),
    await failureOf(turnpike.screenshot({ url: "https://example.com/" })),
  ];
  cutting.close();
  for (const failure of failures) {
    expect(failure).toBeInstanceOf(TurnpikePaymentError);
    expect(failure).toMatchObject({ maybeCharged: true });
  }
});

test("the requests use the caller's own fetch", async () => {
  const asked: string[] = [];
  const turnpike = new Turnpike({
    url,
    privateKey: PRIVATE_KEY,
    fetch: (target, init) => {
      asked.push(target);
      return fetch(target, init);
    },
  });
  await turnpike.scrape({ url: "https://example.com/" });
  expect(asked).toEqual([`${url}scrape`, `${url}scrape`]);
});

test.each<[string, ConstructorParameters<typeof Turnpike>[0]]>([
  ["Invalid URL", { url: "nowhere" }],
  ["it is not http or https", { url: "ftp://example.com" }],
  ["it is not an amount such as 0.05", { maxPrice: "cheap" }],
  ["it is not an amount such as 0.05", { maxPrice: "$0" }],
  ["it is not an amount such as 0.05", { maxPrice: "$007" }],
  ["it is not 32 bytes", { privateKey: "0x1234" }],
  ["it is not valid for secp256k1", { privateKey: new Uint8Array(32) }],
])("options are refused with '%s', and the error shows no key", (message, options) => {
  expect(() => new Turnpike(options)).toThrow(message === "Invalid URL" ? /URL/ : message);
});

const UNKNOWN: readonly (readonly [options: object, message: string])[] = [
  [{ maxPrise: "0.01" }, '"maxPrise" of Turnpike: it is unknown; known are url, privateKey, wallet, maxPrice,'],
  [{ maxprice: "0.01" }, '"maxprice" of Turnpike: it is unknown; known are url, privateKey, wallet, maxPrice,'],
  [{ budget: "1" }, '"budget" of Turnpike: it is unknown; known are url, privateKey, wallet, maxPrice,'],
  [{ maxPrice: 0.01 }, '"maxPrice" of Turnpike: it must be a string'],
  [{ maxTotal: null }, '"maxTotal" of Turnpike: it must be a string'],
  [{ privateKey: [1, 2] }, '"privateKey" of Turnpike: it must be a string or Uint8Array'],
  [{ prefer: "base" }, '"prefer" of Turnpike: it must be a list of strings'],
  [{ rpc: { base: 1 } }, '"rpc" of Turnpike: it must be an object of strings'],
  [{ onPayment: "log" }, '"onPayment" of Turnpike: it must be a function'],
];

test.each(UNKNOWN)("the client refuses %p", (options, message) => {
  expect(() => new Turnpike(options)).toThrow(`Cannot use the option ${message}`);
});

test("a call with an unknown or wrong option sends nothing", async () => {
  const turnpike = new Turnpike({ url, privateKey: PRIVATE_KEY });
  const calls: readonly (readonly [options: object, message: string])[] = [
    [{ maxPrise: "0.001" }, "it is unknown; known are signal, maxPrice"],
    [{ max_price: "0.001" }, "it is unknown; known are signal, maxPrice"],
    [{ maxPrice: 0.001 }, "it must be a string"],
  ];
  for (const [options, message] of calls) {
    expect(String(await failureOf(turnpike.read({ url: "x" }, options)))).toContain(message);
    const init = { method: "POST", body: "{}", ...options };
    expect(String(await failureOf(turnpike.fetch("report", init)))).toContain(message);
  }
  const timed: object = { signal: 5 };
  expect(String(await failureOf(turnpike.read({ url: "x" }, timed)))).toContain("it must be an AbortSignal");
  expect(seen).toEqual([]);
});

test("fetch pays for any URL, and returns the response whatever its status", async () => {
  const payments: Payment[] = [];
  const turnpike = new Turnpike({ url, privateKey: PRIVATE_KEY, onPayment: (payment) => payments.push(payment) });
  const init = { method: "PUT", body: '{"a":1}' };
  const response = await turnpike.fetch(new URL("/elsewhere/report?a=1", url), init);
  expect([response.status, await response.json()]).toEqual([200, { content: "text", metadata: {} }]);
  expect(seen).toMatchObject([{ path: "/elsewhere/report", body: { a: 1 } }]);
  expect(payments).toMatchObject([{ path: new URL("/elsewhere/report?a=1", url).href, price: "$0.01" }]);
  reply = () => new Response("no", { status: 418 });
  expect((await turnpike.fetch("report", init)).status).toBe(418);
  expect(seen[1]).toMatchObject({ path: "/base/report" });
});

test("fetch pays within its limit, and refuses a body that can be sent only once", async () => {
  const turnpike = new Turnpike({ url, privateKey: PRIVATE_KEY });
  const dear = await failureOf(turnpike.fetch("report", { method: "POST", body: "{}", maxPrice: "0.009" }));
  expect(dear).toMatchObject({ name: "TurnpikePaymentError", maybeCharged: false });
  const stream = new Response("x").body;
  expect(String(await failureOf(turnpike.fetch("report", { method: "POST", body: stream })))).toContain(
    "Cannot send a stream",
  );
  expect(seen).toEqual([]);
});

test("fetch sends the same bytes of a form before and after the payment", async () => {
  const bodies: string[] = [];
  const shop = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      bodies.push(`${request.headers.get("content-type")}\n${await request.text()}`);
      if (request.headers.has("payment-signature")) return new Response("sold");
      const required = { x402Version: 2, resource: { url: request.url }, accepts: [REQUIREMENTS] };
      return new Response("", { status: 402, headers: { "payment-required": encodeHeader(required) } });
    },
  });
  const body = new FormData();
  body.set("a", "1");
  await new Turnpike({ privateKey: PRIVATE_KEY }).fetch(shop.url, { method: "POST", body });
  expect(bodies).toHaveLength(2);
  expect(bodies[0]).toBe(bodies[1] ?? "");
  expect(bodies[0]).toContain("multipart/form-data; boundary=");
  await shop.stop(true);
});
