import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { until } from "../../../../lib/testing/until.ts";
import { AUTHORIZER, claimedChannel, KEYS } from "../../../../payments/channels/testing/claimed-channel.ts";
import { createSimulatedFacilitator } from "../../../../payments/facilitator/simulated-facilitator.ts";
import { type Facilitator } from "../../../../payments/x402/facilitator.ts";
import { type PaymentPayload } from "../../../../payments/x402/messages.ts";
import { paymentKey } from "../../../../payments/x402/payment-key.ts";
import { toStored } from "../../../../payments/settlement/stored-payment.ts";
import { PAYEE, REQUIREMENTS, signedPayment, USDC } from "../../../../payments/testing/payment.ts";
import { WebhookReceiver } from "../../../../payments/testing/webhook-receiver.ts";
import { channelNonce } from "../../../../store/channels.ts";
import { RECHECK_MS } from "../../../../store/ledger.ts";
import { openStore } from "../../../../store/open/open-store.ts";
import { type Store } from "../../../../store/store.ts";
import { RESERVATION } from "../../../../store/testing/reservation.ts";
import { type Config } from "../../../config/config.ts";
import { loadValue } from "../../../config/load.ts";
import { type NewEvent } from "../../../telemetry/event.ts";
import { onlySlot, Telemetry } from "../../../telemetry/telemetry.ts";
import { LedgerWatch } from "./ledger-watch.ts";
import {
  type MaintenanceDeps,
  type MaintenanceSettings,
  counted,
  maintenanceSettings,
  PaymentMaintenance,
  type Seller,
} from "./payment-maintenance.ts";

const SECRET = Buffer.from("a secret that is long enough");
const DAY_MS = 86_400_000;

let clock: { now: number };
const events: NewEvent[] = [];
const onEvent = (event: NewEvent): void => void events.push(event);
let store: Store;
let transfer: Facilitator;
let telemetry: Telemetry;
let receiver: WebhookReceiver;
let maintenance: PaymentMaintenance | undefined;

beforeEach(() => {
  clock = { now: Date.now() };
  store = openStore(":memory:", () => clock.now);
  transfer = createSimulatedFacilitator(store.simulatedTransfers, () => clock.now);
  telemetry = new Telemetry(onlySlot());
  receiver = new WebhookReceiver(SECRET);
});

afterEach(async () => {
  await maintenance?.close();
  maintenance = undefined;
  await receiver.stop();
  await store.close();
});

function seller(route: string, change: Partial<Seller> = {}, url = ""): Seller {
  const target = { settlement_url: url, gateway_id: "g", testMode: true };
  return { route, facilitator: transfer, target, upstream: async () => undefined, ...change };
}

function settings(sellers: readonly Seller[], change: Partial<MaintenanceSettings> = {}): MaintenanceSettings {
  return { sellers, testMode: true, keepDays: 1, secrets: [SECRET], posts: true, ...change };
}

function deps(): MaintenanceDeps {
  const { counts } = telemetry;
  const watch = new LedgerWatch(counts, onEvent, () => {});
  return { store, counts, clock: () => clock.now, random: () => 0.5, log: () => {}, onEvent, watch };
}

function begin(by: MaintenanceSettings): PaymentMaintenance {
  maintenance = new PaymentMaintenance(deps(), by);
  maintenance.start();
  return maintenance;
}

async function leaveSettled(route: string): Promise<PaymentPayload> {
  const payment = signedPayment(clock.now / 1000);
  const { payment: row } = await store.ledger.reserve({
    ...RESERVATION,
    ...paymentKey(payment, REQUIREMENTS),
    route,
    payload: toStored(payment, REQUIREMENTS, true),
  });
  await store.ledger.move(row, { state: "unknown", lease: false });
  await transfer.settle(payment, REQUIREMENTS);
  clock.now += RECHECK_MS + 1;
  return payment;
}

async function stateOf(payment: PaymentPayload): Promise<string | undefined> {
  return (await store.ledger.find(paymentKey(payment, REQUIREMENTS)))?.state;
}

function figure(line: string): number {
  const { text } = telemetry.page({ stream: 1, body: 1, disk: 1 }, []);
  return Number(
    text
      .split("\n")
      .find((other) => other.startsWith(`${line} `))
      ?.split(" ")
      .at(-1),
  );
}

