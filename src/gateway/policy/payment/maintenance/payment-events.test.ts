import { expect, test } from "bun:test";
import { type Channel } from "../../../../store/channels.ts";
import { type Change, type Payment } from "../../../../store/ledger.ts";
import { type NewEvent } from "../../../telemetry/event.ts";
import { channelEvent, deferredEvent, paymentEvent, withBreakerEvents } from "./payment-events.ts";

const PAYMENT = { route: "/read", network: "eip155:8453", state: "settling", transaction: "" } as Payment;

const CASES: readonly (readonly [Partial<Payment>, Change, string | undefined])[] = [
  [{ state: "reserved" }, { state: "verified", lease: true }, undefined],
  [{}, { state: "settled", lease: true, transaction: "0x1" }, undefined],
  [{ state: "settled" }, { state: "settled", lease: false, delivered: true }, undefined],
  [{ state: "verified" }, { state: "released", lease: false }, undefined],
  [{}, { state: "failed", lease: false, reason: "expired" }, undefined],
  [{}, { state: "unknown", lease: false }, "is open: it is not known whether money moved; it is looked up again"],
  [{ state: "unknown" }, { state: "unknown", lease: false }, undefined],
  [{ state: "unknown" }, { state: "failed", lease: false }, "that was open moved no money"],
  [
    { state: "unknown" },
    { state: "settled", lease: false, transaction: "0x1" },
    "that was open is settled; its response is delivered when the client sends the payment again",
  ],
  [
    { state: "settled" },
    { state: "settled", lease: false, delivered: false },
    "is settled, but its response was not delivered completely; it is delivered when the client sends the payment again",
  ],
  [{ state: "settled", delivered: true }, { state: "settled", lease: false, delivered: false }, undefined],
];

for (const [before, change, message] of CASES) {
  test(`a payment changes from ${before.state ?? "settling"} to ${JSON.stringify(change)}`, () => {
    const event = paymentEvent({ ...PAYMENT, ...before }, change);
    expect(event?.message).toBe(message === undefined ? undefined : `a payment on /read ${message}`);
  });
}

test.each([
  ["unreachable", 4, undefined],
  ["unreachable", 5, "cannot be charged now, because the upstream does not say what is due; it is asked again"],
  ["unreachable", 6, undefined],
  ["given_up", 4, "is charged for the amount that the upstream named last, because the upstream does not respond"],
  ["refused", 1, "cannot be charged, because its settlement is refused; it is tried again until the payment ends"],
  ["refused", 5, "cannot be charged, because its settlement is refused; it is tried again until the payment ends"],
] as const)("a later charge is %s after %d failures", (trouble, failures, message) => {
  const { route, network } = PAYMENT;
  const event = deferredEvent({ ...PAYMENT, nonce: "0x1" }, trouble, failures);
  const details = { route, network, nonce: "0x1" };
  expect(event).toEqual(
    message === undefined ? undefined : { kind: "payment", message: `a payment on /read ${message}`, details },
  );
});

test("an event about a channel tells what is not claimed", () => {
  const [network, payer] = ["eip155:8453", "0xpayer"];
  const channel = { id: "0xid", network, payer, withdrawAt: 7, charged: "10000", claimed: "4000" } as Channel;
  for (const [trouble, message] of [
    ["withdrawal", "its payer withdraws; its charges are claimed now"],
    ["reverting", "the chain refuses its newest voucher"],
    ["unclaimed", "is perhaps not claimed yet"],
    ["lost", "has less money than it was charged"],
    ["denied", "a contract, denies its vouchers"],
  ] as const) {
    expect(channelEvent(channel, trouble)).toEqual({
      kind: "payment",
      message: expect.stringMatching(new RegExp(`^a payment channel .*${message}`)),
      details: { channel: "0xid", network, payer, withdraw_at: 7, unclaimed: "6000" },
    });
  }
});

test("an open breaker is reported once, and so is its recovery", () => {
  const events: NewEvent[] = [];
  const onEvent = (event: NewEvent): void => void events.push(event);
  const changes: boolean[] = [];
  const lines: string[] = [];
  const observer = withBreakerEvents(
    { add: (metric, change) => void (metric === "facilitatorBreakersOpen" && changes.push(change > 0)) },
    onEvent,
    (line) => void lines.push(line),
  );
  observer.asked("verify", "unavailable");
  observer.breakerChanged(true, { name: "own", place: 1 });
  for (let i = 0; i < 664; i++) observer.asked("verify", "unavailable");
  observer.breakerChanged(false, { name: "own", place: 1 });
  observer.asked("verify", "ok");
  expect(lines).toEqual([
    "payment: the circuit breaker of a facilitator is open (own): it verifies no payments until it responds",
    "payment: a facilitator works again after 665 failures in 1 s",
  ]);
  expect(changes).toEqual([true, false]);
  expect(events.map(({ details }) => details)).toEqual([
    { facilitator: "own", breaker: "open" },
    { facilitator: "own", breaker: "closed" },
  ]);
});
