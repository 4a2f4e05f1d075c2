/** The payments of a whole configuration: which routes are sold and listed, and what a bad configuration leaves behind. */
import { afterEach, expect, mock, spyOn, test } from "bun:test";
import { BufferPool } from "../../../lib/memory/buffer-pool.ts";
import { Facilitators } from "../../../payments/facilitator/facilitators.ts";
import { PAYEE, signedPayment } from "../../../payments/testing/payment.ts";
import { encodeHeader } from "../../../payments/x402/header.ts";
import { until } from "../../../lib/testing/until.ts";
import { openStore } from "../../../store/open/open-store.ts";
import { type Store } from "../../../store/store.ts";
import { withCreditRoute } from "../../config/credit-route.ts";
import { loadValue } from "../../config/load.ts";
import { matchOf } from "../../routing/conditions.ts";
import { RouteTable } from "../../routing/table.ts";
import { onlySlot, Telemetry } from "../../telemetry/telemetry.ts";
import { type Policy } from "../policy.ts";
import { provideCreditTokens } from "./credit/provide-credit-token.ts";
import { LedgerUpkeep } from "./maintenance/ledger-upkeep.ts";
import { providePayments } from "./provide-payments.ts";
import { ResponseStore } from "./responses/response-store.ts";
import { decoded } from "./testing/shop.ts";
import { respondWith, startTestGateway, type TestGateway } from "./testing/test-gateway.ts";

const SOLD = { price: "$0.01", asset: "USDC", network: "base-sepolia", pay_to: PAYEE } as const;
const CREDIT = "/.turnpike/credit";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

interface Provided {
  readonly routes?: readonly object[];
  readonly x402?: object;
  readonly address?: string;
}

/** Sets a variable of the environment for this test. */
function environment(name: string, value: string): void {
  const before = process.env[name];
  process.env[name] = value;
  closing.push(() => (before === undefined ? delete process.env[name] : (process.env[name] = before)));
}

/** The payments of a gateway in test mode, whose upstream says which path it served. */
async function provide({ routes = [], x402 = {}, address = "127.0.0.1" }: Provided) {
  const { config: loaded, problems } = loadValue({
    server: { address: "127.0.0.1" },
    x402: { enabled: true, test_mode: true, ...x402 },
    upstreams: [{ name: "a", servers: [{ address: "127.0.0.1", port: 9000 }] }],
    routes: routes.map((route) => ({ upstream: "a", ...route })),
  });
  if (loaded === undefined) throw new Error(problems.map(({ path, message }) => `${path}: ${message}`).join());
  const config = withCreditRoute(loaded);
  let opened: Store | undefined;
  const store = (): Store => (opened ??= openStore(":memory:"));
  const logged: string[] = [];
  const log = (line: string): void => void logged.push(line);
  const telemetry = new Telemetry(onlySlot());
  const bodies = new BufferPool({ bufferSize: 1_048_576, bufferCount: 4, reserve: 1 });
  const facilitators = new Facilitators({
    simulatedTransfers: () => store().simulatedTransfers,
    now: Date.now,
    environment: process.env,
    embedded: () => {
      throw new Error("there is none");
    },
    random: () => 0.5,
    observer: { asked() {}, breakerChanged() {} },
    log,
  });
  const ledger = new LedgerUpkeep({ counts: telemetry.counts, log, onEvent() {}, store: () => opened });
  const ofPayers = mock(() => undefined);
  const parts = {
    config,
    telemetry,
    bodies,
    clock: Date.now,
    log,
    onEvent() {},
    facilitators,
    store,
    ledger,
    responses: new ResponseStore(bodies),
    listeners: [{ address, port: 80 }],
    baseUrl: "http://listener.example",
    contentUpstream: undefined,
    routeLimits: { ofPayers },
    targets: { isServed: () => true, callOf: () => async () => undefined },
  } as unknown as Parameters<typeof providePayments>[0]; // Nothing else of it is read.
  closing.push(async () => {
    await ledger.close(0);
    await ledger.lateWrites.close(0);
    await opened?.close();
  });
  const providing = providePayments(parts).then((payments) => {
    closing.push(() => payments.close());
    return payments;
  });
  /** A gateway with the policy of the route at `path`. */
  const serve = async (path: string): Promise<TestGateway> => {
    const payments = await providing;
    const route = config.routes.find(({ path_prefix: prefix }) => prefix === path);
    const policy = payments.policy(route);
    if (route === undefined || policy === undefined) throw new Error(`${path} is not sold`);
    const own = payments.handlerOf(route);
    const tokens = provideCreditTokens({ config }).policy(route);
    const whole: Policy = {
      ...policy,
      request: (exchange) => {
        void tokens?.request?.(exchange);
        return policy.request(exchange);
      },
    };
    const gateway = startTestGateway(whole, (exchange) =>
      own === undefined ? respondWith(exchange, 200, `goods of ${exchange.head.path}`) : own.serve(exchange),
    );
    closing.push(() => gateway.stop());
    return gateway;
  };
  const seen = { logged, telemetry, ofPayers, hasStore: () => opened !== undefined };
  return { providing, config, facilitators, serve, store, ...seen };
}

