import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import * as fc from "fast-check";
import { TurnpikeError } from "../../../lib/errors.ts";
import { type Settlement, type Verification } from "../../../payments/facilitator.ts";
import { REQUIREMENTS } from "../../../payments/testing/payment.ts";
import { paymentKey } from "../../../payments/payment-key.ts";
import { HOLD_MS } from "../../../store/ledger.ts";
import { closeShops, openShop, type Shop, type ShopOptions } from "./testing/shop.ts";
import { answerWith } from "./testing/test-gateway.ts";

// Many runs take long on a busy machine.
setDefaultTimeout(30_000);

afterEach(closeShops);

type VerifyFault = "none" | "unavailable" | "refused" | "throws";
type SettleFault = "none" | "refused" | "lost before" | "lost after" | "throws after";
type UpstreamFault = "none" | "500" | "abort";
type LedgerFault = "none" | "verified" | "settling" | "settled";

/** One request of a client, and all that goes wrong on its way. */
interface Step {
  readonly payment: number;
  readonly verify: VerifyFault;
  readonly settle: SettleFault;
  readonly upstream: UpstreamFault;
  readonly ledger: LedgerFault;
  readonly leaves: boolean;
  /** Milliseconds that go by before it. */
  readonly pause: number;
  /** Sent together with the step before it. */
  readonly together: boolean;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    payment: fc.nat(2),
    verify: fc.constantFrom<VerifyFault>("none", "none", "none", "unavailable", "refused", "throws"),
    settle: fc.constantFrom<SettleFault>("none", "none", "refused", "lost before", "lost after", "throws after"),
    upstream: fc.constantFrom<UpstreamFault>("none", "none", "none", "500", "abort"),
    ledger: fc.constantFrom<LedgerFault>("none", "none", "none", "verified", "settling", "settled"),
    leaves: fc.constantFrom(false, false, true),
    pause: fc.constantFrom(0, 0, 1000, HOLD_MS + 1),
    together: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

const QUIET: Step = {
  payment: 0,
  verify: "none",
  settle: "none",
  upstream: "none",
  ledger: "none",
  leaves: false,
  pause: 0,
  together: false,
};

const UNKNOWN: Settlement = { kind: "unknown", cause: "no answer", transaction: "" };

/** A shop whose parts fail as the step at hand says. */
function faultyShop(at: () => Step): Shop {
  const options: ShopOptions = {
    facilitator: (real) => ({
      async verify(...payment): Promise<Verification> {
        const { verify } = at();
        if (verify === "throws") throw new Error("defect");
        if (verify === "unavailable") return { kind: "unavailable", cause: "no answer" };
        return verify === "refused" ? { kind: "refused", reason: "payment_refused" } : real.verify(...payment);
      },
      async settle(...payment): Promise<Settlement> {
        const { settle } = at();
        if (settle === "refused") return { kind: "refused", reason: "invalid_exact_evm_insufficient_balance" };
        if (settle === "lost before") return UNKNOWN;
        const settlement = await real.settle(...payment);
        if (settle === "throws after") throw new Error("defect");
        return settle === "lost after" ? UNKNOWN : settlement;
      },
    }),
    ledger: (real) => ({
      async move(payment, change) {
        if (change.hold && change.state === at().ledger) throw new Error("disk full");
        return real.move(payment, change);
      },
    }),
    upstream: (exchange) => {
      const { upstream } = at();
      if (upstream === "abort") exchange.response.abort(new TurnpikeError("upstream-failed", "It went away"));
      else if (upstream === "500") answerWith(exchange, 500, "sorry");
      else answerWith(exchange, 200, "the goods");
    },
  };
  return openShop(options);
}

async function receive(sent: Promise<Response>, onGoods: () => void): Promise<void> {
  const response = await sent.catch(() => undefined);
  const text = await response?.text().catch(() => "");
  if (text === undefined || text === "") return;
  expect(response?.status === 200).toBe(text === "the goods");
  if (text.includes("the goods")) onGoods();
}

test("nothing is released that was not settled, and nothing is settled that is neither released nor owed", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      let current = 0;
      const shop = faultyShop(() => script[current] ?? QUIET);
      const payments = [shop.payment(), shop.payment(), shop.payment()] as const;
      const released = new Set<number>();
      let pending: Promise<void>[] = [];
      for (const [index, step] of script.entries()) {
        if (!step.together) {
          await Promise.all(pending);
          pending = [];
        }
        current = index;
        shop.clock.now += step.pause;
        const client = new AbortController();
        const paid = payments[step.payment] ?? payments[0];
        pending.push(receive(shop.send(paid, { signal: client.signal }), () => released.add(step.payment)));
        if (step.leaves) client.abort();
      }
      await Promise.all(pending);

      for (const [index, payment] of payments.entries()) {
        const booking = await shop.store.bookings.find(paymentKey(payment, REQUIREMENTS));
        const standing = await shop.booked(payment);
        if (released.has(index)) expect(booking).toBeDefined();
        if (booking === undefined || released.has(index)) continue;
        // It was handed over, to a connection that its client had left.
        if (standing?.delivered === true && script.some((step) => step.payment === index && step.leaves)) continue;
        // Money moved and nothing went out: the ledger says so, and an honest retry gets what it paid for.
        expect(["settling", "settled", "unknown"]).toContain(standing?.state ?? "nothing");
        current = script.length;
        shop.clock.now += HOLD_MS + 1;
        const retry = await shop.send(payment);
        expect([retry.status, await retry.text()]).toEqual([200, "the goods"]);
      }
      await closeShops();
    }),
    { numRuns: 150 },
  );
});
