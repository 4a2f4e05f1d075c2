/** Real gateways that post settlement records, and look up the payments that an earlier gateway left open. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { messageOf } from "../../src/lib/caught.ts";
import { until } from "../../src/lib/testing/until.ts";
import { createSimulatedFacilitator } from "../../src/payments/facilitator/simulated-facilitator.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { type Eip3009Payment } from "../../src/payments/x402/messages.ts";
import { paymentKey } from "../../src/payments/x402/payment-key.ts";
import { toStored } from "../../src/payments/settlement/stored-payment.ts";
import { REQUIREMENTS, signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { WebhookReceiver } from "../../src/payments/testing/webhook-receiver.ts";
import { openStore } from "../../src/store/open/open-store.ts";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";
import { COMMAND, Folder } from "../support/program.ts";
import { patient } from "../../src/lib/testing/patience.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(60_000));

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

let origin: Bun.Server<undefined>;
let receiver: WebhookReceiver;
let folder: Folder;
let gateway: Gateway | undefined;

beforeAll(() => {
  origin = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("the goods") });
});

beforeEach(() => {
  folder = new Folder();
  receiver = new WebhookReceiver(Buffer.from(SECRET.slice("whsec_".length), "base64"));
});

afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  await receiver.stop();
  folder.remove();
});

afterAll(() => origin.stop(true));

async function start(server: object = {}, environment: Record<string, string> = {}): Promise<Gateway> {
  gateway = await startGateway(
    {
      server,
      state_path: folder.path,
      x402: { enabled: true, test_mode: true, public_url: "https://shop.test" },
      upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
      routes: [
        {
          path_prefix: "/paid",
          upstream: "origin",
          x402: { ...TERMS, settlement_url: receiver.url, gateway_id: "shop-1" },
        },
      ],
    },
    { TURNPIKE_SETTLEMENT_SECRET: SECRET, ...environment },
  );
  return gateway;
}

/** The accepted requirements contain the gateway's name. */
function fresh(): Eip3009Payment {
  const payment = signedPayment(Date.now() / 1000);
  return { ...payment, accepted: { ...REQUIREMENTS, extra: { ...REQUIREMENTS.extra, gatewayId: "shop-1" } } };
}

/** The transaction hashes of test mode, wherever they appear. */
function transactions(told: unknown): string[] {
  return (
    JSON.stringify(told)
      .match(/"0x7e577e57[0-9a-f]{56}"/g)
      ?.toSorted() ?? []
  );
}

function pay(port: number, payment: unknown): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/paid`, { headers: { "payment-signature": encodeHeader(payment) } });
}

async function metric(port: number, line: string): Promise<number> {
  const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const found = page.split("\n").find((text) => text.startsWith(`${line} `));
  return Number(found?.slice(line.length + 1) ?? Number.NaN);
}

async function ledger(...args: string[]): Promise<unknown> {
  const child = Bun.spawn([...COMMAND, "ledger", ...args, "--json", "--store", folder.file("turnpike.db")]);
  return JSON.parse(await new Response(child.stdout).text());
}

test("two workers post each settlement once, signed, and the ledger shows the same meanwhile", async () => {
  const { port } = await start({ workers: 2 });
  const payments = Array.from({ length: 10 }, fresh);
  const responses = await Promise.all(payments.map((payment) => pay(port, payment)));
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
  await until(() => receiver.received.length === 10);
  expect(receiver.received.every(({ isGenuine }) => isGenuine)).toBe(true);
  const records: unknown[] = receiver.received.map(({ body }) => JSON.parse(body));
  for (const record of records) {
    expect(record).toMatchObject({
      type: "payment.settled",
      data: { gateway_id: "shop-1", route: "/paid", amount: "10000", network: "eip155:84532", test_mode: true },
    });
  }
  const told = await ledger("list", "--state", "settled");
  expect(transactions(told)).toHaveLength(10);
  expect(transactions(records)).toEqual(transactions(told));
  expect(await ledger("totals", "--by", "route")).toMatchObject([{ route: "/paid", payments: 10, amount: "100000" }]);
  await until(async () => (await metric(port, 'turnpike_settlement_records_total{result="posted"}')) === 10);
  expect(await metric(port, 'turnpike_payments_total{outcome="settled"}')).toBe(10);
  expect(await metric(port, 'turnpike_payments_total{outcome="delivered"}')).toBe(10);
});

test("a record that the endpoint refused is posted by the next gateway, and no log has the endpoint's secrets", async () => {
  receiver.response = () => new Response("no", { status: 500 });
  const first = await start();
  await pay(first.port, fresh());
  await until(() => first.output().includes("was not accepted: status 500"));
  expect(await metric(first.port, 'turnpike_settlement_records_total{result="failed"}')).toBe(1);
  await first.kill();
  receiver.response = () => new Response("yes");
  const second = await start();
  await until(() => receiver.received.length === 2, 30_000);
  expect(receiver.received[1]?.id).toBe(receiver.received[0]?.id ?? "");
  expect(receiver.received[1]?.isGenuine).toBe(true);
  for (const ran of [first, second]) expect(ran.output()).not.toMatch(/path-secret|query-secret|whsec_/);
});

test("payments that an earlier gateway left unknown are looked up at start: settled ones are posted, and the payer gets the response", async () => {
  const minuteAgo = Date.now() - 60_000;
  const payment = signedPayment(Date.now() / 1000);
  const store = openStore(folder.file("turnpike.db"), () => minuteAgo);
  const { payment: row } = await store.ledger.reserve({
    ...paymentKey(payment, REQUIREMENTS),
    token: REQUIREMENTS.asset.toLowerCase(),
    scheme: "exact",
    amount: REQUIREMENTS.amount,
    payTo: REQUIREMENTS.payTo.toLowerCase(),
    route: "/paid",
    consumer: "",
    fingerprint: "of a gateway that was killed",
    validBefore: Number(payment.payload.authorization.validBefore),
    payload: toStored(payment, REQUIREMENTS, true),
  });
  await store.ledger.move(row, { state: "settling", lease: true });
  await createSimulatedFacilitator(store.simulatedTransfers, Date.now).settle(payment, REQUIREMENTS);
  await store.close();
  const { port } = await start();
  await until(() => receiver.received.length === 1);
  expect(await ledger("list", "--state", "owed")).toMatchObject([{ state: "settled", owed: true, route: "/paid" }]);
  expect(receiver.received).toMatchObject([{ isGenuine: true }]);
  expect(gateway?.output()).toContain("reconciliation: a payment on /paid was settled by 0x7e577e57");
  await until(async () => (await metric(port, "turnpike_payments_open")) === 0);
});

test("a gateway without a secret posts its records unsigned, and logs a warning", async () => {
  await start({}, { TURNPIKE_SETTLEMENT_SECRET: "" });
  expect(gateway?.output()).toContain("warning: routes[0].x402.settlement_url: records are posted without a signature");
  const { port = 0 } = gateway ?? {};
  expect((await pay(port, fresh())).status).toBe(200);
  await until(() => receiver.received.length === 1);
  const [record] = receiver.received;
  expect(record).toMatchObject({ isGenuine: false, signature: undefined });
  expect(JSON.parse(record?.body ?? "")).toMatchObject({ type: "payment.settled", data: { gateway_id: "shop-1" } });
});

test("a gateway whose secret is too short does not start", async () => {
  const outcome = await start({}, { TURNPIKE_SETTLEMENT_SECRET: "too-short" }).catch(messageOf);
  expect(outcome).toContain("Cannot sign: secret of $TURNPIKE_SETTLEMENT_SECRET is neither");
  expect(outcome).not.toContain("too-short");
});
