/** Fields about payments that clients forge, and requests beside paid ones: no client gets the name of a payer who did not pay. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { PAYER, signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { type ProtocolGateway, PROTOCOLS, startProtocols } from "../policy/protocols.ts";
import { serverAt } from "../support/gateway.ts";
import { valuesOf } from "../support/message.ts";
import { Folder } from "../support/program.ts";
import { RawClient } from "../support/raw-client.ts";
import { openTunnel } from "../websocket/testing/tunnel-client.ts";
import { TunnelOrigin } from "../websocket/testing/tunnel-origin.ts";
import { CountingFacilitator } from "./counting-facilitator.ts";
import { newPayment } from "./shops.ts";

setDefaultTimeout(patient(30_000));

const folder = new Folder();
const logPath = folder.file("access.log");
const facilitator = new CountingFacilitator();
const OTHER = "0x00000000000000000000000000000000000000aa";
const seen: { readonly path: string; readonly fields: Readonly<Record<string, string>> }[] = [];
let copies = 0;
const serve = {
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch(request: Request): Promise<Response> {
    await request.text();
    seen.push({ path: new URL(request.url).pathname, fields: Object.fromEntries(request.headers) });
    const payer = request.headers.get("turnpike-payer") ?? "nobody";
    return new Response(`for ${payer}`, { headers: { "cache-control": "max-age=100", vary: "Turnpike-Payer" } });
  },
};
const origin = Bun.serve(serve);
const mirror = Bun.serve({ ...serve, fetch: (request) => ((copies += 1), serve.fetch(request)) });
let tunnels: TunnelOrigin;
let gateway: ProtocolGateway;

beforeAll(async () => {
  tunnels = await TunnelOrigin.start();
  const route = { upstream: "origin", x402: TERMS };
  gateway = await startProtocols({
    access_log: { enabled: true, format: "json", path: logPath },
    x402: {
      enabled: true,
      facilitator_url: facilitator.url,
      public_url: "https://shop.test",
      payment_fields: { amount: "X-Paid-Amount" },
    },
    upstreams: [
      { name: "origin", servers: [serverAt(origin.port ?? 0)] },
      { name: "mirror", servers: [serverAt(mirror.port ?? 0)] },
      { name: "tunnels", servers: [serverAt(tunnels.port)] },
    ],
    routes: [
      { ...route, path_prefix: "/paid" },
      { ...route, path_prefix: "/mirrored", mirror: "mirror" },
      { ...route, path_prefix: "/cached", cache: { ttl_s: 100 } },
      { path_prefix: "/free", upstream: "origin" },
      {
        path_prefix: "/tunnel",
        upstream: "tunnels",
        x402: { ...TERMS, settle: "before", rules: [{ body_bytes: { min: 1000 }, price: "$5" }] },
      },
    ],
  });
});

afterAll(async () => {
  await gateway.stop();
  await facilitator.close();
  await Promise.all([origin.stop(true), mirror.stop(true), tunnels.stop()]);
  folder.remove();
});

const paid = (from?: `0x${string}`): { readonly "payment-signature": string } => ({
  "payment-signature": encodeHeader(from === undefined ? newPayment() : signedPayment(Date.now() / 1000, { from })),
});

function fieldsAt(path: string): Readonly<Record<string, string>> {
  return seen.findLast((one) => one.path === path)?.fields ?? {};
}

/** Spellings in which clients forge a field. */
const LINES = [
  `Turnpike-Payer: ${OTHER}\r\nturnpike-payer: ${OTHER}\r\n`,
  `TURNPIKE_PAYER: ${OTHER}\r\nTurnpike_payer: ${OTHER}\r\n`,
  `X-Paid_Amount: 1\r\nx_paid-amount: 1\r\nX_PAID_AMOUNT: 1\r\n`,
  `Connection: turnpike-payer, x-paid-amount\r\n`,
  `Connection: turnpike-payer\r\nTurnpike-Payer: ${OTHER}\r\n`,
];