test("the route's own facilitator finds a settlement, and it is reported to the route's URL", async () => {
  const payment = await leaveSettled("/own");
  let asked = 0;
  const stranger: Facilitator = { ...transfer, find: (...of) => ((asked += 1), transfer.find(...of)) };
  begin(
    settings([seller("/other", { facilitator: stranger }, "http://127.0.0.1:9/"), seller("/own", {}, receiver.url)]),
  );
  await until(() => receiver.received.length === 1);
  expect(await stateOf(payment)).toBe("settled");
  expect(receiver.received).toMatchObject([{ isGenuine: true }]);
  expect(asked).toBe(0);
  await until(() => figure('turnpike_settlement_records_total{result="posted"}') === 1);
  expect(figure('turnpike_payments_total{outcome="settled"}')).toBe(1);
});

test("for a removed route, another route's facilitator finds the settlement, and no report is made", async () => {
  const payment = await leaveSettled("/gone");
  begin(settings([seller("/other", {}, receiver.url)]));
  await until(async () => (await stateOf(payment)) === "settled");
  expect(await store.outbox.size()).toBe(0);
});

test("records wait while no route reports and no secret is set, and are posted when a configuration has a secret", async () => {
  const { payment } = await store.ledger.reserve(RESERVATION);
  await store.ledger.move(payment, {
    state: "settled",
    lease: false,
    notice: { id: "left", url: receiver.url, body: "{}" },
  });
  const begun = begin(settings([], { secrets: [], posts: false }));
  await until(async () => figure("turnpike_payments_open") === 0);
  expect(await store.outbox.size()).toBe(1);
  begun.use(settings([]));
  await until(() => receiver.received.length === 1);
  expect(receiver.received).toMatchObject([{ id: "left", isGenuine: true }]);
});

test("1,099 old payments are removed, and an open one stays", async () => {
  for (let i = 0; i < 1100; i++) {
    const { payment } = await store.ledger.reserve({ ...RESERVATION, nonce: `0x${i}`, validBefore: 1 });
    await store.ledger.move(payment, { state: i === 0 ? "unknown" : "failed", lease: false });
  }
  clock.now += DAY_MS + 1;
  begin(settings([]));
  await until(async () => (await store.view.list({}, { limit: 10 })).length === 1);
  expect((await store.view.list({}, { limit: 10 })).map(({ state }) => state)).toEqual(["unknown"]);
  await until(() => figure("turnpike_payments_open") === 1);
});

test("payments are counted once for each outcome", async () => {
  const ledger = counted(store.ledger, deps());
  const sold = (await ledger.reserve({ ...RESERVATION, nonce: "0x1" })).payment;
  await ledger.move(sold, { state: "verified", lease: true });
  await ledger.move(sold, { state: "settling", lease: true });
  await ledger.move(sold, { state: "settled", lease: true, transaction: "0xtx", payer: "0xfrom" });
  await ledger.move(sold, { state: "settled", lease: false, delivered: true });
  // The lease is over: this changes nothing, and counts nothing.
  expect(await ledger.move(sold, { state: "failed", lease: false })).toBe(false);
  for (const state of ["released", "failed", "unknown"] as const) {
    const { payment } = await ledger.reserve({ ...RESERVATION, nonce: state });
    await ledger.move(payment, { state, lease: false });
  }
  clock.now += RECHECK_MS + 1;
  for (const payment of await ledger.claimOpen(10)) await ledger.move(payment, { state: "unknown", lease: false });
  for (const outcome of ["settled", "delivered", "released", "failed", "unknown"]) {
    expect(figure(`turnpike_payments_total{outcome="${outcome}"}`)).toBe(1);
  }
});

