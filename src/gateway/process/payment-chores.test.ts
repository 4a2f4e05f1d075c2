import { afterEach, beforeEach, expect, test } from "bun:test";
import { until } from "../../lib/testing/until.ts";
import { createBookingFacilitator } from "../../payments/facilitator/booking-facilitator.ts";
import { type Facilitator } from "../../payments/facilitator/facilitator.ts";
import { type PaymentPayload } from "../../payments/x402/messages.ts";
import { paymentKey } from "../../payments/x402/payment-key.ts";
import { toStored } from "../../payments/settlement/stored-payment.ts";
import { REQUIREMENTS, signedPayment } from "../../payments/testing/payment.ts";
import { WebhookReceiver } from "../../payments/testing/webhook-receiver.ts";
import { RECHECK_MS } from "../../store/ledger.ts";
import { openStore } from "../../store/open-store.ts";
import { type Store } from "../../store/store.ts";
import { RESERVATION } from "../../store/testing/reservation.ts";
import { type NewEvent } from "../telemetry/event.ts";
import { onlySlot, Telemetry } from "../telemetry/telemetry.ts";
import { type ChoreSettings, counted, PaymentChores, type Seller } from "./payment-chores.ts";

const SECRET = Buffer.from("a secret that is long enough");
const DAY_MS = 86_400_000;

let clock: { now: number };
const events: NewEvent[] = [];
const onEvent = (event: NewEvent): void => void events.push(event);
let store: Store;
let booking: Facilitator;
let telemetry: Telemetry;
let receiver: WebhookReceiver;
let chores: PaymentChores | undefined;

beforeEach(() => {
  clock = { now: Date.now() };
  store = openStore(":memory:", () => clock.now);
  booking = createBookingFacilitator(store.bookings, () => clock.now);
  telemetry = new Telemetry(onlySlot());
  receiver = new WebhookReceiver(SECRET);
});

afterEach(async () => {
  await chores?.close();
  chores = undefined;
  await receiver.stop();
  await store.close();
});

function seller(route: string, change: Partial<Seller> = {}, url = ""): Seller {
  return { route, facilitator: booking, target: { settlement_url: url, gateway_id: "g", testMode: true }, ...change };
}

function settings(sellers: readonly Seller[], change: Partial<ChoreSettings> = {}): ChoreSettings {
  return { sellers, testMode: true, keepDays: 1, secrets: [SECRET], posts: true, ...change };
}

function begin(by: ChoreSettings): PaymentChores {
  const deps = {
    store,
    metrics: telemetry.payments,
    clock: () => clock.now,
    random: () => 0.5,
    log: () => {},
    onEvent,
  };
  chores = new PaymentChores(deps, by);
  chores.start();
  return chores;
}

