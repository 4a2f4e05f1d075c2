/** Spans of paid requests, as OpenTelemetry's own code reads them. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import * as stable from "@opentelemetry/semantic-conventions";
import * as incubating from "@opentelemetry/semantic-conventions/incubating";
import { until } from "../../src/lib/testing/until.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { PAYER, REQUIREMENTS, signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { Clients, PROTOCOLS, type Protocol, type ProtocolGateway, type Reply, startProtocols } from "./protocols.ts";
import { attributesOf, type DecodedSpan, decodeExport, spansIn } from "./testing/otlp.ts";
import { Folder } from "../support/program.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

const PARENT = "b7ad6b7169203331";
const KEY = "s3cret-of-ann";

const exported: string[] = [];
const collector = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    exported.push(await request.text());
    return Response.json({});
  },
});

/** The facilitator's handling of a settlement. */
let settle: () => Promise<object>;
let settling = 0;
const settled = {
  success: true,
  transaction: `0x${"ab".repeat(32)}`,
  network: "eip155:84532",
  payer: PAYER,
};
const facilitator = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/supported")
      return Response.json({ kinds: [{ x402Version: 2, scheme: "exact", network: "eip155:84532" }] });
    if (pathname === "/verify") return Response.json({ isValid: true, payer: PAYER });
    settling++;
    return Response.json(await settle());
  },
});
const origin = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("the goods") });
const dead = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("") });
const deadPort = dead.port;
await dead.stop(true);

let folder: Folder;
let gateway: ProtocolGateway;
let clients: Clients;

beforeAll(async () => {
  folder = new Folder();
  const server = { address: "127.0.0.1", port: origin.port };
  const auth = { type: "api_key", keys: [{ name: "ann", key: KEY }] };
  gateway = await startProtocols({
    state_path: folder.path,
    x402: { enabled: true, facilitator_url: facilitator.url.origin },
    upstreams: [
      { name: "app", servers: [server] },
      {
        name: "shaky",
        servers: [
          { address: "127.0.0.1", port: deadPort, max_fails: 1000 },
          { ...server, backup: true },
        ],
      },
    ],
    routes: [
      {
        path_prefix: "/after",
        upstream: "shaky",
        retry: { max_retries: 2 },
        rewrite_pattern: "/after",
        auth,
        x402: TERMS,
      },
      { path_prefix: "/before", upstream: "app", auth, x402: { ...TERMS, settle: "before" } },
    ],
    otel: { enabled: true, collector_url: collector.url.origin, max_batch_size: 1, service_name: "edge" },
  });
  clients = new Clients(gateway.tlsPort, gateway.quicPort);
});

afterAll(async () => {
  await clients.close();
  await gateway.stop();
  for (const server of [collector, facilitator, origin]) await server.stop(true);
  folder.remove();
});

beforeEach(() => {
  settle = async () => settled;
});

let traces = 0;

/** The header fields of a paid request in its own trace. */
function paid(isBefore = false): { traceId: string; headers: readonly (readonly [string, string])[] } {
  const traceId = (++traces).toString(16).padStart(32, "c");
  const payment = signedPayment(Date.now() / 1000);
  const upfront = { ...REQUIREMENTS, extra: { ...REQUIREMENTS.extra, paymentFlow: "upfront" } };
  return {
    traceId,
    headers: [
      ["traceparent", `00-${traceId}-${PARENT}-01`],
      ["x-api-key", KEY],
      ["payment-signature", encodeHeader(isBefore ? { ...payment, accepted: upfront } : payment)],
    ],
  };
}

function spansOf(traceId: string): DecodedSpan[] {
  return spansIn(exported.filter((json) => json.includes(traceId))).filter((span) => span.traceId === traceId);
}

/**
 * The spans of the trace by their names, after this number has arrived. Spans of servers and clients have the names
 * `SERVER` and `CLIENT`.
 */
async function named(traceId: string, count: number): Promise<Map<string, DecodedSpan>> {
  await until(() => spansOf(traceId).length >= count, 10_000, `${count} spans of ${traceId}`);
  const kinds = ["", "", "SERVER", "CLIENT"];
  return new Map(spansOf(traceId).map((span) => [kinds[span.kind] || span.name, span]));
}

