import { afterEach, beforeEach, expect, test } from "bun:test";
import { watchTimers } from "../../lib/testing/timers.ts";
import { until } from "../../lib/testing/until.ts";
import { LEASE_MS, type Payment, type PaymentState, RECHECK_MS } from "../../store/ledger.ts";
import { openStore } from "../../store/open/open-store.ts";
import { type Store } from "../../store/store.ts";
import { createSimulatedFacilitator } from "../facilitator/simulated-facilitator.ts";
import { type Facilitator, type Outcome } from "../x402/facilitator.ts";
import { type PaymentPayload } from "../x402/messages.ts";
import { paymentKey } from "../x402/payment-key.ts";
import { Reconciler, type ReconcilerOptions } from "./reconciler.ts";
import { settlementNotice } from "./settlement-record.ts";
import { toStored } from "./stored-payment.ts";
import { PAYER, REQUIREMENTS, signedPayment } from "../testing/payment.ts";

let clock: { now: number };
let store: Store;
let transfer: Facilitator;
let logged: string[];
const reconcilers: Reconciler[] = [];

beforeEach(() => {
  clock = { now: Date.now() };
  store = openStore(":memory:", () => clock.now);
  transfer = createSimulatedFacilitator(store.simulatedTransfers, () => clock.now);
  logged = [];
});

afterEach(async () => {
  for (const reconciler of reconcilers.splice(0)) await reconciler.close();
  await store.close();
});

function create(options: Partial<ReconcilerOptions> = {}): Reconciler {
  const reconciler = new Reconciler({
    ledger: store.ledger,
    channels: store.channels,
    facilitators: () => [transfer],
    testMode: () => true,
    notice: () => undefined,
    clock: () => clock.now,
    random: () => 0.5,
    log: (message) => logged.push(message),
    ...options,
  });
  reconcilers.push(reconciler);
  return reconciler;
}

/** Leaves a payment in the ledger in the given state. */
async function leave(state: PaymentState, testMode = true): Promise<PaymentPayload> {
  const payment = signedPayment(clock.now / 1000);
  const { payment: row } = await store.ledger.reserve({
    ...paymentKey(payment, REQUIREMENTS),
    token: REQUIREMENTS.asset.toLowerCase(),
    scheme: REQUIREMENTS.scheme,
    amount: REQUIREMENTS.amount,
    payTo: REQUIREMENTS.payTo.toLowerCase(),
    route: "/goods",
    consumer: "",
    fingerprint: "print",
    validBefore: Math.floor(clock.now / 1000) + REQUIREMENTS.maxTimeoutSeconds,
    payload: toStored(payment, REQUIREMENTS, testMode),
  });
  await store.ledger.move(row, { state, lease: false });
  return payment;
}

async function rowOf(payment: PaymentPayload): Promise<Payment | undefined> {
  return store.ledger.find(paymentKey(payment, REQUIREMENTS));
}

for (const state of ["settling", "unknown"] as const) {
  test(`a settled payment left as ${state} becomes an undelivered settlement, with its transaction and its record`, async () => {
    const payment = await leave(state);
    const settlement = await transfer.settle(payment, REQUIREMENTS);
    clock.now += RECHECK_MS + 1;
    const target = { settlement_url: "https://books.example/in", gateway_id: "g", testMode: true };
    const reconciler = create({ notice: (row, settled) => settlementNotice(target, row, settled) });
    expect(await reconciler.round()).toBe(1);
    expect(settlement.kind).toBe("settled");
    const transaction = settlement.kind === "settled" ? settlement.transaction : "";
    expect(await rowOf(payment)).toMatchObject({
      state: "settled",
      transaction,
      payer: PAYER,
      delivered: false,
      payload: "",
    });
    const [notice] = await store.outbox.claim(10);
    expect(JSON.parse(notice?.body ?? "")).toMatchObject({ data: { transaction, amount: "10000", route: "/goods" } });
    expect(logged).toEqual([`reconciliation: a payment on /goods was settled by ${transaction}`]);
    // The payer's own retry gets the response of the undelivered settlement.
    expect(await store.ledger.reserve({ ...(await claimed(payment)) })).toMatchObject({
      leased: true,
      payment: { state: "settled" },
    });
  });
}