test("charges of prepaid credit are counted as made or returned, beside the payments", async () => {
  const ledger = counted(store.ledger, deps());
  for (const [nonce, change] of [
    ["0x1", { state: "settled", lease: true, transaction: "credit" }],
    ["0x1", { state: "settled", lease: false, delivered: true }],
    ["0x2", { state: "released", lease: false }],
    ["0x3", { state: "failed", lease: false }],
    ["0x4", { state: "unknown", lease: false }],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { payment } = await store.ledger.reserve({ ...RESERVATION, nonce });
    // oxlint-disable-next-line no-await-in-loop
    expect(await ledger.move({ ...payment, scheme: "credit" }, change)).toBe(true);
  }
  expect([
    figure('turnpike_credit_charges_total{result="charged"}'),
    figure('turnpike_credit_charges_total{result="returned"}'),
  ]).toEqual([1, 2]);
});

test("a response that another request received is counted once, and is not undelivered when the first request ends early", async () => {
  const told: string[] = [];
  const ledger = counted(store.ledger, { ...deps(), onEvent: ({ message }) => void told.push(message) });
  for (const [nonce, delivered] of [
    ["0x1", true],
    ["0x2", false],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { payment } = await ledger.reserve({ ...RESERVATION, nonce });
    // oxlint-disable-next-line no-await-in-loop
    await ledger.move(payment, { state: "settled", lease: true, transaction: "0xtx" });
    // oxlint-disable-next-line no-await-in-loop
    expect(await ledger.deliver(payment)).toBe(true);
    // oxlint-disable-next-line no-await-in-loop
    expect(await ledger.move(payment, { state: "settled", lease: false, delivered })).toBe(true);
  }
  expect(figure('turnpike_payments_total{outcome="delivered"}')).toBe(2);
  expect(told).toEqual([]);
});

test("a counted ledger keeps the limit of partial responses", async () => {
  const ledger = counted(store.ledger, deps());
  const { payment } = await ledger.reserve(RESERVATION);
  await ledger.move(payment, { state: "settled", lease: false, transaction: "0xtx", delivered: false, partial: true });
  expect((await ledger.reserve(RESERVATION, 1)).leased).toBe(false);
  expect((await ledger.reserve(RESERVATION, 2)).leased).toBe(true);
});

test("charges of channels are claimed also after a configuration that takes no payments from channels", async () => {
  const { id, signature, ...channel } = claimedChannel({ token: USDC });
  const state = { balance: "9000", claimed: "0", withdrawAt: 0, refundNonce: "0" };
  await store.channels.open({ ...channel, id }, state, clock.now);
  const voucher = { maxClaimableAmount: "3000", signature };
  const { payment } = await store.ledger.reserve({
    ...RESERVATION,
    scheme: "batch-settlement",
    nonce: channelNonce(id, "0"),
    amount: "3000",
    payload: JSON.stringify({ payload: { voucher } }),
  });
  expect(await store.ledger.move(payment, { state: "settled", lease: false })).toBe(true);
  const orders: string[] = [];
  const facilitator: Facilitator = {
    ...transfer,
    supported: async () => [],
    channels: {
      verify: async () => ({
        kind: "valid",
        payer: AUTHORIZER.address,
        state: { balance: 9000n, totalClaimed: 0n, withdrawRequestedAt: 0, refundNonce: 0n },
      }),
      settle: async ({ payload }) => {
        orders.push(payload.type);
        return { kind: "settled", transaction: "0x1", amount: "3000" };
      },
    },
  };
  const sellers = [seller("/own", { facilitator })];
  const begun = begin(settings(sellers, { channels: { keys: KEYS, authorizer: AUTHORIZER } }));
  begun.use(settings(sellers));
  await begun.close();
  expect(orders).toEqual(["claim", "settle"]);
  expect(await store.channels.find(id)).toMatchObject({ claimed: "3000", charged: "3000" });
  expect(figure('turnpike_channel_claims_total{result="claimed"}')).toBe(1);
  // The risk before the claim.
  expect([figure("turnpike_channels_owing"), figure("turnpike_channel_risk_dollars")]).toEqual([1, 0.003]);
  expect([figure("turnpike_channels_withdrawing"), figure("turnpike_channel_lost_dollars")]).toEqual([0, 0]);
});

test("the metrics of channels sum the risks in all tokens, and the dollars of the known ones", async () => {
  const { network } = REQUIREMENTS;
  const usdc = { network, token: USDC, channels: 3, withdrawing: 2, owed: "3000", deniable: "0", lost: "500000" };
  const other = { ...usdc, token: `0x${"a".repeat(40)}`, channels: 4 };
  using _ = spyOn(store.channels, "risks").mockResolvedValue([usdc, other].map((risk) => ({ ...risk, owedSince: 1 })));
  const channels = { keys: KEYS, authorizer: AUTHORIZER };
  await begin(settings([seller("/own")], { channels })).close();
  expect([figure("turnpike_channels_owing"), figure("turnpike_channels_withdrawing")]).toEqual([7, 4]);
  expect([figure("turnpike_channel_risk_dollars"), figure("turnpike_channel_lost_dollars")]).toEqual([0.003, 0.5]);
});

function configOf(x402: object, ...routes: readonly object[]): Config {
  const upstreams = [{ name: "a", servers: [{ address: "127.0.0.1", port: 9000 }] }];
  const server = { address: "127.0.0.1" };
  const { config, problems } = loadValue({ server, x402: { enabled: true, ...x402 }, upstreams, routes });
  if (config === undefined) throw new Error(problems.map(({ path, message }) => `${path}: ${message}`).join());
  return config;
}

test("each paid route is a seller, with its facilitator, its reports and its upstream", () => {
  const terms = { price: "$0.01", asset: "USDC", network: "base-sepolia", pay_to: PAYEE };
  const route = (path: string, x402?: object) => ({
    path_prefix: path,
    upstream: "a",
    ...(x402 === undefined ? {} : { x402: { ...terms, ...x402 } }),
  });
  const url = "https://facilitator.example";
  const facilitators = new Map([
    ["", transfer],
    [url, { ...transfer }],
  ]);
  const lease = {
    forRoute(routeUrl: string) {
      const facilitator = facilitators.get(routeUrl);
      if (facilitator === undefined) throw new Error(`no facilitator for ${routeUrl}`);
      return { facilitator };
    },
  };
  const calls = new Map<string, () => Promise<undefined>>();
  const callOf = ({ path_prefix: path }: { readonly path_prefix: string }): (() => Promise<undefined>) => {
    const call = calls.get(path) ?? (async () => undefined);
    calls.set(path, call);
    return call;
  };
  const read = (config: Config, environment = {}) => maintenanceSettings(config, lease, { environment, callOf });
  const reports = { facilitator_url: url, settlement_url: "https://reports.example/x", gateway_id: "g" };
  const x402 = { test_mode: true, ledger_keep_days: 7, settlement_secret_env: "SECRET" };
  const paid = read(configOf(x402, route("/read", {}), route("/free"), route("/write", reports)));
  const { sellers } = paid;
  expect(sellers.map((one) => [one.route, one.target])).toEqual([
    ["/read", { settlement_url: "", gateway_id: "", testMode: true }],
    ["/write", { settlement_url: "https://reports.example/x", gateway_id: "g", testMode: true }],
  ]);
  for (const [i, facilitator, path] of [
    [0, "", "/read"],
    [1, url, "/write"],
  ] as const) {
    expect(sellers[i]?.facilitator).toBe(facilitators.get(facilitator));
    expect(sellers[i]?.upstream).toBe(calls.get(path));
  }
  expect(paid).toMatchObject({ testMode: true, keepDays: 7, secrets: [], channels: undefined, posts: true });
  // Records of an earlier configuration are posted again as soon as there is a secret.
  const silent = configOf(x402, route("/read", {}));
  expect(read(silent).posts).toBe(false);
  const secret = SECRET.toString().replaceAll(" ", "-");
  const withSecret = read(silent, { SECRET: secret });
  expect([withSecret.posts, withSecret.secrets.map((bytes) => Buffer.from(bytes).toString())]).toEqual([
    true,
    [secret],
  ]);
});

test("a ledger whose payments cannot be counted is away until they can", async () => {
  events.length = 0;
  const counting = spyOn(store.view, "standing").mockRejectedValue(new Error("busy"));
  const ticks: (() => void)[] = [];
  const every = spyOn(globalThis, "setInterval").mockImplementation(
    ((tick: () => void) => void ticks.push(tick)) as never,
  );
  begin(settings([]));
  every.mockRestore();
  for (const tick of ticks) tick();
  await until(async () => events.length === 1);
  counting.mockRestore();
  for (const tick of ticks) tick();
  await until(async () => events.length === 2);
  expect(events.map(({ details }) => details)).toEqual([{ ledger: "away" }, { ledger: "back" }]);
});
