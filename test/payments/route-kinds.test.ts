/** One payment on every kind of route, over each protocol: what is charged, what runs, and what the same payment gets again. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { TERMS } from "../../src/payments/testing/payment.ts";
import { decodeHeader, encodeHeader } from "../../src/payments/x402/header.ts";
import { type PaymentPayload } from "../../src/payments/x402/messages.ts";
import { type ProtocolGateway, PROTOCOLS, type Reply, startProtocols } from "../policy/protocols.ts";
import { serverAt } from "../support/gateway.ts";
import { Folder } from "../support/program.ts";
import { RawClient } from "../support/raw-client.ts";
import { CountingFacilitator } from "./counting-facilitator.ts";
import { newPayment, nonceOf } from "./shops.ts";

setDefaultTimeout(patient(30_000));

const ETAG = '"one"';

const facilitator = new CountingFacilitator();
const folder = new Folder();
/** Requests that each server got, as path and query. */
const asked: Record<"one" | "two" | "mirror", string[]> = { one: [], two: [], mirror: [] };
/** Fields of all requests, with which a server could spend the payment. */
const leaked: string[] = [];
let gateway: ProtocolGateway;

function originOf(name: keyof typeof asked): Bun.Server<undefined> {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      asked[name].push(pathname + search);
      for (const field of ["payment-signature", "x-payment"]) if (request.headers.has(field)) leaked.push(pathname);
      const isFirst = asked.one.concat(asked.two).filter((path) => path === pathname + search).length === 1;
      if (pathname === "/retried" && isFirst) return new Response("not yet", { status: 503 });
      if (pathname === "/failing") return new Response("never", { status: 503 });
      return goods(request.headers);
    },
  });
}

/** A response of five bytes, with conditions and ranges by RFC 9110. */
function goods(headers: Headers): Response {
  const validator = { etag: ETAG, "cache-control": "public, max-age=60", "cdn-cache-control": "max-age=60" };
  if (headers.get("if-none-match") === ETAG) return new Response(null, { status: 304, headers: validator });
  if ((headers.get("if-match") ?? ETAG) !== ETAG) return new Response("changed", { status: 412 });
  const range = headers.get("range");
  if (range === "bytes=0-1") {
    return new Response("go", { status: 206, headers: { ...validator, "content-range": "bytes 0-1/5" } });
  }
  if (range !== null) return new Response("none", { status: 416, headers: { "content-range": "bytes */5" } });
  return new Response("goods", { headers: validator });
}

const servers = [originOf("one"), originOf("two"), originOf("mirror")];

beforeAll(async () => {
  const names = Object.keys(asked);
  const www = folder.file("www");
  mkdirSync(www);
  for (const name of ["free.txt", "sold.txt"]) writeFileSync(`${www}/${name}`, name);
  gateway = await startProtocols({
    server: { static_root: www },
    x402: { enabled: true, facilitator_url: facilitator.url, public_url: "https://shop.test" },
    upstreams: names.map((name, i) => ({ name, servers: [serverAt(servers[i]?.port ?? 0)] })),
    routes: [
      { path_prefix: "/plain", upstream: "one" },
      { path_prefix: "/before", upstream: "one", settle: "before" },
      { path_prefix: "/sold.txt", upstream: "one" },
      { path_prefix: "/moved", redirect: { path: "/there" } },
      { path_prefix: "/fixed", fixed_response: { body: "goods" } },
      { path_prefix: "/gone", fixed_response: { status: 410, body: "gone" } },
      {
        path_prefix: "/split",
        upstream: "one",
        traffic_split: [
          { upstream: "one", weight: 1 },
          { upstream: "two", weight: 1 },
        ],
      },
      { path_prefix: "/mirrored", upstream: "one", mirror: "mirror" },
      { path_prefix: "/retried", upstream: "one", retry: { max_retries: 1 } },
      { path_prefix: "/failing", upstream: "one", retry: { max_retries: 1 } },
      { path_prefix: "/cached", upstream: "one", cache: { ttl_s: 60 } },
    ].map(({ settle, ...route }) => ({ ...route, x402: { ...TERMS, ...(settle === undefined ? {} : { settle }) } })),
  });
});

afterAll(async () => {
  await gateway.stop();
  await facilitator.close();
  await Promise.all(servers.map((server) => server.stop(true)));
  folder.remove();
});

type Sent = Readonly<Record<string, string>>;

