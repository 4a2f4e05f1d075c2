import { expect, test } from "bun:test";
import { type Change, type Payment } from "../../../../store/ledger.ts";
import { type NewEvent } from "../../../telemetry/event.ts";
import { paymentEvent, withBreakerEvents } from "./payment-events.ts";

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
