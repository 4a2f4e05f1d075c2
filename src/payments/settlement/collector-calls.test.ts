import { expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { CREDIT_BOOK } from "../../store/credits.ts";
import { type Change, type Payment, type Reservation } from "../../store/ledger.ts";
import { watchTimers } from "../../lib/testing/timers.ts";
import { openStore } from "../../store/open/open-store.ts";
import { RESERVATION } from "../../store/testing/reservation.ts";
import { REQUIREMENTS } from "../testing/payment.ts";
import { signedPermit2 } from "../testing/permit2-payment.ts";
import { type Facilitator, type Outcome, type Settlement } from "../x402/facilitator.ts";
import { paymentKey } from "../x402/payment-key.ts";
import { Collector, type CollectorOptions } from "./collector.ts";
import { type Deferral, deferralOf, deferralText } from "./deferral.ts";
import { toStored } from "./stored-payment.ts";

setDefaultTimeout(patient(20_000));

const START = 1_800_000_000_000;
const VALID_S = 3600;
/** Seconds of the work that is paid for. */
const WORK_S = VALID_S - 120;
const QUOTE = "1000";
const CHARGES = "/charges/0";
const UPTO = {
  ...REQUIREMENTS,
  scheme: "upto",
  amount: QUOTE,
  maxTimeoutSeconds: VALID_S,
  extra: {
    ...REQUIREMENTS.extra,
    assetTransferMethod: "permit2",
    facilitatorAddress: "0x1111111111111111111111111111111111111111",
  },
};

const SETTLED: Settlement = { kind: "settled", transaction: "0xtx", payer: "0xpayer" };
const REFUSED: Settlement = { kind: "refused", reason: "permit2_insufficient_balance" };
const LOST: Settlement = { kind: "unknown", cause: "no response", transaction: "0xlost" };

type Reply = Awaited<ReturnType<NonNullable<ReturnType<CollectorOptions["upstream"]>>>>;

/** The upstream says that `due` is due so far, and whether its work has ended. */
function word(due: unknown, ended: unknown = false): Reply {
  return { status: 200, json: { due, ended } };
}

interface Script {
  readonly scheme?: "upto" | "credit" | "batch-settlement";
  readonly deferral?: Partial<Deferral>;
  /** In place of a deferral. */
  readonly text?: string;
  readonly state?: Change["state"];
  /** Responses of the upstream, in order; none after them. */
  readonly replies?: readonly Reply[];
  readonly settlements?: readonly (Settlement | Error)[];
  readonly outcomes?: readonly Outcome[];
  readonly payments?: number;
  readonly change?: Partial<CollectorOptions>;
}

function reservationOf(scheme: string, at: number): Reservation {
  if (scheme === "credit")
    return { ...RESERVATION, scheme, asset: `${CREDIT_BOOK}one`, nonce: `0x${at}`, amount: QUOTE, payload: "" };
  if (scheme !== "upto") return { ...RESERVATION, scheme, nonce: `0x${at}`, amount: QUOTE, payload: "" };
  const payment = signedPermit2(UPTO, START / 1000);
  const own = { token: UPTO.asset.toLowerCase(), scheme, amount: QUOTE, payTo: UPTO.payTo.toLowerCase() };
  const validBefore = START / 1000 + VALID_S;
  return { ...RESERVATION, ...paymentKey(payment, UPTO), ...own, validBefore, payload: toStored(payment, UPTO, true) };
}

/** A real ledger with deferred payments, and an upstream and a facilitator that respond by a script. */
async function scripted(script: Script) {
  const { scheme = "upto", deferral = {}, state = "deferred", replies = [], settlements = [], outcomes = [] } = script;
  const clock = { now: START };
  const store = openStore(":memory:", () => clock.now);
  const { ledger } = store;
  const credit = {
    owner: "0xfrom",
    unit: "money",
    name: "",
    network: "eip155:84532",
    token: "0xt",
    routes: [],
  } as const;
  const grant = { id: "grant", kind: "issued", amount: "1000000", payment: "" } as const;
  await store.credits.open({ ...credit, id: "one", hash: "", expiresAt: 0 }, grant);
  const keys: Reservation[] = [];
  for (let at = 0; at < (script.payments ?? 1); at++) {
    const reservation = reservationOf(scheme, at);
    keys.push(reservation);
    const { payment } = await ledger.reserve(reservation);
    const facts = { path: CHARGES, quote: QUOTE, due: "0", until: START / 1000 + WORK_S, failures: 0, ...deferral };
    const text = script.text ?? deferralText(facts);
    await ledger.move(payment, { state: "deferred", lease: true, deferral: text, dueInMs: 0 });
    await ledger.move(payment, { state, lease: false, delivered: true });
  }
  const calls: unknown[] = [];
  const troubles: unknown[] = [];
  const settled: unknown[] = [];
  const logged: string[] = [];
  /** For each payment, whether each change of this round kept the lease. */
  const leases = new Map<string, readonly boolean[]>();
  const left = { replies: [...replies], settlements: [...settlements], outcomes: [...outcomes] };
  const row = async (at = 0): Promise<Payment> => {
    const key = keys[at];
    const found = key && (await ledger.find(key));
    if (found === undefined) throw new Error("the payment is gone");
    return found;
  };
  const facilitator = {
    settle: async (_payment, { amount }, to) => {
      // A settlement is recorded before it is asked for.
      settled.push([amount, (await row()).state, to?.reassign === undefined ? "same" : "any"]);
      await to?.reassign?.("second");
      const next = left.settlements.shift() ?? REFUSED;
      if (next instanceof Error) throw next;
      return next;
    },
  } satisfies Partial<Facilitator> as Partial<Facilitator> as Facilitator; // The other methods are not called.
  const collector = new Collector({
    // A write takes time: one that is not awaited comes too late.
    ledger: {
      claimDue: (limit) => ledger.claimDue(limit),
      move: async (payment, change) => {
        await new Promise(setImmediate);
        const isMoved = await ledger.move(payment, change);
        leases.set(payment.nonce, [...(leases.get(payment.nonce) ?? []), isMoved && change.lease]);
        return isMoved;
      },
    },
    upstream: () => async (path, value) => {
      calls.push([path, value]);
      return left.replies.shift();
    },
    facilitator: () => facilitator,
    outcomeOf: async () => left.outcomes.shift() ?? { kind: "unknown", cause: "no chain" },
    testMode: () => true,
    notice: ({ nonce }, { amount, transaction, payer }) => ({
      id: nonce,
      url: "http://books.test",
      body: [amount, transaction, payer].join(" "),
    }),
    onTrouble: (_payment, trouble, failures) => troubles.push([trouble, failures]),
    clock: () => clock.now,
    log: (message) => logged.push(message),
    ...script.change,
  });
  /** The milliseconds until the payment is due again; undefined: not within two minutes. */
  const dueIn = async (): Promise<number | undefined> => {
    const [from, waits] = [clock.now, [0, 1000, 2000, 4000, 5000, 8000, 16_000, 30_000, 32_000, 60_000]];
    for (const ms of waits) {
      clock.now = from + ms - 1;
      if (ms > 0 && (await ledger.claimDue(1)).length > 0) return -1;
      clock.now = from + ms;
      const [due] = await ledger.claimDue(1);
      if (due === undefined) continue;
      await ledger.move(due, { state: due.state, lease: false, dueInMs: 0 });
      return ms;
    }
    return undefined;
  };
  const books = async (): Promise<readonly string[]> => (await store.outbox.claim(100)).map(({ body }) => body);
  const round = async (afterMs = 0): Promise<void> => {
    clock.now += afterMs;
    leases.clear();
    await collector.round();
    // Each payment is held until the last change, which releases it.
    for (const kept of leases.values()) expect(kept).toEqual(kept.map((_, at) => at < kept.length - 1));
  };
  const dispose = async (): Promise<void> => {
    await collector.close();
    await store.close();
  };
  const seen = { calls, troubles, settled, logged, row, dueIn, books };
  return { ...seen, collector, clock, round, store, [Symbol.asyncDispose]: dispose };
}

const closedWith = (paid: object) => [CHARGES, { ...paid, closed: true }];

test("what becomes due of prepaid credit is recorded, and then the upstream hears that it is paid", async () => {
  await using made = await scripted({
    scheme: "credit",
    replies: [word("200"), word("200"), word("150"), word("150")],
  });
  await made.round();
  expect(made.calls).toEqual([
    [CHARGES, { paid: "0" }],
    [CHARGES, { paid: "200" }],
  ]);
  expect(deferralOf(await made.row())).toMatchObject({ due: "200", failures: 0 });
  expect(await made.dueIn()).toBe(2000);
  // The upstream has lost its last records in a crash: what was paid stays paid.
  await made.round();
  expect(made.calls.slice(2)).toEqual([[CHARGES, { paid: "200" }]]);
  expect(deferralOf(await made.row())?.due).toBe("200");
  await made.round(2000);
  expect(made.calls.slice(3)).toEqual([[CHARGES, { paid: "200" }]]);
});

test("prepaid credit is charged with what was delivered, once, and the rest returns to the balance", async () => {
  await using made = await scripted({ scheme: "credit", replies: [word("300", true), { status: 200, json: {} }] });
  await made.round();
  expect(made.calls).toEqual([[CHARGES, { paid: "0" }], closedWith({ paid: "300" })]);
  expect(await made.row()).toMatchObject({ state: "settled", amount: "300", transaction: "" });
  expect((await made.store.credits.find("one"))?.balance).toBe("999700");
  expect(await made.books()).toEqual(["300  0xfrom"]);
  expect(await made.dueIn()).toBeUndefined();
});

test("under upto nothing counts as paid until the settlement, which is for the amount that is due at the end", async () => {
  const replies = [word("200"), word("250"), word("700", true), { status: 200, json: {} }];
  await using made = await scripted({ replies, settlements: [SETTLED] });
  await made.round();
  expect(made.calls).toEqual([[CHARGES, { paid: "0" }]]);
  expect(await made.dueIn()).toBe(5000);
  await made.round();
  expect(deferralOf(await made.row())?.due).toBe("250");
  await made.round(5000);
  expect(made.settled).toEqual([["700", "settling", "any"]]);
  expect(made.calls.slice(2)).toEqual([[CHARGES, { paid: "0" }], closedWith({ paid: "700", transaction: "0xtx" })]);
  const row = await made.row();
  expect(row).toMatchObject({ state: "settled", amount: "700", transaction: "0xtx", payer: "0xpayer" });
  expect(row.facilitator).toBe("second");
  expect(await made.books()).toEqual(["700 0xtx 0xpayer"]);
  expect(made.troubles).toEqual([]);
  expect(await made.dueIn()).toBeUndefined();
});

test("work without a result costs nothing: no settlement is asked for", async () => {
  await using made = await scripted({ replies: [word("0", true), { status: 404, json: undefined }] });
  await made.round();
  expect(made.settled).toEqual([]);
  expect(await made.row()).toMatchObject({ state: "settled", amount: "0" });
  expect(made.calls[1]).toEqual(closedWith({ paid: "0" }));
  expect(await made.dueIn()).toBeUndefined();
});

test.each([
  ["a status other than 200", { status: 201, json: { due: "5", ended: true } }],
  ["no JSON object", { status: 200, json: null }],
  ["a number for an amount", word(5, true)],
  ["a negative amount", word("-5", true)],
  ["no word about its end", word("5", "no")],
  ["more than its quote", word("1001", true)],
])("an upstream that sends %s is asked again, and nothing is charged", async (_what, reply) => {
  await using made = await scripted({ replies: [reply] });
  await made.round();
  expect([made.troubles, made.settled]).toEqual([[["unreachable", 1]], []]);
  expect(deferralOf(await made.row())).toMatchObject({ due: "0", failures: 1 });
  expect(await made.dueIn()).toBe(1000);
});

test("an upstream may take its whole quote", async () => {
  await using made = await scripted({ replies: [word(QUOTE, true)], settlements: [SETTLED] });
  await made.round();
  expect(made.settled).toEqual([[QUOTE, "settling", "any"]]);
});

test.each([
  [0, 1000],
  [1, 2000],
  [4, 16_000],
  [5, 32_000],
  [6, 60_000],
  [69, 60_000],
])("after %p failed calls, the next one waits for %p ms", async (failures, ms) => {
  await using made = await scripted({ deferral: { failures, due: "5" } });
  await made.round();
  expect([made.troubles, made.settled]).toEqual([[["unreachable", failures + 1]], []]);
  expect(await made.dueIn()).toBe(ms);
});

test("an upstream that is there again is not counted as failing any more", async () => {
  await using made = await scripted({ deferral: { failures: 40, due: "5" }, replies: [word("5")] });
  await made.round();
  expect(deferralOf(await made.row())).toMatchObject({ due: "5", failures: 0 });
});

test("an upstream that stays away for an hour gets the amount that it named last", async () => {
  await using made = await scripted({ deferral: { failures: 70, due: "5" }, settlements: [SETTLED] });
  await made.round();
  expect(made.settled).toEqual([["5", "settling", "any"]]);
  expect(made.troubles).toEqual([
    ["given_up", 71],
    ["unreachable", 1],
  ]);
  expect(await made.row()).toMatchObject({ state: "settled", amount: "5" });
});

test.each([
  ["is away", undefined, "5", [["given_up", 1]]],
  ["still works", word("9"), "9", []],
])("when its time is over, an upstream that %s gets what is due by then", async (_what, reply, amount, troubles) => {
  const script = { deferral: { due: "5" }, replies: [reply, reply, { status: 200, json: {} }], settlements: [SETTLED] };
  await using early = await scripted(script);
  await early.round(WORK_S * 1000 - 1);
  expect(early.settled).toEqual([]);
  await using made = await scripted({ ...script, replies: [reply, { status: 200, json: {} }] });
  await made.round(WORK_S * 1000);
  expect([made.settled, made.troubles]).toEqual([[[amount, "settling", "any"]], troubles]);
});

test("a settlement that is refused in time is tried again half a minute later, for what is due then", async () => {
  const replies = [word("700", true), word("800", true), { status: 200, json: {} }];
  await using made = await scripted({ replies, settlements: [REFUSED, SETTLED] });
  await made.round();
  expect(made.troubles).toEqual([["refused", 1]]);
  expect(await made.row()).toMatchObject({ state: "deferred", amount: QUOTE });
  expect(deferralOf(await made.row())).toMatchObject({ due: "700", refused: "permit2_insufficient_balance" });
  expect(await made.dueIn()).toBe(30_000);
  await made.round();
  expect(made.settled.map((call) => (call as unknown[])[0])).toEqual(["700", "800"]);
  expect(await made.row()).toMatchObject({ state: "settled", amount: "800" });
});

test("a refusal at the end of an authorization is final, and the upstream hears that it gets nothing", async () => {
  const replies = [word("700", true), { status: 200, json: {} }];
  await using early = await scripted({ replies, settlements: [REFUSED] });
  await early.round((VALID_S - 15) * 1000 - 1);
  expect((await early.row()).state).toBe("deferred");
  await using made = await scripted({ replies, settlements: [REFUSED] });
  await made.round((VALID_S - 15) * 1000);
  expect(await made.row()).toMatchObject({ state: "failed", reason: "permit2_insufficient_balance" });
  expect(made.calls[1]).toEqual(closedWith({ paid: "0" }));
  expect(made.logged).toEqual(["deferred charges: a payment on /read failed: permit2_insufficient_balance"]);
  expect([await made.books(), await made.dueIn()]).toEqual([[], undefined]);
});

test("an upstream hears nothing of an end that another process has recorded", async () => {
  for (const settlement of [REFUSED, SETTLED]) {
    await using made = await scripted({ replies: [word("700", true)], settlements: [settlement] });
    const { ledger } = made.store;
    const move = ledger.move.bind(ledger);
    ledger.move = async (payment, change) =>
      change.state === "failed" || change.state === "settled" ? false : await move(payment, change);
    await made.round((VALID_S - 15) * 1000);
    expect([made.settled.length, made.calls.length]).toEqual([1, 1]);
  }
});

test("an upstream does not hear that its charge is paid if another process has the payment", async () => {
  await using made = await scripted({ scheme: "credit", replies: [word("200"), word("200")] });
  made.store.ledger.move = async () => false;
  await made.round();
  expect(made.calls).toEqual([[CHARGES, { paid: "0" }]]);
});

test("a settlement without a result is looked up until the chain shows it, and is charged once", async () => {
  const outcomes: Outcome[] = [
    { kind: "unknown", cause: "no chain" },
    { kind: "settled", transaction: "0xfound", payer: "0xpayer" },
  ];
  const replies = [word("700", true), { status: 200, json: {} }];
  await using made = await scripted({ replies, settlements: [LOST], outcomes });
  await made.round();
  expect(await made.row()).toMatchObject({ state: "unknown", amount: "700", transaction: "0xlost" });
  expect(await made.dueIn()).toBe(30_000);
  await made.round();
  expect((await made.row()).state).toBe("unknown");
  expect(await made.dueIn()).toBe(30_000);
  await made.round();
  expect(await made.row()).toMatchObject({ state: "settled", amount: "700", transaction: "0xfound" });
  expect(made.calls[1]).toEqual(closedWith({ paid: "700", transaction: "0xfound" }));
  expect(made.settled).toHaveLength(1);
  expect(await made.books()).toEqual(["700 0xfound 0xpayer"]);
});

test("a charge that needs no settlement goes on when the chain shows its deposit, and waits until then", async () => {
  const outcomes: Outcome[] = [{ kind: "unspent" }, { kind: "settled", transaction: "0xfound", payer: "0xpayer" }];
  await using made = await scripted({ scheme: "credit", state: "unknown", outcomes });
  await made.round();
  expect([(await made.row()).state, await made.dueIn()]).toEqual(["unknown", 30_000]);
  await made.round();
  expect([(await made.row()).state, await made.dueIn()]).toEqual(["deferred", 0]);
  expect([made.settled, await made.books()]).toEqual([[], []]);
});

test("a settlement that the chain does not show is asked for again by the same facilitator; its refusal proves nothing", async () => {
  const outcomes: Outcome[] = [{ kind: "unspent" }, { kind: "unspent" }];
  await using made = await scripted({
    replies: [word("700", true), { status: 200, json: {} }],
    settlements: [LOST, REFUSED, SETTLED],
    outcomes,
  });
  await made.round();
  await made.round(30_000);
  // The first one may still come.
  expect(await made.row()).toMatchObject({ state: "unknown", transaction: "0xlost" });
  expect(await made.dueIn()).toBe(30_000);
  await made.round();
  expect(made.settled).toEqual([
    ["700", "settling", "any"],
    ["700", "unknown", "same"],
    ["700", "unknown", "same"],
  ]);
  expect(await made.row()).toMatchObject({ state: "settled", amount: "700" });
});

test.each([
  ["was canceled", VALID_S * 1000 - 1, "payment_refused"],
  ["has expired", VALID_S * 1000, "permit2_deadline_expired"],
])("a payment that %s before it moved money fails, and the upstream hears it", async (_what, at, reason) => {
  const replies = [word("700", true), { status: 200, json: {} }];
  await using made = await scripted({ replies, settlements: [LOST], outcomes: [{ kind: "void" }] });
  await made.round();
  await made.round(at);
  expect(await made.row()).toMatchObject({ state: "failed", reason });
  expect(made.calls[1]).toEqual(closedWith({ paid: "0" }));
  expect([await made.books(), await made.dueIn()]).toEqual([[], undefined]);
});

test("a facilitator with a defect, and none at all, leave the settlement open", async () => {
  const replies = [word("700", true)];
  await using broken = await scripted({ replies, settlements: [new TypeError("secret")] });
  await broken.round();
  expect((await broken.row()).state).toBe("unknown");
  expect(broken.logged).toEqual(["deferred charges: a settlement failed unexpectedly: TypeError"]);
  await using none = await scripted({ replies, change: { facilitator: () => undefined } });
  await none.round();
  expect([(await none.row()).state, none.logged]).toEqual(["unknown", []]);
});

test("payments of test mode wait while the gateway is in the other mode", async () => {
  await using made = await scripted({ replies: [word("700", true)], change: { testMode: () => false } });
  await made.round();
  expect([(await made.row()).state, made.settled]).toEqual(["deferred", []]);
  expect(await made.dueIn()).toBe(60_000);
});

test("an upstream that did not hear of the end hears of it again, for a day", async () => {
  const replies = [word("0", true), { status: 500, json: undefined }, undefined, { status: 404, json: undefined }];
  await using made = await scripted({ replies });
  await made.round();
  expect(made.troubles).toEqual([["unreachable", 1]]);
  expect(await made.dueIn()).toBe(1000);
  await made.round();
  expect(await made.dueIn()).toBe(2000);
  await made.round();
  expect(made.calls).toHaveLength(4);
  expect(await made.dueIn()).toBeUndefined();
  const late = { scheme: "credit", state: "settled" } as const;
  await using almost = await scripted({ ...late, deferral: { failures: 1499 } });
  await almost.round();
  expect(await almost.dueIn()).toBe(60_000);
  await using over = await scripted({ ...late, deferral: { failures: 1500 } });
  await over.round();
  expect([over.calls.length, await over.dueIn()]).toEqual([1, undefined]);
});

test.each([
  ["no unit can have left", "0", { state: "released" }, []],
  ["a unit can have left", "40", { state: "settled", amount: "40" }, ["40  0xfrom"]],
])("a metered response whose gateway has died is charged whole if %s", async (_what, due, row, books) => {
  await using made = await scripted({ scheme: "credit", deferral: { path: "", isMetered: true, due } });
  await made.round();
  expect([made.calls, await made.books()]).toEqual([[], books]);
  expect(await made.row()).toMatchObject(row);
  expect(await made.dueIn()).toBeUndefined();
  // A payment that is free can be used again at once.
  const { leased } = await made.store.ledger.reserve(reservationOf("credit", 0));
  expect(leased).toBe(due === "0");
});

test("a metered response that is settled already, and a payment without its facts, are left alone", async () => {
  await using made = await scripted({ scheme: "credit", state: "settled", deferral: { isMetered: true, due: "40" } });
  await made.round();
  expect(await made.row()).toMatchObject({ state: "settled", amount: QUOTE });
  expect([await made.books(), await made.dueIn()]).toEqual([[], undefined]);
  await using other = await scripted({ text: "{}" });
  await other.round();
  expect([(await other.row()).state, other.calls, await other.dueIn()]).toEqual(["deferred", [], undefined]);
  expect(other.logged).toEqual([]);
});

test("a payment whose route is gone from the configuration counts as one whose upstream is away", async () => {
  await using made = await scripted({ change: { upstream: () => undefined } });
  await made.round();
  expect(made.troubles).toEqual([["unreachable", 1]]);
});

test("one round looks at all payments that are due, eight at a time", async () => {
  await using made = await scripted({ scheme: "credit", payments: 17 });
  await made.round();
  expect(made.calls).toHaveLength(17);
});

test("a round whose ledger fails is logged without the text of the error", async () => {
  const ledger = { claimDue: () => Promise.reject(new TypeError("secret")), move: async () => true };
  await using made = await scripted({ change: { ledger } });
  await made.round();
  expect(made.logged).toEqual(["deferred charges: the ledger failed: TypeError"]);
});

/** A ledger whose looks for due payments wait until they are let go. */
function gatedLooks() {
  const gates: PromiseWithResolvers<readonly Payment[]>[] = [];
  const arrivals: (() => void)[] = [];
  const claimDue = (): Promise<readonly Payment[]> => {
    const gate = Promise.withResolvers<readonly Payment[]>();
    gates.push(gate);
    arrivals.shift()?.();
    return gate.promise;
  };
  /** Resolves when the look with this number, from 1, has begun. */
  const begun = async (count: number): Promise<void> => {
    while (gates.length < count) await new Promise<void>((resolve) => arrivals.push(resolve));
  };
  return { ledger: { claimDue, move: async () => true }, gates, begun };
}

test("looks follow each other after a second, at once if a charge was deferred meanwhile, and not after the close", async () => {
  using timers = watchTimers((ms) => (ms === 1000 ? 2 ** 31 - 1 : ms), "own");
  const { ledger, gates, begun } = gatedLooks();
  await using made = await scripted({ change: { ledger } });
  const { collector } = made;
  collector.start();
  await begun(1);
  collector.wake();
  gates[0]?.resolve([]);
  await begun(2);
  gates[1]?.resolve([]);
  while (timers.pending(1000) === 0) await new Promise(setImmediate);
  // It waits for a second now.
  collector.wake();
  await begun(3);
  expect(timers.pending(1000)).toBe(0);
  let isClosed = false;
  const closing = collector.close().then(() => (isClosed = true));
  await new Promise(setImmediate);
  expect(isClosed).toBe(false);
  gates[2]?.resolve([]);
  await closing;
  await new Promise(setImmediate);
  collector.wake();
  expect([timers.pending(1000), timers.pending(0), gates.length]).toEqual([0, 0, 3]);
});

test("a close ends the looks for more, and the timer of the next one", async () => {
  using timers = watchTimers((ms) => ms, "own");
  const { ledger, gates, begun } = gatedLooks();
  await using made = await scripted({ change: { ledger } });
  made.collector.start();
  await begun(1);
  const closing = made.collector.close();
  // Eight more may be due, but they wait for another process.
  const row = { ...(await made.row()), deferral: "" };
  gates[0]?.resolve(Array.from({ length: 8 }, () => row));
  await closing;
  expect([gates.length, timers.pending(1000)]).toEqual([1, 0]);
  await using idle = await scripted({ change: { ledger } });
  idle.collector.start();
  expect(timers.pending(0)).toBe(1);
  await idle.collector.close();
  expect(timers.pending(0)).toBe(0);
});
