import { afterEach, beforeEach, expect, test } from "bun:test";
import { messageOf } from "../../../lib/caught.ts";
import { openStore } from "../../../store/open/open-store.ts";
import { type Refund, REFUND_TURN_MS, type RefundEnd } from "../../../store/refunds.ts";
import { type Store } from "../../../store/store.ts";
import { settle, WISH } from "../../../store/testing/refunds-contract.ts";
import { type Facilitator, type Outcome, type Settlement, type Verification } from "../../x402/facilitator.ts";
import { REQUIREMENTS, signedPayment } from "../../testing/payment.ts";
import { Refunder, type RefundSeller } from "./refunder.ts";

const START = 1_800_000_000_000;
const RETRY_MS = 5000;
const VALID_S = 900;
const SETTLED: Settlement = { kind: "settled", transaction: "0xback", payer: "0xseller" };
const REFUSED: Settlement = { kind: "refused", reason: "insufficient_funds" };
const LOST: Settlement = { kind: "unknown", cause: "no response", transaction: "" };
const VALID: Verification = { kind: "valid", payer: "0xseller" };

let now: number;
let store: Store;
let count = 0;

beforeEach(() => {
  now = START;
  store = openStore(":memory:", () => now);
});
afterEach(() => store.close());

interface Script {
  readonly isOwn?: boolean;
  readonly settlements?: readonly (Settlement | Error)[];
  /** The outcome of a refund that was not sent; unspent by default. */
  readonly before?: Outcome;
  readonly outcomes?: readonly Outcome[];
  readonly verification?: Verification;
  readonly objections?: readonly { readonly isFinal: boolean; readonly reason: string }[];
  /** Throws if the refund cannot be signed. */
  readonly broken?: () => void;
  readonly open?: () => Promise<RefundSeller>;
}

/** A refund of 10000 that is due, and a refunder whose seller and facilitator respond by a script. */
async function begun(script: Script) {
  count += 1;
  const { isOwn = true, settlements = [], outcomes = [], verification = VALID } = script;
  const payment = await settle(store, "settled", `0xrefund${count}`);
  const validBefore = START / 1000 + VALID_S;
  const result = await store.refunds.begin(payment, { ...WISH, id: "a", validBefore });
  if (result.kind === "refused") throw new Error(result.why);
  const left = { settlements: [...settlements], outcomes: [...outcomes], objections: [...(script.objections ?? [])] };
  const calls: string[] = [];
  const ends: [Refund["id"], RefundEnd][] = [];
  const logged: string[] = [];
  const row = async (): Promise<Refund> => {
    const [refund] = await store.view.refundsOf(payment);
    if (refund === undefined) throw new Error("the refund is gone");
    return refund;
  };
  const facilitator = {
    settle: async () => {
      // Before it leaves, it is recorded as sent.
      calls.push(`settle ${(await row()).sent}`);
      const next = left.settlements.shift() ?? LOST;
      if (next instanceof Error) throw next;
      return next;
    },
    find: async () => {
      calls.push("find");
      if (!(await row()).sent) return script.before ?? { kind: "unspent" };
      return left.outcomes.shift() ?? { kind: "unknown", cause: "no chain" };
    },
    verify: async () => {
      calls.push("verify");
      return verification;
    },
  } satisfies Partial<Facilitator> as Partial<Facilitator> as Facilitator; // The other methods are not called.
  const transfer = { payment: signedPayment(START / 1000), requirements: REQUIREMENTS };
  const seller: RefundSeller = {
    way: () => {
      script.broken?.();
      return { facilitator, isOwn, ...transfer };
    },
    objection: async () => left.objections.shift(),
    notice: ({ id }, _payment, transaction) => ({ id, url: "http://books.test", body: transaction }),
    close: () => calls.push("close"),
  };
  const refunder = new Refunder({
    refunds: store.refunds,
    ledger: store.ledger,
    open: script.open ?? (async () => seller),
    onEnd: ({ id }, _payment, end) => ends.push([id, end]),
    clock: () => now,
    log: (message) => logged.push(message),
  });
  /** Works on what is due after some milliseconds. */
  const round = async (afterMs = 0): Promise<string[]> => {
    now += afterMs;
    calls.length = 0;
    await refunder.round();
    return [...calls];
  };
  return { refunder, round, row, ends, logged };
}