interface Sale {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Sent;
  readonly body?: string;
  /** The response to a payment. */
  readonly status: number;
  readonly text: string;
  /** Requests to upstreams for a payment, and for the same payment again. */
  readonly runs: readonly [number, number];
  /** The money moves. */
  readonly charged: boolean;
}

const SOLD = { status: 200, text: "goods", runs: [1, 1], charged: true } as const;
const OWN = { ...SOLD, runs: [0, 0] } as const;

const SALES: Readonly<Record<string, Sale>> = {
  "an upstream": { ...SOLD, path: "/plain" },
  "an upstream that gets the payment first": { ...SOLD, path: "/before" },
  "a POST": { ...SOLD, path: "/plain", method: "POST", body: "order" },
  "a path at which a static file exists": { ...SOLD, path: "/sold.txt" },
  "a redirect": { ...OWN, path: "/moved", status: 302, text: "" },
  "a fixed response": { ...OWN, path: "/fixed" },
  "a fixed response with an error": { ...OWN, path: "/gone", status: 410, text: "gone", charged: false },
  "a traffic split": { ...SOLD, path: "/split" },
  "a mirror": { ...SOLD, path: "/mirrored" },
  "a retry that succeeds": { ...SOLD, path: "/retried", runs: [2, 2] },
  "retries that all fail": { path: "/failing", status: 503, text: "never", runs: [2, 4], charged: false },
  HEAD: { ...SOLD, path: "/plain", method: "HEAD", text: "" },
  "HEAD of a fixed response": { ...OWN, path: "/fixed", method: "HEAD", text: "" },
  "a range": { ...SOLD, path: "/plain", headers: { range: "bytes=0-1" }, status: 206, text: "go" },
  "a range outside the response": {
    path: "/plain",
    headers: { range: "bytes=9-" },
    status: 416,
    text: "none",
    runs: [1, 2],
    charged: false,
  },
  "a condition that finds the client's copy current": {
    ...SOLD,
    path: "/plain",
    headers: { "if-none-match": ETAG },
    status: 304,
    text: "",
  },
  "a condition that fails": {
    path: "/plain",
    headers: { "if-match": '"two"' },
    status: 412,
    text: "changed",
    runs: [1, 2],
    charged: false,
  },
};

function isMoved(payment: PaymentPayload): boolean {
  return facilitator.transfers.has(nonceOf(payment));
}

function runsOf(path: string): number {
  return asked.one.concat(asked.two).filter((seen) => seen === path).length;
}

function hasReceipt(reply: Reply): boolean {
  const receipt = reply.header("payment-response");
  return receipt !== undefined && JSON.stringify(decodeHeader(receipt)).includes('"success":true');
}

let counter = 0;
/** The same path with a new query. */
function fresh(path: string): string {
  counter += 1;
  return `${path}?${counter}`;
}

describe.each(PROTOCOLS)("over %s", (protocol) => {
  for (const [kind, { path, method = "GET", headers = {}, body, status, text, runs, charged }] of Object.entries(
    SALES,
  )) {
    test(`${kind}: ${charged ? "charged once" : "not charged"}`, async () => {
      const target = fresh(path);
      const payment = newPayment(path === "/before" ? "before" : "after");
      const ask = (paid: Sent): Promise<Reply> =>
        gateway.request(protocol, {
          method,
          path: target,
          headers: { ...headers, ...paid },
          ...(body === undefined ? {} : { body }),
        });
      const refused = await ask({});
      expect([refused.status, runsOf(target), hasReceipt(refused)]).toEqual([402, 0, false]);
      const paid = { "payment-signature": encodeHeader(payment) };
      const first = await ask(paid);
      expect([first.status, first.text, runsOf(target), hasReceipt(first)]).toEqual([status, text, runs[0], charged]);
      if (charged)
        expect([first.header("cache-control"), first.header("cdn-cache-control")]).toEqual([
          expect.stringMatching(/^private\b(?!.*public)/),
          undefined,
        ]);
      const again = await ask(paid);
      // A response that was delivered in advance is not kept.
      if (path === "/before") expect([again.status, runsOf(target)]).toEqual([409, 1]);
      else
        expect([again.status, again.text, runsOf(target), hasReceipt(again)]).toEqual([status, text, runs[1], charged]);
      expect([facilitator.settles.get(nonceOf(payment)) ?? 0, isMoved(payment)]).toEqual([Number(charged), charged]);
      expect(leaked).toEqual([]);
    });
  }
});

const paidBy = (payment: PaymentPayload): Sent => ({ "payment-signature": encodeHeader(payment) });