/** Asks for the price, and pays it. */
async function pay(url: string, init: RequestInit = {}): Promise<Response> {
  const unpaid = await fetch(url, init);
  const { accepts } = decoded(unpaid, "payment-required") as { readonly accepts: readonly object[] };
  const payment = { ...signedPayment(Date.now() / 1000), accepted: accepts[0] };
  return fetch(url, { ...init, headers: { "payment-signature": encodeHeader(payment) } });
}

test("a gateway without priced routes opens no store, and has neither policies nor a catalogue", async () => {
  const { providing, config, hasStore, facilitators } = await provide({ routes: [{ path_prefix: "/free" }] });
  const payments = await providing;
  for (const route of [...config.routes, undefined]) expect(payments.policy(route)).toBeUndefined();
  const table = RouteTable.of([]);
  expect([payments.catalogue(table, []), payments.blockhashes, hasStore(), facilitators.size]).toEqual([
    undefined,
    undefined,
    false,
    0,
  ]);
});

test("a priced route is sold, and its settlements and deliveries are counted", async () => {
  const routes = [{ path_prefix: "/free" }, { path_prefix: "/goods", x402: { ...SOLD, description: "Fine goods" } }];
  const x402 = { payment_required_b64: template({ resource: { mimeType: "text/plain" } }) };
  const { providing, config, serve, telemetry, facilitators, ofPayers } = await provide({ routes, x402 });
  const payments = await providing;
  expect(payments.policy(config.routes[0])).toBeUndefined();
  const counting = spyOn(telemetry.counts, "add");
  const gateway = await serve("/goods");
  expect(facilitators.size).toBe(1);
  const unpaid = await fetch(`${gateway.url}/goods/1`);
  const asked = (await unpaid.json()) as { paymentRequired?: { resource: object } };
  expect([unpaid.status, asked.paymentRequired?.resource]).toEqual([
    402,
    { url: `${gateway.url}/goods/1`, description: "Fine goods", mimeType: "text/plain" },
  ]);
  const paid = await pay(`${gateway.url}/goods/1`);
  expect([paid.status, await paid.text()]).toEqual([200, "goods of /goods/1"]);
  await until(() => counting.mock.calls.some(([, , outcome]) => outcome === "delivered"));
  expect(counting.mock.calls).toContainEqual(["payments", 1, "settled"]);
  // One policy has judged all requests.
  expect(ofPayers).toHaveBeenCalledTimes(1);
  // In use, it also looks for payments that are open.
  const looking = spyOn(telemetry.counts, "set");
  payments.use();
  await until(() => looking.mock.calls.some(([metric]) => metric === "paymentsOpen"));
  payments.close();
  expect(facilitators.size).toBe(0);
});

test("with a key of signed receipts, the challenges of a route have signed offers", async () => {
  environment("TURNPIKE_TEST_KEY", "1".repeat(64));
  const signed_receipts = { key_env: "TURNPIKE_TEST_KEY" };
  const routes = [{ path_prefix: "/goods", x402: SOLD }];
  const { serve } = await provide({ routes, x402: { public_url: "https://shop.example", signed_receipts } });
  const { url } = await serve("/goods");
  const challenge = decoded(await fetch(`${url}/goods`), "payment-required");
  expect(challenge).toMatchObject({ extensions: { "offer-receipt": { info: { offers: [{ acceptIndex: 0 }] } } } });
});

test("prepaid credit is sold at its own path, and pays for the other routes", async () => {
  const { pay_to, network, asset } = SOLD;
  const credit = { pay_to, network, asset, min: "$0.01" };
  const routes = [{ path_prefix: "/goods", x402: SOLD }];
  const { providing, config, serve, store } = await provide({ routes, x402: { credit } });
  const payments = await providing;
  expect(config.routes.filter((route) => payments.handlerOf(route) !== undefined)).toHaveLength(1);
  const desk = await serve(CREDIT);
  const bought = await pay(desk.url + CREDIT, { method: "POST" });
  const { token } = (await bought.json()) as { token: string };
  expect([bought.status, token.startsWith("tpc_test")]).toEqual([201, true]);
  const gateway = await serve("/goods");
  const balance = async () => (await store().credits.list({}, 2)).map((one) => one.balance);
  const headers = { authorization: `Bearer ${token}` };
  expect(await balance()).toEqual(["10000"]);
  const paid = await fetch(`${gateway.url}/goods`, { headers });
  expect([paid.status, await paid.text(), await balance()]).toEqual([200, "goods of /goods", ["0"]]);
  expect((await fetch(`${gateway.url}/goods`, { headers })).status).toBe(402);
});