async function buy(protocol: Protocol, path: string): Promise<{ reply: Reply; traceId: string }> {
  const { traceId, headers } = paid(path.startsWith("/before"));
  return { traceId, reply: await gateway.request(protocol, { path, headers }) };
}

const begin = (span: DecodedSpan | undefined): bigint => BigInt(span?.startTimeUnixNano ?? "-1");
const end = (span: DecodedSpan | undefined): bigint => BigInt(span?.endTimeUnixNano ?? "-1");

test.each([...PROTOCOLS])("a payment that is settled after the response is, over %s", async (protocol) => {
  const { reply, traceId } = await buy(protocol, "/after/x?a=1&token=hush");
  expect([reply.status, reply.text]).toEqual([200, "the goods"]);
  const spans = await named(traceId, 7);
  expect([...spans.keys()].toSorted()).toEqual([
    "CLIENT",
    "SERVER",
    "auth",
    "payment",
    "payment.settle",
    "payment.verify",
  ]);
  const [server, payment, verify, responded, settlement] = [
    "SERVER",
    "payment",
    "payment.verify",
    "CLIENT",
    "payment.settle",
  ].map((name) => spans.get(name));
  expect([server?.parentSpanId, payment?.parentSpanId, verify?.parentSpanId, settlement?.parentSpanId]).toEqual([
    PARENT,
    server?.spanId,
    payment?.spanId,
    server?.spanId,
  ]);
  expect(begin(verify)).toBeGreaterThanOrEqual(begin(payment));
  expect(end(verify)).toBeLessThanOrEqual(end(payment));
  expect(begin(settlement)).toBeGreaterThanOrEqual(begin(responded));
  expect(end(settlement)).toBeGreaterThan(begin(settlement));
  // The client waits for the settlement.
  expect(end(server)).toBeGreaterThanOrEqual(end(settlement));
  expect([verify?.status, settlement?.status]).toEqual([undefined, undefined]);
});

test.each([...PROTOCOLS])("a payment that is settled before the upstream request, over %s", async (protocol) => {
  const { reply, traceId } = await buy(protocol, "/before/x");
  expect([reply.status, reply.text]).toEqual([200, "the goods"]);
  const spans = await named(traceId, 6);
  expect(spans.get("payment.settle")?.parentSpanId).toBe(spans.get("payment")?.spanId);
  expect(end(spans.get("payment.settle"))).toBeLessThanOrEqual(begin(spans.get("CLIENT")));
});

test.each([...PROTOCOLS])("a settlement that fails is an error of its own span, over %s", async (protocol) => {
  settle = async () => ({
    success: false,
    errorReason: "insufficient_funds",
    transaction: "",
    network: "eip155:84532",
  });
  const { reply, traceId } = await buy(protocol, "/after/x");
  expect(reply.status).toBe(402);
  const spans = await named(traceId, 7);
  const settlement = spans.get("payment.settle");
  expect([settlement?.status, attributesOf(settlement?.attributes)]).toEqual([
    { code: 2 },
    { "error.type": "refused" },
  ]);
  expect(spans.get("SERVER")?.status).toBe(undefined);
});

test.each([...PROTOCOLS])("a settlement that ends after its client has left is exported, over %s", async (protocol) => {
  const gate = Promise.withResolvers<object>();
  settle = () => gate.promise;
  const before = settling;
  const { traceId, headers } = paid();
  const leave = await clients.open(protocol, "/after/x", headers);
  await until(() => settling > before);
  leave();
  const first = await named(traceId, 6);
  expect(first.has("payment.settle")).toBe(false);
  expect(attributesOf(first.get("SERVER")?.attributes)["error.type"]).toBe("client_gone");
  gate.resolve(settled);
  const settlement = (await named(traceId, 7)).get("payment.settle");
  expect(settlement?.parentSpanId).toBe(first.get("SERVER")?.spanId);
  expect(end(settlement)).toBeGreaterThanOrEqual(end(first.get("SERVER")));
  expect(settlement?.status).toBe(undefined);
  expect(spansOf(traceId)).toHaveLength(7);
});

