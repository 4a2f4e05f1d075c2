import { Outage } from "../../../../lib/time/outage.ts";
import { type Counts } from "../../../telemetry/metrics/counts.ts";
import { type FacilitatorObserver } from "../../../../payments/facilitator/facilitator-observer.ts";
import { type ChannelTrouble } from "../../../../payments/channels/claims.ts";
import { type Channel } from "../../../../store/channels.ts";
import { type CollectorTrouble } from "../../../../payments/settlement/collector.ts";
import { type Change, type Payment } from "../../../../store/ledger.ts";
import { type NewEvent, type OnEvent } from "../../../telemetry/event.ts";

/** The event for operators about a change of a payment; undefined if the change needs no attention. */
export function paymentEvent(before: Payment, change: Change): NewEvent | undefined {
  const { state, lease, delivered } = change;
  const { route, network } = before;
  const event = (message: string, now: string): NewEvent => ({
    kind: "payment",
    message: `a payment on ${route} ${message}`,
    details: { route, network, state: now },
  });
  const isOpen = before.state === "unknown" || before.state === "settling";
  if (state === "unknown" && before.state !== "unknown") {
    return event("is open: it is not known whether money moved; it is looked up again", "unknown");
  }
  if (state === "failed" && before.state === "unknown") return event("that was open moved no money", "failed");
  if (state !== "settled" || lease || delivered === true || before.delivered) return undefined;
  if (isOpen && before.transaction === "" && change.transaction !== undefined) {
    return event("that was open is settled; its response is delivered when the client sends the payment again", "owed");
  }
  return event(
    "is settled, but its response was not delivered completely; it is delivered when the client sends the payment again",
    "owed",
  );
}

/** Failed calls after which an upstream counts as away. */
const AWAY_FAILURES = 5;

/** The event for operators about a charge that is made later; undefined if it needs no attention. */
export function deferredEvent(
  { route, network, nonce }: Payment,
  trouble: CollectorTrouble,
  failures: number,
): NewEvent | undefined {
  if (trouble === "unreachable" && failures !== AWAY_FAILURES) return undefined;
  const words: Readonly<Record<CollectorTrouble, string>> = {
    unreachable: "cannot be charged now, because the upstream does not say what is due; it is asked again",
    given_up: "is charged for the amount that the upstream named last, because the upstream does not respond",
    refused: "cannot be charged, because its settlement is refused; it is tried again until the payment ends",
  };
  return { kind: "payment", message: `a payment on ${route} ${words[trouble]}`, details: { route, network, nonce } };
}

/** The event for operators about a channel. */
export function channelEvent(
  { id, network, payer, withdrawAt, charged, claimed }: Channel,
  trouble: ChannelTrouble,
): NewEvent {
  const words: Readonly<Record<ChannelTrouble, string>> = {
    withdrawal: "gets no more responses: its payer withdraws; its charges are claimed now",
    reverting: "cannot be claimed: the chain refuses its newest voucher; it is tried again",
    unclaimed: "is perhaps not claimed yet: the facilitator gave no result; it is asked again",
    lost: "has less money than it was charged: its payer has withdrawn before its charges were claimed; they are written off",
    denied: "gets no more responses: its payer, a contract, denies its vouchers; its charges are written off",
  };
  const unclaimed = String(BigInt(charged) - BigInt(claimed));
  const details = { channel: id, network, payer, withdraw_at: withdrawAt, unclaimed };
  return { kind: "payment", message: `a payment channel ${words[trouble]}`, details };
}

/** Counts calls to facilitators, and reports changes of their breakers as events and lines of the log. */
export function withBreakerEvents(
  counts: Pick<Counts, "add">,
  onEvent: OnEvent,
  log: (line: string) => void,
): FacilitatorObserver {
  const outage = new Outage();
  let open = 0;
  return {
    asked(operation, outcome) {
      counts.add("facilitatorRequests", 1, operation, outcome);
      const works = outcome === "ok" || outcome === "refused";
      if (open > 0 && !works) outage.failed();
      // The breaker also closes with its configuration, which proves nothing.
      const after = open === 0 && works ? outage.ended() : undefined;
      if (after !== undefined) log(`payment: a facilitator works again ${after}`);
    },
    breakerChanged(isOpen, { name, place }) {
      open += isOpen ? 1 : -1;
      counts.add("facilitatorBreakersOpen", isOpen ? 1 : -1, place);
      if (isOpen) {
        outage.failed();
        log(
          `payment: the circuit breaker of a facilitator is open (${name}): it verifies no payments until it responds`,
        );
      }
      const message = isOpen
        ? "a facilitator does not respond: it verifies no payments until it does"
        : "a facilitator responds again";
      onEvent({ kind: "payment", message, details: { facilitator: name, breaker: isOpen ? "open" : "closed" } });
    },
  };
}