/** Whether the refund is due after `ms` milliseconds, and not one earlier. */
async function isDueAfter(ms: number): Promise<boolean> {
  now += ms - 1;
  const early = await store.refunds.claim(8);
  now += 1;
  return early.length === 0 && (await store.refunds.claim(8)).length === 1;
}

test("a refund is checked, recorded as sent, made once, and reported with its transaction", async () => {
  const { round, row, ends, refunder } = await begun({ settlements: [SETTLED] });
  expect(await round()).toEqual(["find", "verify", "settle true", "close"]);
  expect(await row()).toMatchObject({ state: "settled", transaction: "0xback", reason: "" });
  expect(ends).toEqual([["a", expect.objectContaining({ state: "settled", transaction: "0xback" })]]);
  expect(await store.outbox.claim(9)).toMatchObject([{ id: "a", body: "0xback" }]);
  now += REFUND_TURN_MS;
  expect([await refunder.round(), await round()]).toEqual([0, []]);
});

test("one round works on eight refunds, and says so", async () => {
  const { refunder } = await begun({ settlements: Array.from({ length: 9 }, () => SETTLED) });
  for (let at = 0; at < 8; at++) await store.refunds.begin(await settle(store, "settled", `0x${at}`), WISH);
  expect([await refunder.round(), await refunder.round(), await refunder.round()]).toEqual([8, 1, 0]);
});

test.each([
  ["may not be made at all", { isFinal: true, reason: "the payer is on the list" }, "failed"],
  ["may not be made now", { isFinal: false, reason: "the list is not known" }, "pending"],
])("a refund that %s is not sent", async (_what, objection, state) => {
  const { round, row, ends } = await begun({ objections: [objection], settlements: [SETTLED] });
  expect(await round()).toEqual(["find", "close"]);
  expect(await row()).toMatchObject({ state, sent: false, reason: objection.reason });
  expect(ends).toHaveLength(state === "failed" ? 1 : 0);
  if (state === "failed") return;
  expect(await isDueAfter(RETRY_MS)).toBe(true);
  expect(await round(REFUND_TURN_MS)).toEqual(["find", "verify", "settle true", "close"]);
});

test.each([
  ["refuses", { kind: "refused", reason: "insufficient_funds" } as const, "failed", "insufficient_funds"],
  ["cannot check", { kind: "unavailable", cause: "no node" } as const, "pending", "no node"],
])(
  "a refund that the gateway's own facilitator %s has not left the program",
  async (_what, verification, state, reason) => {
    const { round, row } = await begun({ verification });
    expect(await round()).toEqual(["find", "verify", "close"]);
    expect(await row()).toMatchObject({ state, sent: false, reason });
  },
);

test("what another facilitator says about a refund is believed only if the chain shows it", async () => {
  const outcomes: Outcome[] = [{ kind: "unspent" }, { kind: "settled", transaction: "0xfound", payer: "0xseller" }];
  const { round, row, ends } = await begun({ isOwn: false, settlements: [SETTLED, REFUSED], outcomes });
  expect(await round()).toEqual(["find", "settle true", "close"]);
  expect(await row()).toMatchObject({ state: "pending", reason: "the chain does not show it yet" });
  expect(await isDueAfter(RETRY_MS)).toBe(true);
  expect(await round(REFUND_TURN_MS)).toEqual(["find", "settle true", "close"]);
  expect(await row()).toMatchObject({ state: "pending", reason: "insufficient_funds" });
  expect(await round(RETRY_MS)).toEqual(["find", "close"]);
  expect(await row()).toMatchObject({ state: "settled", transaction: "0xfound" });
  expect(ends).toHaveLength(1);
});

test("a sent refund is looked up first, and not sent again until the chain says that it is unspent", async () => {
  const outcomes: Outcome[] = [{ kind: "unknown", cause: "no chain" }, { kind: "unspent" }];
  const { round, row } = await begun({ settlements: [LOST, SETTLED], outcomes });
  await round();
  expect(await row()).toMatchObject({ state: "pending", sent: true, reason: "no response" });
  expect(await round(RETRY_MS)).toEqual(["find", "close"]);
  expect((await row()).reason).toBe("no chain");
  // It was checked before it was sent the first time.
  expect(await round(RETRY_MS)).toEqual(["find", "settle true", "close"]);
  expect(await row()).toMatchObject({ state: "settled", transaction: "0xback" });
});