async function claimed(payment: PaymentPayload): Promise<Payment> {
  const row = await rowOf(payment);
  if (row === undefined) throw new Error("Cannot go on: the payment is gone");
  return row;
}

test("a lookup that throws is logged without the text of its error, and leaves the payment open", async () => {
  const payment = await leave("settling");
  const broken = { ...transfer, find: () => Promise.reject(new TypeError("a secret")) };
  clock.now += RECHECK_MS + 1;
  expect(await create({ facilitators: () => [broken] }).round()).toBe(0);
  expect(await rowOf(payment)).toMatchObject({ state: "unknown" });
  expect(logged).toEqual(["reconciliation: a lookup failed unexpectedly: TypeError"]);
});

test("an unsettled payment stays open while it can still be settled, and fails when it expires", async () => {
  const payment = await leave("settling");
  const reconciler = create();
  clock.now += RECHECK_MS + 1;
  expect(await reconciler.round()).toBe(0);
  expect(await rowOf(payment)).toMatchObject({ state: "unknown" });
  clock.now += REQUIREMENTS.maxTimeoutSeconds * 1000;
  expect(await reconciler.round()).toBe(1);
  expect(await rowOf(payment)).toMatchObject({
    state: "failed",
    reason: "invalid_exact_evm_payload_authorization_valid_before",
    payload: "",
  });
});

test("the reconciler never settles a payment", async () => {
  await leave("unknown");
  let settlements = 0;
  const watched: Facilitator = { ...transfer, settle: (...of) => ((settlements += 1), transfer.settle(...of)) };
  clock.now += RECHECK_MS + 1;
  await create({ facilitators: () => [watched] }).round();
  expect(settlements).toBe(0);
});

test("a payment is not checked again too soon, and not at all while another process has its lease", async () => {
  await leave("unknown");
  let looks = 0;
  const watched: Facilitator = { ...transfer, find: (...of) => ((looks += 1), transfer.find(...of)) };
  const reconciler = create({ facilitators: () => [watched] });
  await reconciler.round();
  expect(looks).toBe(0);
  clock.now += RECHECK_MS + 1;
  await Promise.all([reconciler.round(), create({ facilitators: () => [watched] }).round(), reconciler.round()]);
  expect(looks).toBe(1);
  clock.now += RECHECK_MS + 1;
  const [held] = await store.ledger.claimOpen(1);
  expect(held).toBeDefined();
  await reconciler.round();
  expect(looks).toBe(1);
  clock.now += LEASE_MS + RECHECK_MS;
  await reconciler.round();
  expect(looks).toBe(2);
});

const ERRORS: readonly (readonly [what: string, find: () => Promise<Outcome>])[] = [
  ["that throws", () => Promise.reject(new Error("https://rpc.example/key"))],
  ["that does not know", async () => ({ kind: "unknown", cause: "no chain is configured" })],
];

for (const [what, find] of ERRORS) {
  test(`a facilitator ${what} leaves the payment open, and the next facilitator is asked`, async () => {
    const payment = await leave("unknown");
    await transfer.settle(payment, REQUIREMENTS);
    clock.now += RECHECK_MS + 1;
    expect(await create({ facilitators: () => [{ ...transfer, find }] }).round()).toBe(0);
    expect(await rowOf(payment)).toMatchObject({ state: "unknown" });
    clock.now += RECHECK_MS + 1;
    expect(await create({ facilitators: () => [{ ...transfer, find }, transfer] }).round()).toBe(1);
    expect(logged.join()).not.toContain("rpc.example");
  });
}

