import { expect, test } from "bun:test";
import { PAYER, REQUIREMENTS, signedPayment } from "../testing/payment.ts";
import { type Facilitator, type Outcome, type Settlement, type Verification } from "../x402/facilitator.ts";
import { FACILITATOR_PLACES, observe } from "./facilitator-observer.ts";

const payment = signedPayment(0);
const VERIFICATIONS: readonly Verification[] = [
  { kind: "valid", payer: PAYER },
  { kind: "refused", reason: "insufficient_funds" },
  { kind: "unavailable", cause: "x" },
  { kind: "failed", cause: "x" },
];
const SETTLEMENTS: readonly Settlement[] = [
  { kind: "settled", transaction: "0x1", payer: PAYER },
  { kind: "refused", reason: "insufficient_funds" },
  { kind: "unknown", cause: "x", transaction: "" },
];
const OUTCOMES: readonly Outcome[] = [
  { kind: "settled", transaction: "0x1", payer: PAYER },
  { kind: "unspent" },
  { kind: "void" },
  { kind: "unknown", cause: "x" },
];

function never(): never {
  throw new Error("it is not asked");
}

test("each call is counted by its outcome, and its result is passed on", async () => {
  const counted: string[] = [];
  const left = { verify: [...VERIFICATIONS], settle: [...SETTLEMENTS], find: [...OUTCOMES] };
  let isThere = true;
  const facilitator: Facilitator = {
    supported: async () => (isThere ? [] : never()),
    verify: async () => left.verify.shift() ?? never(),
    settle: async () => left.settle.shift() ?? never(),
    find: async () => left.find.shift() ?? never(),
    close: async () => void counted.push("close"),
    channels: undefined,
  };
  const observed = observe(facilitator, {
    asked: (operation, outcome) => void counted.push(`${operation} ${outcome}`),
    breakerChanged: never,
  });
  for (const expected of VERIFICATIONS) expect(await observed.verify(payment, REQUIREMENTS)).toBe(expected);
  for (const expected of SETTLEMENTS) expect(await observed.settle(payment, REQUIREMENTS)).toBe(expected);
  for (const expected of OUTCOMES) expect(await observed.find(payment, REQUIREMENTS)).toBe(expected);
  expect(await observed.supported()).toEqual([]);
  isThere = false;
  expect(await observed.supported().then(String, String)).toContain("it is not asked");
  await observed.close();
  expect(counted).toEqual([
    ...["ok", "refused", "unavailable", "failed"].map((outcome) => `verify ${outcome}`),
    ...["ok", "refused", "unknown"].map((outcome) => `settle ${outcome}`),
    ...["ok", "ok", "ok", "unknown"].map((outcome) => `find ${outcome}`),
    "supported ok",
    "supported failed",
    "close",
  ]);
});

test("calls about channels are counted too", async () => {
  const counted: string[] = [];
  const state = { balance: 1n, totalClaimed: 0n, withdrawRequestedAt: 0, refundNonce: 0n };
  const facilitator: Facilitator = {
    supported: async () => [],
    verify: never,
    settle: never,
    find: never,
    close: async () => {},
    channels: {
      verify: async () => ({ kind: "valid", payer: PAYER, state }),
      settle: async () => ({ kind: "unknown", cause: "x", transaction: "" }),
    },
  };
  const { channels } = observe(facilitator, {
    asked: (operation, outcome) => void counted.push(`${operation} ${outcome}`),
    breakerChanged: never,
  });
  expect(await channels?.verify({} as never, {} as never)).toMatchObject({ kind: "valid" });
  expect(await channels?.settle({} as never, {} as never)).toMatchObject({ kind: "unknown" });
  expect(counted).toEqual(["verify ok", "settle unknown"]);
});

test("the first eight facilitators of a list have their place in metrics", () => {
  expect(FACILITATOR_PLACES).toEqual([0, 1, 2, 3, 4, 5, 6, 7, "other"]);
});