test("no route is the desk of credit in a gateway that sells none", async () => {
  const { providing, config } = await provide({ routes: [{ path_prefix: CREDIT, x402: SOLD }] });
  const payments = await providing;
  expect(config.routes.map((route) => payments.handlerOf(route))).toEqual([undefined]);
});

test("the catalogue lists the priced routes, and finds that of a path by its first method with a price", async () => {
  const routes = [
    { path_prefix: "/both", match: { methods: ["GET"] } },
    {
      path_prefix: "/both",
      name: "posted",
      match: { methods: ["POST", "PUT"] },
      x402: { ...SOLD, description: "both" },
    },
    { path_prefix: "/goods", x402: { ...SOLD, description: "goods" } },
    { path_prefix: "/free" },
  ];
  const { providing, config } = await provide({ routes });
  const payments = await providing;
  for (const route of config.routes) void payments.policy(route);
  const compiled = config.routes.map((route) => ({ ...matchOf(route), host: undefined, isGuarded: false }));
  const catalogue = payments.catalogue(RouteTable.of(compiled), compiled);
  const listed = (query: string) =>
    JSON.parse(Buffer.from(catalogue?.bytesFor({ authority: "a.example", query }) ?? []).toString()) as {
      readonly testMode: boolean;
      readonly total: number;
      readonly resources: readonly {
        readonly path?: string;
        readonly description: string;
        readonly methods?: string[];
      }[];
      readonly free?: readonly string[];
    };
  const all = listed("");
  expect([all.testMode, all.total, all.resources.map(({ description, methods }) => [description, methods])]).toEqual([
    true,
    2,
    [
      ["both", ["POST", "PUT"]],
      ["goods", undefined],
    ],
  ]);
  const some = listed("?path=/both&path=/goods/1&path=/free&path=/none&path=goods");
  expect(some.resources.map(({ path, description }) => [path, description])).toEqual([
    ["/both", "both"],
    ["/goods/1", "goods"],
  ]);
  expect([some.total, some.free]).toEqual([2, ["/free"]]);
});

async function blockhashesOf(provided: Provided) {
  return (await (await provide(provided)).providing).blockhashes;
}

test("blockhashes for browsers are read from the clusters of Solana, except in test mode", async () => {
  const solana = "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1";
  environment("RPC", "http://127.0.0.1:9/");
  const chains = [
    { network: "solana-devnet", rpc_url_env: "RPC" },
    { network: "base-sepolia", rpc_url_env: "RPC" },
  ];
  const real = { test_mode: false, facilitator_url: "http://127.0.0.1:9/" };
  const routes = [{ path_prefix: "/goods", x402: SOLD }];
  const found = await blockhashesOf({ routes, x402: { ...real, chains } });
  expect([found?.has(solana), found?.has("eip155:84532")]).toEqual([true, false]);
  for (const other of [
    { routes, x402: { chains } },
    { routes, x402: real },
    { routes, x402: { ...real, chains: chains.slice(1) } },
    { x402: { ...real, chains } },
  ]) {
    expect(await blockhashesOf(other)).toBeUndefined();
  }
});

const template = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64");

test.each<[string, Provided, string]>([
  ["test mode that others can reach", { address: "0.0.0.0" }, "can be reached from other machines"],
  ["a broken template", { x402: { payment_required_b64: template({ resource: 1 }) } }, "payment_required_b64"],
  [
    "a challenge that is too long",
    {
      routes: [{ path_prefix: "/goods", x402: SOLD }],
      x402: { payment_required_b64: template({ extensions: { long: "x".repeat(50_000) } }) },
    },
    "the challenge has",
  ],
  [
    "a key of signed receipts that is not set",
    {
      routes: [{ path_prefix: "/goods", x402: SOLD }],
      x402: { public_url: "https://shop.example", signed_receipts: { key_env: "TURNPIKE_TEST_NO_SUCH_KEY" } },
    },
    "TURNPIKE_TEST_NO_SUCH_KEY",
  ],
  [
    "a secret of the payment's fields that is not set",
    {
      routes: [{ path_prefix: "/goods", x402: SOLD }],
      x402: { payment_fields: { secret_env: "TURNPIKE_TEST_NO_SUCH_KEY" } },
    },
    "TURNPIKE_TEST_NO_SUCH_KEY",
  ],
])("%s is refused, and nothing of it stays in use", async (_what, provided, message) => {
  const { providing, facilitators } = await provide(provided);
  expect(
    await providing.then(
      () => "provided",
      (error: unknown) => String(error),
    ),
  ).toContain(message);
  expect(facilitators.size).toBe(0);
});
