/** The real gateway in a process of its own, an upstream that counts, and the stock x402 client. */

import { Database } from "bun:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { x402Client } from "@x402/core/client";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";
import { decodeHeader, encodeHeader } from "../src/payments/x402/header.ts";
import { type PaymentPayload } from "../src/payments/x402/messages.ts";
import { PAYEE, PAYER, PRIVATE_KEY, REQUIREMENTS, signedPayment, TERMS } from "../src/payments/testing/payment.ts";
import { type Gateway, serverAt, startGateway } from "./support/gateway.ts";
import { statusOf } from "./support/message.ts";
import { once } from "./support/raw-client.ts";
import { patient } from "../src/lib/testing/patience.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

interface Seen {
  readonly path: string;
  readonly body: string;
  readonly headers: Headers;
}

const seen: Seen[] = [];
/** The upstream's response to the next paid request. By default it sells. */
let behave: (request: Request) => Response | Promise<Response>;
let origin: Bun.Server<undefined>;
let gateway: Gateway;
let stateFolder: string;

function sell(): Response {
  return new Response("the goods", { headers: { "payment-response": "forged", "cache-control": "public" } });
}

function config(x402: object): { upstreams: object[]; routes: object[]; x402: object; state_path: string } {
  return {
    state_path: stateFolder,
    x402: { enabled: true, ...x402 },
    upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
    routes: [
      { path_prefix: "/", upstream: "origin" },
      { path_prefix: "/paid", upstream: "origin", x402: TERMS },
    ],
  };
}

beforeAll(() => {
  origin = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      seen.push({ path: pathname, body: await request.text(), headers: request.headers });
      return behave(request);
    },
  });
});

afterAll(() => origin.stop(true));

beforeEach(async () => {
  seen.length = 0;
  behave = sell;
  stateFolder = mkdtempSync(join(tmpdir(), "turnpike-pay-"));
  gateway = await startGateway(config({ test_mode: true }));
});

afterEach(async () => {
  await gateway.stop();
  rmSync(stateFolder, { recursive: true, force: true });
});

function payingFetch(): ReturnType<typeof wrapFetchWithPayment> {
  const client = new x402Client().register("eip155:*", new ExactEvmScheme(privateKeyToAccount(PRIVATE_KEY)));
  return wrapFetchWithPayment(fetch, client);
}

function url(path = "/paid", at = gateway): string {
  return `http://127.0.0.1:${at.port}${path}`;
}

function payment(change: Parameters<typeof signedPayment>[1] = {}): PaymentPayload {
  return signedPayment(Date.now() / 1000, change);
}

function send(paid: unknown, init: RequestInit = {}, path = "/paid"): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("payment-signature", encodeHeader(paid));
  return fetch(url(path), { ...init, headers });
}

function decoded(response: Response, name: string): unknown {
  return decodeHeader(response.headers.get(name) ?? "");
}

test("the stock client pays for a POST with a body, and gets response and receipt", async () => {
  const response = await payingFetch()(url(), { method: "POST", body: "an order" });
  expect([response.status, await response.text()]).toEqual([200, "the goods"]);
  expect(decoded(response, "payment-response")).toMatchObject({
    success: true,
    payer: PAYER,
    extra: { testMode: true },
  });
  expect(response.headers.get("cache-control")).toBe("private");
  expect(seen.map(({ path, body }) => [path, body])).toEqual([["/paid", "an order"]]);
  expect(seen[0]?.headers.has("payment-signature")).toBe(false);
  expect((await fetch(url("/free"))).status).toBe(200);
});