test("a sent refund fails if the chain says that it can never be made, for the last known reason", async () => {
  const { round, row, ends } = await begun({ settlements: [LOST], outcomes: [{ kind: "void" }] });
  await round();
  await round(RETRY_MS);
  expect(await row()).toMatchObject({ state: "failed", reason: "no response" });
  expect(ends).toHaveLength(1);
});

test("a refund is sent until 30 seconds before the end of its transfer", async () => {
  const { round } = await begun({ settlements: [SETTLED] });
  expect(await round((VALID_S - 30) * 1000)).toEqual(["find", "verify", "settle true", "close"]);
});

test("a refund that was not sent 30 seconds before the end of its transfer fails", async () => {
  const { round, row } = await begun({ settlements: [SETTLED] });
  expect(await round((VALID_S - 30) * 1000 + 1)).toEqual(["find", "close"]);
  expect(await row()).toMatchObject({ state: "failed", reason: "it was not sent in time" });
});

test("a refund that the ledger has from a backup is settled if it was made, and never fails if its number was used otherwise", async () => {
  const made = await begun({ before: { kind: "settled", transaction: "0xbefore", payer: "0xseller" } });
  expect(await made.round()).toEqual(["find", "close"]);
  expect(await made.row()).toMatchObject({ state: "settled", sent: false, transaction: "0xbefore" });
  const other = await begun({ before: { kind: "void" } });
  const reason = "another refund of this number was made, which the ledger does not have";
  for (const ms of [0, RETRY_MS, VALID_S * 1000]) {
    expect(await other.round(ms)).toEqual(["find", "close"]);
    expect(await other.row()).toMatchObject({ state: "pending", sent: false, reason });
  }
});

test("a sent refund whose time is over is not sent again, and waits for the word of the chain", async () => {
  const { round, row } = await begun({ settlements: [LOST], outcomes: [{ kind: "unspent" }, { kind: "void" }] });
  await round();
  expect(await round((VALID_S - 30) * 1000 + 1)).toEqual(["find", "close"]);
  expect(await row()).toMatchObject({ state: "pending", reason: "no response" });
  expect(await round(RETRY_MS)).toEqual(["find", "close"]);
  expect((await row()).state).toBe("failed");
});

test.each([
  ["an error", () => new Error("the key is not set"), "the key is not set"],
  ["no error", () => "secret", "it cannot be signed"],
])("a refund whose signing throws %s fails unless it was sent: then it can still come", async (_what, made, reason) => {
  let isBroken = true;
  const broken = (): void => {
    if (isBroken) throw made();
  };
  const unsent = await begun({ broken });
  await unsent.round();
  expect(await unsent.row()).toMatchObject({ state: "failed", reason });
  isBroken = false;
  const sent = await begun({
    broken,
    settlements: [LOST],
    outcomes: [{ kind: "settled", transaction: "0x1", payer: "" }],
  });
  await sent.round();
  isBroken = true;
  await sent.round(RETRY_MS);
  expect(await sent.row()).toMatchObject({ state: "pending", reason });
  isBroken = false;
  await sent.round(RETRY_MS);
  expect((await sent.row()).state).toBe("settled");
});

test("a refunder whose seller cannot be opened rejects, and the refund is due again after its turn", async () => {
  const { refunder, row } = await begun({ open: () => Promise.reject(new Error("no configuration")) });
  expect(await refunder.round().catch(messageOf)).toBe("no configuration");
  expect((await row()).state).toBe("pending");
  expect(await isDueAfter(REFUND_TURN_MS)).toBe(true);
});

test("a defect of a facilitator leaves a refund pending, and the log shows no text of the error", async () => {
  const { round, row, logged } = await begun({ settlements: [new TypeError("secret")] });
  expect(await round()).toEqual(["find", "verify", "settle true", "close"]);
  expect(await row()).toMatchObject({ state: "pending", sent: true });
  expect(logged).toEqual(["refund: an attempt failed unexpectedly: TypeError"]);
});
