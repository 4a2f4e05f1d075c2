/** The payer in upstream requests, logs, usage and limits, over each protocol and under both times of settlement. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { PAYER, REQUIREMENTS, signedPayment, TERMS, USDC } from "../../src/payments/testing/payment.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { type PaymentPayload } from "../../src/payments/x402/messages.ts";
import { type ProtocolGateway, PROTOCOLS, startProtocols } from "../policy/protocols.ts";
import { serverAt } from "../support/gateway.ts";
import { Folder } from "../support/program.ts";
import { CountingFacilitator } from "./counting-facilitator.ts";
import { newPayment, nonceOf } from "./shops.ts";

setDefaultTimeout(patient(30_000));

const SECRET = "a secret of at least 24 bytes";
const OTHER_PAYER = "0x00000000000000000000000000000000000000aa";

const facilitator = new CountingFacilitator();
const folder = new Folder();
const logPath = folder.file("access.log");
/** Fields of the last request by path. */
const seen = new Map<string, Readonly<Record<string, string>>>();
const origin = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  fetch(request) {
    seen.set(new URL(request.url).pathname, Object.fromEntries(request.headers));
    return new Response("goods");
  },
});
let gateway: ProtocolGateway;
let renamed: ProtocolGateway;

beforeAll(async () => {
  const x402 = { enabled: true, facilitator_url: facilitator.url, public_url: "https://shop.test" };
  const upstreams = [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }];
  const route = { path_prefix: "/", upstream: "origin" };
  const limit = { requests_per_second: 0.001, burst_size: 2, key: "payer" };
  gateway = await startProtocols({
    access_log: { enabled: true, format: "json", path: logPath },
    x402,
    upstreams,
    routes: [
      { ...route, path_prefix: "/after", x402: TERMS },
      { ...route, path_prefix: "/before", x402: { ...TERMS, settle: "before" } },
      { ...route, path_prefix: "/limited", x402: TERMS, rate_limit: limit },
      { ...route, path_prefix: "/limited-before", x402: { ...TERMS, settle: "before" }, rate_limit: limit },
      route,
    ],
  });
  renamed = await startProtocols(
    {
      access_log: { enabled: true, format: "combined", path: `${logPath}.combined` },
      x402: {
        ...x402,
        payment_fields: { payer: "X-Paid-By", asset: "", signature: "X-Paid-Proof", secret_env: "FIELDS_SECRET" },
      },
      upstreams,
      routes: [{ ...route, path_prefix: "/after", x402: TERMS }, route],
    },
    { FIELDS_SECRET: SECRET.replaceAll(" ", "-") },
  );
});

afterAll(async () => {
  await gateway.stop();
  await renamed.stop();
  await facilitator.close();
  await origin.stop(true);
  folder.remove();
});

function paid(payment: PaymentPayload): { "payment-signature": string } {
  return { "payment-signature": encodeHeader(payment) };
}

/** The fields of the last request to a path that begin with `prefix`. */
function told(path: string, prefix = "turnpike-"): Record<string, string> {
  return Object.fromEntries(Object.entries(seen.get(path) ?? {}).filter(([name]) => name.startsWith(prefix)));
}

const FORGED = {
  "turnpike-payer": OTHER_PAYER,
  "turnpike-amount": "1",
  turnpike_payer: OTHER_PAYER,
  "turnpike-signature": "forged",
};