test("a response of many megabytes arrives completely, and its price is the same for HEAD and 304", async () => {
  const goods = randomBytes(8 * 1024 * 1024);
  behave = () => new Response(goods, { headers: { etag: '"1"' } });
  const response = await send(payment());
  expect(response.status).toBe(200);
  expect(Buffer.from(await response.arrayBuffer()).equals(goods)).toBe(true);
  const head = await send(payment(), { method: "HEAD" });
  expect([head.status, head.headers.get("content-length")]).toEqual([200, String(goods.byteLength)]);
  expect(decoded(head, "payment-response")).toMatchObject({ success: true });
  behave = () => new Response(null, { status: 304, headers: { etag: '"1"' } });
  const unchanged = await send(payment(), { headers: { "if-none-match": '"1"' } });
  expect([unchanged.status, decoded(unchanged, "payment-response")]).toMatchObject([304, { success: true }]);
});

test("five requests at once with one payment run the upstream once", async () => {
  const gate = Promise.withResolvers<void>();
  behave = async () => {
    await gate.promise;
    return sell();
  };
  const paid = payment();
  const refused = Promise.withResolvers<void>();
  let conflicts = 0;
  const sent = Array.from({ length: 5 }, async () => {
    const { status } = await send(paid);
    if (status === 409 && ++conflicts === 4) refused.resolve();
    return status;
  });
  await refused.promise;
  gate.resolve();
  const statuses = await Promise.all(sent);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409]);
  const again = await send(paid);
  expect([again.status, await again.text()]).toEqual([200, "the goods"]);
  expect(seen).toHaveLength(1);
});

test("all workers together accept a payment once", async () => {
  const shop = await startGateway({ ...config({ test_mode: true }), server: { workers: 2 } });
  const gate = Promise.withResolvers<void>();
  behave = async () => {
    await gate.promise;
    return sell();
  };
  const head = `GET /paid HTTP/1.1\r\nHost: a\r\nPAYMENT-SIGNATURE: ${encodeHeader(payment())}\r\n\r\n`;
  const refused = Promise.withResolvers<void>();
  let conflicts = 0;
  // Each request has its own connection, so that the kernel distributes them over the workers.
  const sent = Array.from({ length: 20 }, async () => {
    const status = statusOf(await once(shop.port, head));
    if (status === 409 && ++conflicts === 19) refused.resolve();
    return status;
  });
  await refused.promise;
  gate.resolve();
  expect((await Promise.all(sent)).filter((status) => status === 200)).toHaveLength(1);
  expect(seen).toHaveLength(1);
  await shop.stop();
});

