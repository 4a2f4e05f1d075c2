/** Jobs that are paid by `exact`, over every protocol: one whose settlement is refused does no work, one that is settled does. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { baseUrl } from "../../src/content/testing/client.ts";
import { startTestService, type TestService } from "../../src/content/testing/service.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { PAYER, REQUIREMENTS, signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { serverAt } from "../support/gateway.ts";
import { PROTOCOLS, type Protocol, type ProtocolGateway, startProtocols } from "../policy/protocols.ts";
import { CountingFacilitator } from "./counting-facilitator.ts";

setDefaultTimeout(patient(60_000));

const loaded: string[] = [];
const refused = new Set<string>();
let site: Bun.Server<undefined>;
let content: TestService;
let facilitator: CountingFacilitator;
let gateway: ProtocolGateway;

beforeAll(async () => {
  site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch({ url }) {
      loaded.push(new URL(url).pathname);
      const html = "<!doctype html><title>Pier</title><article><p>The pier of the harbour</p></article>";
      return new Response(html, { headers: { "content-type": "text/html" } });
    },
  });
  content = await startTestService({ firecrawl: true });
  facilitator = new CountingFacilitator();
  facilitator.hand = ({ path, nonce }) =>
    path === "/settle" && refused.has(nonce)
      ? Response.json({ success: false, transaction: "", network: TERMS.network, errorReason: "insufficient_funds" })
      : undefined;
  gateway = await startProtocols({
    x402: { enabled: true, facilitator_url: facilitator.url },
    upstreams: [{ name: "content", servers: [serverAt(Number(new URL(baseUrl(content.service)).port))] }],
    routes: [
      ...["/crawl", "/batch", "/v2/"].map((prefix) => ({ path_prefix: prefix, upstream: "content", x402: TERMS })),
      ...["/crawl/", "/batch/"].map((prefix) => ({ path_prefix: prefix, upstream: "content" })),
      { path_prefix: "/v2/crawl/", upstream: "content" },
    ],
  });
});

afterAll(async () => {
  await gateway.stop();
  await facilitator.close();
  await content.close();
  await site.stop(true);
});

const ORDERS: readonly (readonly [path: string, body: (url: string) => object])[] = [
  ["/crawl", (url) => ({ urls: [url], limit: 1, sitemap: "skip" })],
  ["/batch", (url) => ({ urls: [url], async: true })],
  ["/v2/crawl", (url) => ({ url, limit: 1, sitemap: "skip" })],
];

interface Order {
  readonly path: string;
  readonly body: object;
  readonly isRefused: boolean;
}

/** Orders a job with a new payment. */
async function order(protocol: Protocol, { path, body, isRefused }: Order) {
  const payment = signedPayment(Date.now() / 1000);
  if (isRefused) refused.add(payment.payload.authorization.nonce.toLowerCase());
  const headers = {
    "content-type": "application/json",
    authorization: "Bearer fc-mine",
    "payment-signature": encodeHeader(payment),
  };
  return await gateway.request(protocol, { method: "POST", path, headers, body: JSON.stringify(body) });
}

test.each(ORDERS)(
  "a request for %s that is sent again with its payment gets the same job, and no second one",
  async (path, bodyOf) => {
    const name = `/again${path}/`;
    const ask = async (id: string, transaction?: string) => {
      const { network, asset } = REQUIREMENTS;
      const told = {
        "payment-id": id,
        payer: PAYER,
        network,
        asset,
        ...(transaction === undefined ? {} : { transaction }),
      };
      const fields = Object.entries(told).map(([field, value]) => [`turnpike-${field}`, value]);
      const reply = await fetch(`${baseUrl(content.service)}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: "Bearer fc-mine", ...Object.fromEntries(fields) },
        body: JSON.stringify(bodyOf(`http://127.0.0.1:${site.port}${name}`)),
      });
      return (await reply.json()) as { id: string; secret?: string };
    };
    const [first, again, other] = [await ask("0x1"), await ask("0x1"), await ask("0x2")];
    expect([again.id === first.id, other.id === first.id]).toEqual([true, false]);
    expect(loaded).not.toContain(name);
    const settled = await ask("0x1", "0xabc");
    expect(settled.id).toBe(first.id);
    await until(() => loaded.includes(name));
    for (const { secret } of [first, settled]) {
      if (secret === undefined) continue;
      const reply = await fetch(`${baseUrl(content.service)}${path}/${first.id}`, {
        headers: { "x-job-secret": secret },
      });
      expect(reply.status).toBe(secret === settled.secret ? 200 : 404);
    }
  },
);

for (const protocol of PROTOCOLS) {
  test.each(ORDERS)(`${protocol}: a job of %s whose settlement is refused loads nothing`, async (path, bodyOf) => {
    const name = (what: string) => `/${what}/${protocol.replace("/", "-")}${path}/`;
    const at = (what: string) => `http://127.0.0.1:${site.port}${name(what)}`;
    const unpaid = await order(protocol, { path, body: bodyOf(at("unpaid")), isRefused: true });
    expect(unpaid.status).toBe(402);
    const paid = await order(protocol, { path, body: bodyOf(at("paid")), isRefused: false });
    expect([paid.status < 300, paid.header("payment-response") === undefined]).toEqual([true, false]);
    const { id, secret = "" } = JSON.parse(paid.text) as { id: string; secret?: string };
    // The jobs of a service begin in the order of their creation.
    await until(async () => {
      const headers = { "x-job-secret": secret, authorization: "Bearer fc-mine" };
      const reply = await gateway.request(protocol, { path: `${path}/${id}`, headers });
      expect(reply.status).toBe(200);
      return loaded.includes(name("paid"));
    });
    expect(loaded).not.toContain(name("unpaid"));
  });
}