for (const protocol of PROTOCOLS) {
  for (const settle of ["after", "before"] as const) {
    test(`the upstream gets the payment and not the client's own fields: ${settle}, ${protocol}`, async () => {
      const path = `/${settle}/${protocol.replace("/", "")}`;
      const payment = newPayment(settle);
      const reply = await gateway.request(protocol, { path, headers: { ...FORGED, ...paid(payment) } });
      expect(reply.status).toBe(200);
      const transaction = facilitator.transfers.get(nonceOf(payment)) ?? "";
      expect(told(path, "turnpike")).toEqual({
        "turnpike-payer": PAYER.toLowerCase(),
        "turnpike-amount": REQUIREMENTS.amount,
        "turnpike-asset": USDC.toLowerCase(),
        "turnpike-network": REQUIREMENTS.network,
        "turnpike-payment-id": nonceOf(payment),
        ...(settle === "before" ? { "turnpike-transaction": transaction } : {}),
      });
    });
  }

  test(`without a price, the client's own fields are removed from head and trailers: ${protocol}`, async () => {
    const path = `/free/${protocol.replace("/", "")}`;
    const request = {
      method: "POST",
      path,
      headers: FORGED,
      body: "x",
      trailers: [["turnpike-payer", OTHER_PAYER]] as const,
    };
    expect((await gateway.request(protocol, request)).status).toBe(200);
    expect(told(path, "turnpike")).toEqual({});
    const other = { path: `${path}/renamed`, headers: { "x-paid-by": OTHER_PAYER, x_paid_by: OTHER_PAYER } };
    expect((await renamed.request(protocol, other)).status).toBe(200);
    expect(told(other.path, "x")).not.toContainAnyKeys(["x-paid-by", "x_paid_by"]);
  });

  test(`fields have the configured names and a signature: ${protocol}`, async () => {
    const path = `/after/signed/${protocol.replace("/", "")}`;
    const payment = newPayment();
    const headers = { "x-paid-by": OTHER_PAYER, "x-paid-proof": "forged", ...paid(payment) };
    expect((await renamed.request(protocol, { path, headers })).status).toBe(200);
    const fields = told(path, "");
    expect(fields["x-paid-by"]).toBe(PAYER.toLowerCase());
    expect(fields["turnpike-asset"]).toBeUndefined();
    const [, at = "", signature = ""] = /^t=(\d+) v1,(\S+)$/.exec(fields["x-paid-proof"] ?? "") ?? [];
    expect(Math.abs(Number(at) - Date.now() / 1000)).toBeLessThan(60);
    const { amount, network } = REQUIREMENTS;
    const signed = [at, PAYER.toLowerCase(), amount, USDC.toLowerCase(), network, nonceOf(payment), ""].join(".");
    const secret = SECRET.replaceAll(" ", "-");
    expect(signature).toBe(createHmac("sha256", secret).update(signed).digest("base64"));
  });
}

/** The lines of a log about a path, when all of them are written. */
async function linesAbout(path: string, log: string, number: number): Promise<string[]> {
  const read = (): string[] =>
    readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line.includes(path));
  await until(() => read().length >= number);
  return read();
}

test("access logs name the payer, and only after the payment was verified", async () => {
  await gateway.plain({ path: "/after/logged" });
  await gateway.plain({ path: "/after/logged", headers: paid(newPayment()) });
  await gateway.plain({ path: "/free/logged" });
  const lines = await linesAbout("/logged", logPath, 3);
  const [unpaid, sold, free] = lines.map((line): unknown => JSON.parse(line));
  expect(sold).toMatchObject({ status: 200, consumer: PAYER.toLowerCase(), payer: PAYER.toLowerCase() });
  for (const line of [unpaid, free]) expect(line).not.toContainAnyKeys(["consumer", "payer"]);
  await renamed.plain({ path: "/after/logged", headers: paid(newPayment()) });
  const [line] = await linesAbout("/logged", `${logPath}.combined`, 1);
  expect(line).toStartWith(`127.0.0.1 - ${PAYER.toLowerCase()} [`);
});

async function pay(
  path: string,
  settle: "before" | "after",
  from: string,
): Promise<{ readonly status: number; readonly nonce: string }> {
  const extra = settle === "before" ? { ...REQUIREMENTS.extra, paymentFlow: "upfront" } : REQUIREMENTS.extra;
  const signed = signedPayment(Date.now() / 1000, { from: `0x${from.slice(2)}` });
  const payment = { ...signed, accepted: { ...REQUIREMENTS, extra } };
  const { status } = await gateway.plain({ path, headers: paid(payment) });
  return { status, nonce: nonceOf(payment) };
}

for (const [path, settle] of [
  ["/limited", "after"],
  ["/limited-before", "before"],
] as const) {
  test(`a payer beyond the limit is not charged, and other payers are served: ${settle}`, async () => {
    expect((await pay(path, settle, PAYER)).status).toBe(200);
    expect((await pay(path, settle, PAYER)).status).toBe(200);
    const refused = await pay(path, settle, PAYER);
    expect(refused.status).toBe(429);
    expect((await pay(path, settle, OTHER_PAYER)).status).toBe(200);
    expect(facilitator.settles.has(refused.nonce)).toBe(false);
    // Requests without a payment use up no limit of a payer.
    for (let i = 0; i < 3; i++) expect((await gateway.plain({ path })).status).toBe(402);
    expect((await pay(path, settle, OTHER_PAYER)).status).toBe(200);
  });
}