test("no spelling of a paid path is free", async () => {
  const spellings = [
    "/paid",
    "/paid/",
    "/paid/x",
    "/paid?x",
    "/%70aid",
    "/x/../paid",
    "/./paid",
    "/paid%2fx",
    "/paid%00",
    "/x%2f..%2fpaid",
    "/\\paid",
  ];
  for (const path of spellings) {
    for (const method of ["GET", "HEAD", "POST", "OPTIONS"]) {
      const request = `${method} ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
      const { startLine } = await once(gateway.port, request, method);
      expect(startLine).toMatch(/^HTTP\/1\.1 (?:402|400) /);
    }
  }
  expect(seen.map(({ path }) => path)).toEqual([]);
});

const REFUSED: readonly (readonly [name: string, paid: () => unknown, status: number, error?: string])[] = [
  [
    "a lower price agreed to",
    () => ({ ...payment({ value: "1" }), accepted: { ...REQUIREMENTS, amount: "1" } }),
    402,
    "No matching payment requirements",
  ],
  [
    "a lower amount signed",
    () => payment({ value: "1" }),
    402,
    "invalid_exact_evm_payload_authorization_value_mismatch",
  ],
  ["another payer named", () => payment({ from: PAYEE }), 402, "invalid_exact_evm_signature"],
  [
    "its time over",
    () => payment({ validBefore: "1700000000" }),
    402,
    "invalid_exact_evm_payload_authorization_valid_before",
  ],
  ["no authorization", () => ({ ...payment(), payload: {} }), 400],
];

for (const [name, paid, status, error] of REFUSED) {
  test(`a payment with ${name} is refused, and the upstream gets no request`, async () => {
    const response = await send(paid());
    expect(response.status).toBe(status);
    if (error !== undefined) expect(decoded(response, "payment-required")).toMatchObject({ error });
    expect(seen).toHaveLength(0);
  });
}

test("a failed upstream request is not charged, and the same payment can be used again", async () => {
  const paid = payment();
  behave = () => new Response("broken", { status: 500 });
  expect((await send(paid)).status).toBe(500);
  behave = sell;
  const response = await send(paid);
  expect([response.status, decoded(response, "payment-response")]).toMatchObject([200, { success: true }]);
});

test("a client that leaves while the upstream works is not charged", async () => {
  const paid = payment();
  const begun = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  behave = (request) => {
    begun.resolve();
    request.signal.addEventListener("abort", () => left.resolve());
    return new Promise<Response>(() => {});
  };
  const client = new AbortController();
  const lost = send(paid, { signal: client.signal }).catch(() => "gone");
  await begun.promise;
  client.abort();
  expect(await lost).toBe("gone");
  await left.promise;
  behave = sell;
  expect((await send(paid)).status).toBe(200);
  expect(seen).toHaveLength(2);
});

/** Makes the lease of the killed process expire at once, so that the test need not wait. */
function letLeasesExpire(): void {
  const database = new Database(join(stateFolder, "turnpike.db"));
  database.run("PRAGMA busy_timeout = 5000");
  database.run("UPDATE payments SET held_until = 1 WHERE held_until > 0");
  database.close();
}

test("if the gateway is killed during the upstream request, the payment can be used again after the restart", async () => {
  const paid = payment();
  const begun = Promise.withResolvers<void>();
  behave = () => {
    begun.resolve();
    return new Promise<Response>(() => {});
  };
  const lost = send(paid).catch(() => "gone");
  await begun.promise;
  process.kill(gateway.pid, "SIGKILL");
  expect(await lost).toBe("gone");
  await gateway.stop();
  gateway = await startGateway(config({ test_mode: true }));
  behave = sell;
  const early = await send(paid);
  expect([early.status, early.headers.get("retry-after")]).toEqual([409, "1"]);
  letLeasesExpire();
  expect((await send(paid)).status).toBe(200);
  expect(seen).toHaveLength(2);
});

interface Fake {
  readonly server: Bun.Server<undefined>;
  readonly settled: string[];
}

/** A facilitator that accepts every payment. `settle` chooses the response to each settlement by its number. */
function startFacilitator(settle: (call: number, settled: Response) => Response | Promise<Response>): Fake {
  const settled: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (request.url.endsWith("/supported")) {
        return Response.json({ kinds: [{ x402Version: 2, scheme: "exact", network: "eip155:84532" }] });
      }
      const body: unknown = await request.json();
      if (request.url.endsWith("/verify")) return Response.json({ isValid: true, payer: PAYER });
      settled.push(JSON.stringify(body));
      const receipt = { success: true, transaction: `0x${"ab".repeat(32)}`, network: "eip155:84532", payer: PAYER };
      return settle(settled.length, Response.json(receipt));
    },
  });
  return { server, settled };
}

test("a settlement without a response is 503 without a new challenge; the same payment then gets its response without another upstream request", async () => {
  const facilitator = startFacilitator((call, settled) => (call === 1 ? new Promise<Response>(() => {}) : settled));
  const shop = await startGateway(
    config({ facilitator_url: facilitator.server.url.href, facilitator_timeout_ms: 1500 }),
  );
  const init = { headers: { "payment-signature": encodeHeader(payment()) } };
  const first = await fetch(url("/paid", shop), init);
  expect([first.status, first.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(first.headers.get("payment-required")).toBeNull();
  const second = await fetch(url("/paid", shop), init);
  expect([second.status, await second.text()]).toEqual([200, "the goods"]);
  expect([seen.length, new Set(facilitator.settled).size, facilitator.settled.length]).toEqual([1, 1, 2]);
  await shop.stop();
  await facilitator.server.stop(true);
});

test("if the gateway is killed during settlement, the next process queries the result and responds", async () => {
  const asked = Promise.withResolvers<void>();
  const facilitator = startFacilitator((call, settled) => {
    if (call > 1) return settled;
    asked.resolve();
    return new Promise<Response>(() => {});
  });
  const terms = { facilitator_url: facilitator.server.url.href, facilitator_timeout_ms: 5000 };
  await gateway.stop();
  gateway = await startGateway(config(terms));
  const paid = payment();
  const lost = send(paid).catch(() => "gone");
  await asked.promise;
  process.kill(gateway.pid, "SIGKILL");
  expect(await lost).toBe("gone");
  await gateway.stop();
  gateway = await startGateway(config(terms));
  letLeasesExpire();
  const response = await send(paid);
  expect([response.status, await response.text()]).toEqual([200, "the goods"]);
  // The first response was lost with its process. The upstream makes it again, and the client does not pay again.
  expect([seen.length, new Set(facilitator.settled).size]).toEqual([2, 1]);
  await facilitator.server.stop(true);
});

test("an unavailable facilitator causes 503, and the upstream gets no unpaid request", async () => {
  const gone = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const address = gone.url.href;
  await gone.stop(true);
  const shop = await startGateway(config({ facilitator_url: `${address}?key=secret` }));
  const init = { headers: { "payment-signature": encodeHeader(payment()) } };
  const response = await fetch(url("/paid", shop), init);
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(response.headers.get("payment-required")).toBeNull();
  expect(await response.text()).not.toMatch(/secret|127\.0\.0\.1/);
  expect(shop.output()).not.toContain("secret");
  expect(seen).toHaveLength(0);
  await shop.stop();
});

test("an open circuit breaker writes few lines for many requests at two workers, and one when the facilitator works again", async () => {
  let works = false;
  const facilitator = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url: asked }) =>
      asked.endsWith("/supported")
        ? Response.json({ kinds: [{ x402Version: 2, scheme: "exact", network: "eip155:84532" }] })
        : works
          ? Response.json({ isValid: false, invalidReason: "insufficient_funds" })
          : new Response("", { status: 503 }),
  });
  const shop = await startGateway(
    { ...config({ facilitator_url: facilitator.url.href }), server: { workers: 2 } },
    { JOURNAL_STREAM: "" },
  );
  const ask = (): Promise<number> =>
    fetch(url("/paid", shop), {
      headers: { "payment-signature": encodeHeader(payment()), connection: "close" },
    }).then(({ status }) => status);
  const matching = (pattern: RegExp): string[] =>
    shop
      .output()
      .split("\n")
      .filter((line) => pattern.test(line));
  for (let i = 0; i < 300; i++) expect(await ask()).toBe(503);
  works = true;
  while (matching(/works again after \d+ failures? in \d+ s/).length === 0) await ask();
  await shop.stop();
  expect(matching(/the circuit breaker of a facilitator is open/).length).toBeGreaterThan(0);
  expect(matching(/circuit breaker|it responded with 503/).length).toBeLessThan(20);
  expect(matching(/payment:/).filter((line) => !/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z payment: /.test(line))).toEqual([]);
  await facilitator.stop(true);
});

test("test mode does not start where other machines can reach it", async () => {
  const open = startGateway({ ...config({ test_mode: true }), server: { address: "0.0.0.0" } });
  expect(await open.then(() => "started", String)).toMatch(/loopback/);
});

test("the ledger distinguishes routes with the same prefix by their hosts", async () => {
  await gateway.stop();
  const routes = ["a.example", "b.example"].map((host) => ({
    path_prefix: "/paid",
    host,
    upstream: "origin",
    x402: TERMS,
  }));
  gateway = await startGateway({ ...config({ test_mode: true }), routes });
  const headers = { host: "b.example", "payment-signature": encodeHeader(payment()) };
  expect((await fetch(url(), { headers })).status).toBe(200);
  const database = new Database(join(stateFolder, "turnpike.db"), { readonly: true });
  expect(database.query("SELECT route FROM payments").all()).toEqual([{ route: "b.example/paid" }]);
  database.close();
});