async function leaveSettled(route: string): Promise<PaymentPayload> {
  const payment = signedPayment(clock.now / 1000);
  const { payment: row } = await store.ledger.reserve({
    ...RESERVATION,
    ...paymentKey(payment, REQUIREMENTS),
    route,
    payload: toStored(payment, REQUIREMENTS, true),
  });
  await store.ledger.move(row, { state: "unknown", hold: false });
  await booking.settle(payment, REQUIREMENTS);
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

test("what was settled on a route is found by its own facilitator, and reported where the route reports", async () => {
  const payment = await leaveSettled("/own");
  let asked = 0;
  const stranger: Facilitator = { ...booking, find: (...of) => ((asked += 1), booking.find(...of)) };
  begin(
    settings([seller("/other", { facilitator: stranger }, "http://127.0.0.1:9/"), seller("/own", {}, receiver.url)]),
  );
  await until(() => receiver.received.length === 1);
  expect(await stateOf(payment)).toBe("settled");
  expect(receiver.received).toMatchObject([{ isGenuine: true }]);
  expect(asked).toBe(0);
  expect(figure('turnpike_payments_total{outcome="settled"}')).toBe(1);
});

test("of a route that is gone, somebody else's facilitator is asked, and nobody is told", async () => {
  const payment = await leaveSettled("/gone");
  begin(settings([seller("/other", {}, receiver.url)]));
  await until(async () => (await stateOf(payment)) === "settled");
  expect(await store.outbox.size()).toBe(0);
});

test("records wait while no route reports and there is no secret, and go out once a configuration has one", async () => {
  const { payment } = await store.ledger.reserve(RESERVATION);
  await store.ledger.move(payment, {
    state: "settled",
    hold: false,
    notice: { id: "left", url: receiver.url, body: "{}" },
  });
  const begun = begin(settings([], { secrets: [], posts: false }));
  await until(async () => figure("turnpike_payments_open") === 0);
  expect(await store.outbox.size()).toBe(1);
  begun.use(settings([]));
  await until(() => receiver.received.length === 1);
  expect(receiver.received).toMatchObject([{ id: "left", isGenuine: true }]);
});

test("old payments go, many of them soon, and what is open stays", async () => {
  for (let i = 0; i < 1100; i++) {
    const { payment } = await store.ledger.reserve({ ...RESERVATION, nonce: `0x${i}`, validBefore: 1 });
    await store.ledger.move(payment, { state: i === 0 ? "unknown" : "failed", hold: false });
  }
  clock.now += DAY_MS + 1;
  begin(settings([]));
  await until(async () => (await store.view.list({}, { limit: 10 })).length === 1);
  expect((await store.view.list({}, { limit: 10 })).map(({ state }) => state)).toEqual(["unknown"]);
  await until(() => figure("turnpike_payments_open") === 1);
});

test("payments are counted once for each thing that became of them", async () => {
  const ledger = counted(store.ledger, telemetry.payments, () => {});
  const sold = (await ledger.reserve({ ...RESERVATION, nonce: "0x1" })).payment;
  await ledger.move(sold, { state: "verified", hold: true });
  await ledger.move(sold, { state: "settling", hold: true });
  await ledger.move(sold, { state: "settled", hold: true, transaction: "0xtx", payer: "0xfrom" });
  await ledger.move(sold, { state: "settled", hold: false, delivered: true });
  // The hold is over: this changes nothing, and counts nothing.
  expect(await ledger.move(sold, { state: "failed", hold: false })).toBe(false);
  for (const state of ["released", "failed", "unknown"] as const) {
    const { payment } = await ledger.reserve({ ...RESERVATION, nonce: state });
    await ledger.move(payment, { state, hold: false });
  }
  clock.now += RECHECK_MS + 1;
  for (const payment of await ledger.claimOpen(10)) await ledger.move(payment, { state: "unknown", hold: false });
  for (const outcome of ["settled", "delivered", "released", "failed", "unknown"]) {
    expect(figure(`turnpike_payments_total{outcome="${outcome}"}`)).toBe(1);
  }
});

test("an answer that another request has had is counted once, and is not owed when the first one breaks off", async () => {
  const told: string[] = [];
  const ledger = counted(store.ledger, telemetry.payments, ({ message }) => void told.push(message));
  for (const [nonce, delivered] of [
    ["0x1", true],
    ["0x2", false],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { payment } = await ledger.reserve({ ...RESERVATION, nonce });
    // oxlint-disable-next-line no-await-in-loop
    await ledger.move(payment, { state: "settled", hold: true, transaction: "0xtx" });
    // oxlint-disable-next-line no-await-in-loop
    expect(await ledger.deliver(payment)).toBe(true);
    // oxlint-disable-next-line no-await-in-loop
    expect(await ledger.move(payment, { state: "settled", hold: false, delivered })).toBe(true);
  }
  expect(figure('turnpike_payments_total{outcome="delivered"}')).toBe(2);
  expect(told).toEqual([]);
});

test("a counted ledger heeds how often an answer may be begun", async () => {
  const ledger = counted(store.ledger, telemetry.payments, () => {});
  const { payment } = await ledger.reserve(RESERVATION);
  await ledger.move(payment, { state: "settled", hold: false, transaction: "0xtx", delivered: false, partial: true });
  expect((await ledger.reserve(RESERVATION, 1)).held).toBe(false);
  expect((await ledger.reserve(RESERVATION, 2)).held).toBe(true);
});