describe.each(PROTOCOLS)("over %s", (protocol) => {
  test("a mirror gets one copy of a sold request, without the payment, and none of unpaid or repeated ones", async () => {
    const path = fresh("/mirrored");
    const payment = newPayment();
    await gateway.request(protocol, { path });
    for (const _ of [1, 2])
      expect((await gateway.request(protocol, { path, headers: paidBy(payment) })).status).toBe(200);
    // A later request, whose copy shows that all earlier copies have arrived.
    const last = fresh("/mirrored");
    await gateway.request(protocol, { path: last, headers: paidBy(newPayment()) });
    await until(() => asked.mirror.includes(last));
    expect(asked.mirror.filter((seen) => seen === path)).toHaveLength(1);
    expect(leaked).toEqual([]);
  });

  test("a stored response is sold again to each payment, and served to no other request", async () => {
    const path = fresh("/cached");
    const sell = async (method: string, headers: Sent = {}): Promise<unknown[]> => {
      expect((await gateway.request(protocol, { method, path, headers })).status).toBe(402);
      const payment = newPayment();
      const reply = await gateway.request(protocol, { method, path, headers: { ...headers, ...paidBy(payment) } });
      return [
        reply.status,
        reply.text,
        isMoved(payment),
        hasReceipt(reply),
        reply.header("cache-control")?.split(",")[0],
      ];
    };
    expect(await sell("GET")).toEqual([200, "goods", true, true, "private"]);
    expect(await sell("GET")).toEqual([200, "goods", true, true, "private"]);
    expect(await sell("HEAD")).toEqual([200, "", true, true, "private"]);
    expect(await sell("GET", { range: "bytes=0-1" })).toEqual([206, "go", true, true, "private"]);
    expect(await sell("GET", { "if-none-match": ETAG })).toEqual([304, "", true, true, "private"]);
    expect((await sell("GET", { range: "bytes=9-" })).slice(0, 3)).toEqual([416, expect.anything(), false]);
    expect(runsOf(path)).toBe(1);
  });

  test("static files have no price", async () => {
    expect((await gateway.request(protocol, { path: "/free.txt" })).text).toBe("free.txt");
  });

  test("a fixed body that was announced with Expect is requested for payments only", async () => {
    const path = fresh("/plain");
    const ask = (headers: Sent): Promise<Reply> =>
      gateway.request(protocol, {
        method: "POST",
        path,
        body: "order",
        headers: { expect: "100-continue", ...headers },
      });
    expect((await ask({})).status).toBe(402);
    expect((await ask(paidBy(newPayment()))).text).toBe("goods");
    expect(runsOf(path)).toBe(1);
  });
});

/** Sends a request over HTTP/1.1 without TLS, and returns all received bytes up to the end of the response. */
async function raw(lines: readonly string[], body = ""): Promise<string> {
  const client = await RawClient.open(gateway.plainPort);
  try {
    client.send(`${lines.join("\r\n")}\r\n\r\n`);
    if (body !== "") {
      await client.sees("100 Continue");
      client.send(body);
    }
    await client.finalResponse();
    return client.received;
  } finally {
    client.destroy();
  }
}

test("without payment, a client that waits for 100 gets 402 at once", async () => {
  const path = fresh("/plain");
  const lines = [`POST ${path} HTTP/1.1`, "Host: shop.test", "Expect: 100-continue", "Content-Length: 5"];
  expect(await raw(lines)).toStartWith("HTTP/1.1 402 ");
  const payment = newPayment();
  const paid = await raw([...lines, `PAYMENT-SIGNATURE: ${encodeHeader(payment)}`], "order");
  expect(paid).toMatch(/^HTTP\/1\.1 100 .*\r\n\r\nHTTP\/1\.1 200 /);
  expect([runsOf(path), isMoved(payment)]).toEqual([1, true]);
});

test.each(["h2c", "shop/2"])("Upgrade: %s has no effect on the price", async (protocol) => {
  const path = fresh("/plain");
  const lines = [`GET ${path} HTTP/1.1`, "Host: shop.test", "Connection: Upgrade", `Upgrade: ${protocol}`];
  expect(await raw(lines)).toStartWith("HTTP/1.1 402 ");
  const payment = newPayment();
  expect(await raw([...lines, `PAYMENT-SIGNATURE: ${encodeHeader(payment)}`])).toStartWith("HTTP/1.1 200 ");
  expect([runsOf(path), isMoved(payment)]).toEqual([1, true]);
});