test.each(LINES)("forged lines over a raw connection: %j", async (lines) => {
  const client = await RawClient.open(gateway.plainPort);
  for (const path of ["/paid/raw", "/free/raw"]) {
    const payment = path.startsWith("/paid") ? `PAYMENT-SIGNATURE: ${paid()["payment-signature"]}\r\n` : "";
    client.send(
      `POST ${path} HTTP/1.1\r\nHost: a.test\r\n${payment}${lines}Transfer-Encoding: chunked\r\nTrailer: turnpike-payer\r\n\r\n` +
        `1\r\nx\r\n0\r\nTurnpike-Payer: ${OTHER}\r\nX_Paid-Amount: 1\r\n\r\n`,
    );
    await client.finalResponse("POST");
    const fields = Object.entries(fieldsAt(path)).filter(([name]) => /turnpike|paid/i.test(name));
    const names = ["turnpike-payer", "x-paid-amount", "turnpike-asset", "turnpike-network", "turnpike-payment-id"];
    expect(fields.map(([name]) => name).toSorted()).toEqual(path === "/paid/raw" ? names.toSorted() : []);
    if (path === "/paid/raw")
      expect(fieldsAt(path)).toMatchObject({ "turnpike-payer": PAYER.toLowerCase(), "x-paid-amount": "10000" });
  }
  client.destroy();
});

test("folded lines and white space before the colon are refused", async () => {
  for (const line of [`X-A: 1\r\n Turnpike-Payer: ${OTHER}\r\n`, `Turnpike-Payer : ${OTHER}\r\n`]) {
    const client = await RawClient.open(gateway.plainPort);
    client.send(`GET /free/fold HTTP/1.1\r\nHost: a.test\r\n${line}\r\n`);
    expect((await client.finalResponse()).startLine).toBe("HTTP/1.1 400 Bad Request");
    client.destroy();
  }
});

/** The lines of the access log about three requests of one connection. */
function loggedLines(): string[] {
  return readFileSync(logPath, "utf8")
    .split("\n")
    .filter((line) => /\/(?:first|second|third)"/.test(line));
}

test("a free request after a paid one on the same connection has no payer", async () => {
  const client = await RawClient.open(gateway.plainPort);
  client.send(
    `GET /paid/first HTTP/1.1\r\nHost: a.test\r\nPAYMENT-SIGNATURE: ${paid()["payment-signature"]}\r\n\r\n` +
      `GET /free/second HTTP/1.1\r\nHost: a.test\r\n\r\nGET /paid/third HTTP/1.1\r\nHost: a.test\r\n\r\n`,
  );
  for (let i = 0; i < 3; i++) await client.finalResponse();
  client.destroy();
  expect(fieldsAt("/free/second")).not.toContainAnyKeys(["turnpike-payer", "x-paid-amount"]);
  await until(() => loggedLines().length >= 3);
  expect(loggedLines().map((line) => (JSON.parse(line) as { payer?: string }).payer)).toEqual([
    PAYER.toLowerCase(),
    undefined,
    undefined,
  ]);
});

for (const protocol of PROTOCOLS) {
  test(`a mirror gets the payer of the payment only: ${protocol}`, async () => {
    const before = copies;
    expect((await gateway.request(protocol, { path: "/mirrored", headers: { "turnpike-payer": OTHER } })).status).toBe(
      402,
    );
    expect(
      (await gateway.request(protocol, { path: "/mirrored", headers: { "turnpike-payer": OTHER, ...paid() } })).status,
    ).toBe(200);
    await until(() => copies > before);
    expect(copies).toBe(before + 1);
    for (const { fields } of seen.filter(({ path }) => path === "/mirrored"))
      expect(fields["turnpike-payer"]).toBe(PAYER.toLowerCase());
  });

  test(`a cache keeps the responses of payers apart by Vary: ${protocol}`, async () => {
    const path = `/cached/${protocol.replace("/", "")}`;
    for (const [from, forged] of [
      [undefined, OTHER],
      [OTHER, PAYER],
      [undefined, OTHER],
    ] as const) {
      const headers = { "turnpike-payer": forged, ...paid(from) };
      const reply = await gateway.request(protocol, { path, headers });
      expect([reply.status, reply.text]).toEqual([200, `for ${(from ?? PAYER).toLowerCase()}`]);
    }
  });
}

for (const kind of ["HTTP/1.1", "HTTP/2"] as const) {
  test(`a tunnel is sold at the price of a request without a body, and its upstream gets the payer: ${kind}`, async () => {
    const ports = { port: gateway.plainPort, tlsPort: gateway.tlsPort };
    const fields = {
      "turnpike-payer": OTHER,
      turnpike_payer: OTHER,
      "payment-signature": encodeHeader(newPayment("before")),
    };
    const opened = await openTunnel(kind, ports, { path: "/tunnel", fields });
    expect(opened.status).toBe(kind === "HTTP/2" ? 200 : 101);
    const [request] = tunnels.requests.splice(0);
    expect(request && valuesOf(request, "turnpike-payer")).toEqual([PAYER.toLowerCase()]);
    opened.end.send("hello");
    const upstream = tunnels.tunnels.at(-1);
    await until(() => upstream?.text === "hello");
    opened.destroy();
  });
}