test("without a facilitator to ask, nothing changes", async () => {
  const payment = await leave("unknown");
  clock.now += RECHECK_MS + 1;
  expect(await create({ facilitators: () => [] }).round()).toBe(0);
  expect(await rowOf(payment)).toMatchObject({ state: "unknown" });
});

test("a payment whose row has no authorization stays open, and the others of the round are looked up", async () => {
  const payment = await leave("unknown");
  await transfer.settle(payment, REQUIREMENTS);
  const bare = { ...(await claimed(payment)), nonce: "0xbare", payload: "{}" };
  await store.ledger.move((await store.ledger.reserve(bare)).payment, { state: "unknown", lease: false });
  clock.now += RECHECK_MS + 1;
  expect(await create().round()).toBe(1);
  expect([await store.ledger.find(bare), logged.length]).toMatchObject([{ state: "unknown" }, 1]);
});

test("the reconciler skips the payments of the other mode", async () => {
  const real = await leave("unknown", false);
  const practice = await leave("unknown", true);
  clock.now += RECHECK_MS + REQUIREMENTS.maxTimeoutSeconds * 1000;
  expect(await create({ testMode: () => true }).round()).toBe(1);
  expect(await rowOf(real)).toMatchObject({ state: "unknown" });
  expect(await rowOf(practice)).toMatchObject({ state: "failed" });
});

test("one round checks many open payments", async () => {
  const payments: PaymentPayload[] = [];
  for (let i = 0; i < 30; i++) payments.push(await leave("unknown"));
  for (const payment of payments.slice(0, 10)) await transfer.settle(payment, REQUIREMENTS);
  clock.now += RECHECK_MS + 1;
  expect(await create().round()).toBe(10);
  const states = await Promise.all(payments.map(async (payment) => (await rowOf(payment))?.state));
  expect(states.filter((state) => state === "settled")).toHaveLength(10);
  expect((await store.view.standing()).open).toBe(20);
});

test("the reconciler starts at once, and closing it does not wait for a facilitator that hangs", async () => {
  const payment = await leave("unknown");
  clock.now += RECHECK_MS + 1;
  let asked = 0;
  const hangs: Facilitator = {
    ...transfer,
    find: () => {
      asked += 1;
      return new Promise<never>(() => {});
    },
  };
  const reconciler = create({ facilitators: () => [hangs, hangs] });
  reconciler.start();
  await until(() => asked === 1);
  await reconciler.close();
  expect(asked).toBe(1);
  clock.now += RECHECK_MS + 1;
  // The lease was released.
  expect(await store.ledger.claimOpen(1)).toHaveLength(1);
  expect(await rowOf(payment)).toMatchObject({ state: "unknown" });
});

test("a ledger error is logged, and the next round runs", async () => {
  const payment = await leave("unknown");
  await transfer.settle(payment, REQUIREMENTS);
  clock.now += RECHECK_MS + 1;
  let broken = true;
  const ledger: ReconcilerOptions["ledger"] = {
    claimOpen: (limit) => (broken ? Promise.reject(new TypeError("disk")) : store.ledger.claimOpen(limit)),
    move: (...change) => store.ledger.move(...change),
  };
  const reconciler = create({ ledger });
  expect(await reconciler.round()).toBe(0);
  expect(logged).toEqual(["reconciliation: the ledger failed: TypeError"]);
  broken = false;
  expect(await reconciler.round()).toBe(1);
});

test("a payment that its payer canceled in time fails as refused, and one that expires now as expired", async () => {
  const reasons: (string | undefined)[] = [];
  for (const early of [1, 0]) {
    const payment = await leave("unknown");
    const { validBefore } = (await rowOf(payment)) ?? { validBefore: 0 };
    clock.now = validBefore * 1000 - early;
    const facilitator: Facilitator = { ...transfer, find: async () => ({ kind: "void" }) };
    await create({ facilitators: () => [facilitator] }).round();
    reasons.push((await rowOf(payment))?.reason);
  }
  expect(reasons).toEqual(["payment_refused", "invalid_exact_evm_payload_authorization_valid_before"]);
});