/** All attribute names of OpenTelemetry. */
function namesOf(conventions: object): Set<unknown> {
  const constants = Object.entries(conventions).filter(([name]) => name.startsWith("ATTR_"));
  return new Set(constants.map(([, value]) => value));
}

/** The attributes that the conventions require of a client's span. */
function tryAt(port: number | undefined): object {
  return {
    [stable.ATTR_HTTP_REQUEST_METHOD]: "GET",
    [stable.ATTR_SERVER_ADDRESS]: "127.0.0.1",
    [stable.ATTR_SERVER_PORT]: String(port),
    [stable.ATTR_URL_FULL]: `http://127.0.0.1:${port}/x?a=1&token=REDACTED`,
  };
}

test("names of attributes are OpenTelemetry's stable ones, and the attributes that HTTP's conventions require are set", async () => {
  const { traceId } = await buy("HTTP/2", "/after/x?a=1&token=hush");
  await named(traceId, 7);
  const keys = exported.flatMap((json) =>
    decodeExport(json).resourceSpans.flatMap(({ resource, scopeSpans }) => [
      ...resource.attributes,
      ...scopeSpans.flatMap(({ spans }) => spans.flatMap(({ attributes = [] }) => attributes)),
    ]),
  );
  const known = namesOf(stable);
  const strangers = new Set(keys.map(({ key }) => key).filter((key) => !known.has(key)));
  // The conventions have no stable attribute for a user, and none for a payer.
  expect([...strangers]).toEqual(["enduser.id", "turnpike.payer"]);
  expect(namesOf(incubating).has("enduser.id")).toBe(true);
  const spans = spansOf(traceId);
  const [server] = spans.filter(({ kind }) => kind === 2).map(({ attributes }) => attributesOf(attributes));
  expect(server).toMatchObject({
    [stable.ATTR_HTTP_REQUEST_METHOD]: "GET",
    [stable.ATTR_URL_SCHEME]: "https",
    [stable.ATTR_URL_PATH]: "/after/x",
    [stable.ATTR_URL_QUERY]: "a=1&token=REDACTED",
    [stable.ATTR_HTTP_ROUTE]: "/after",
    [stable.ATTR_HTTP_RESPONSE_STATUS_CODE]: "200",
    [stable.ATTR_SERVER_ADDRESS]: "localhost",
    [stable.ATTR_CLIENT_ADDRESS]: "127.0.0.1",
    [stable.ATTR_NETWORK_PROTOCOL_NAME]: "http",
    [stable.ATTR_NETWORK_PROTOCOL_VERSION]: "2",
  });
  const tries = spans.filter(({ kind }) => kind === 3);
  const told = tries.map(({ attributes, status }) => ({ ...attributesOf(attributes), code: status?.code }));
  expect(told).toMatchObject([
    { ...tryAt(deadPort), [stable.ATTR_ERROR_TYPE]: expect.any(String), code: 2 },
    { ...tryAt(origin.port), [stable.ATTR_HTTP_REQUEST_RESEND_COUNT]: "1", code: undefined },
  ]);
});

test("an export names its service", async () => {
  const { traceId } = await buy("HTTP/1.1", "/before/x");
  await named(traceId, 6);
  const [first] = decodeExport(exported.find((json) => json.includes(traceId)) ?? "").resourceSpans;
  expect(attributesOf(first?.resource.attributes ?? [])).toMatchObject({
    [stable.ATTR_SERVICE_NAME]: "edge",
    [stable.ATTR_TELEMETRY_SDK_NAME]: "turnpike",
    [stable.ATTR_TELEMETRY_SDK_LANGUAGE]: "nodejs",
  });
  expect(first?.scopeSpans[0]?.scope).toMatchObject({ name: "turnpike", version: expect.any(String) });
});

test("spans contain neither keys nor payments", () => {
  const told = exported.join("");
  expect(told).not.toContain(KEY);
  expect(told).not.toContain("hush");
  // The payer is public; what spends its money is not.
  expect(told).toContain(PAYER.toLowerCase());
  expect(told).not.toContain("ignature");
  expect(told).not.toContain("nonce");
});