test("a facilitator that settled a payment is asked by its name, and no other one is asked after its word", async () => {
  const payment = await leave("unknown");
  const held = await claimed(payment);
  clock.now += RECHECK_MS + 1;
  const [row] = await store.ledger.claimOpen(1);
  await store.ledger.move(row ?? held, { state: "unknown", lease: false, facilitator: "second" });
  clock.now += RECHECK_MS + 1;
  const asked: unknown[] = [];
  const told =
    (outcome: Outcome): Facilitator["find"] =>
    async (_payment, requirements, by) => {
      asked.push([requirements.amount, by]);
      return outcome;
    };
  const facilitators = () => [
    { ...transfer, find: told({ kind: "unspent" }) },
    { ...transfer, find: told({ kind: "void" }) },
  ];
  expect(await create({ facilitators }).round()).toBe(0);
  expect(asked).toEqual([["10000", "second"]]);
  expect(await rowOf(payment)).toMatchObject({ state: "unknown" });
});

test("a lookup may take 20 seconds: then the payment stays open", async () => {
  using timers = watchTimers((ms) => (ms === 20_000 ? 1 : ms));
  const payment = await leave("unknown");
  clock.now += RECHECK_MS + 1;
  let asked = 0;
  const hangs: Facilitator = { ...transfer, find: () => ((asked += 1), new Promise<never>(() => {})) };
  expect(await create({ facilitators: () => [hangs, hangs] }).round()).toBe(0);
  expect([await rowOf(payment), asked, timers.pending(20_000)]).toMatchObject([{ state: "unknown" }, 2, 0]);
});

test("one round checks 200 payments at most, eight at a time, and none after the close", async () => {
  const row = await claimed(await leave("unknown"));
  const limits: number[] = [];
  let moved = 0;
  const ledger: ReconcilerOptions["ledger"] = {
    claimOpen: async (limit) => {
      limits.push(limit);
      return Array.from({ length: limit }, () => row);
    },
    move: async () => {
      moved += 1;
      return true;
    },
  };
  const reconciler = create({ ledger, facilitators: () => [] });
  await reconciler.round();
  expect([limits.length, new Set(limits), moved]).toEqual([25, new Set([8]), 200]);
  await reconciler.close();
  await reconciler.round();
  reconciler.start();
  expect(limits).toHaveLength(25);
});

test("rounds follow each other after a random time around a minute, until the close", async () => {
  for (const [random, ms] of [
    [0, 0.75],
    [0.5, 1],
    [0.999, 1.2495],
  ] as const) {
    const wait = RECHECK_MS * ms;
    let isHastened = true;
    using timers = watchTimers((own) => (own === wait && isHastened ? 1 : own));
    let rounds = 0;
    const ledger: ReconcilerOptions["ledger"] = { claimOpen: async () => ((rounds += 1), []), move: async () => true };
    const reconciler = create({ ledger, random: () => random });
    reconciler.start();
    reconciler.start();
    await until(() => rounds >= 2);
    isHastened = false;
    await until(() => timers.pending(wait) === 1);
    await reconciler.close();
    expect(timers.pending(wait)).toBe(0);
  }
});

test("a close waits until the ledger has the end of a lookup that runs", async () => {
  await leave("unknown");
  clock.now += RECHECK_MS + 1;
  const gate = Promise.withResolvers<void>();
  let isMoving = false;
  const ledger: ReconcilerOptions["ledger"] = {
    claimOpen: (limit) => store.ledger.claimOpen(limit),
    move: async (...change) => {
      isMoving = true;
      await gate.promise;
      return store.ledger.move(...change);
    },
  };
  const reconciler = create({ ledger });
  reconciler.start();
  await until(() => isMoving);
  let isClosed = false;
  const closing = reconciler.close().then(() => (isClosed = true));
  await new Promise(setImmediate);
  expect(isClosed).toBe(false);
  gate.resolve();
  await closing;
});
