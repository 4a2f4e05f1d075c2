import { rmSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { fieldLine } from "../../../../lib/http/fields.ts";
import {
  type Facilitator,
  type Outcome,
  type Settlement,
  type Verification,
} from "../../../../payments/x402/facilitator.ts";
import { type PaymentPayload, type PaymentRequirements } from "../../../../payments/x402/messages.ts";
import { checkTerms } from "../../../../payments/signatures/check-payment.ts";
import { paymentKey } from "../../../../payments/x402/payment-key.ts";
import { signedPermit2 } from "../../../../payments/testing/permit2-payment.ts";
import { REQUIREMENTS, TERMS } from "../../../../payments/testing/payment.ts";
import { type SimulatedTransfer } from "../../../../store/simulated-transfers.ts";
import { type Ledger, type Payment, type PaymentState } from "../../../../store/ledger.ts";
import { openStore } from "../../../../store/open/open-store.ts";
import { type Store } from "../../../../store/store.ts";
import { LedgerModel } from "./ledger-model.ts";
import { Shop } from "./shop.ts";
import { respondWith, type TestExchange } from "./test-gateway.ts";

/** The payment settings of the world's route. */
export type Mode = "exact, after" | "exact, before" | "upto, after";

/** One request of a client, with all faults on its way. */
export interface Step {
  readonly payment: number;
  readonly verify: "none" | "unavailable" | "refused" | "throws";
  readonly settle: "none" | "refused" | "lost before" | "lost after" | "throws after";
  readonly find: "none" | "unknown" | "throws" | "blind";
  readonly upstream: "none" | "500" | "abort" | "slow";
  /**
   * The upstream's charge; empty: it names none. Under `exact` a response for 0 is worthless, and any other amount is
   * ignored.
   */
  readonly charge: "" | "0" | "7" | "too much";
  /** The write that fails, before or after it is made. */
  readonly ledger: "none" | `${"before" | "after"} ${"verified" | "settling" | "settled"}`;
  /** The point at which the process dies. */
  readonly crash: "none" | "upstream" | "in settle" | `${"before" | "after"} ${PaymentState}`;
  readonly leaves: boolean;
  /** Milliseconds that pass before the step. */
  readonly pause: number;
  /** Sent together with the step before it. */
  readonly together: boolean;
}

export const QUIET: Step = {
  payment: 0,
  verify: "none",
  settle: "none",
  find: "none",
  upstream: "none",
  charge: "",
  ledger: "none",
  crash: "none",
  leaves: false,
  pause: 0,
  together: false,
};

/** An upstream's success under `exact` for which it charges nothing. */
export const WORTHLESS = "nothing found";

const UNKNOWN: Settlement = { kind: "unknown", cause: "no response", transaction: "" };
const ALLOWANCE = "50000";
/** Milliseconds that a slow upstream takes. */
const SLOW_MS = 10;
const UPTO: PaymentRequirements = {
  ...REQUIREMENTS,
  scheme: "upto",
  amount: ALLOWANCE,
  extra: {
    ...REQUIREMENTS.extra,
    assetTransferMethod: "permit2",
    facilitatorAddress: "0x1111111111111111111111111111111111111111",
  },
};

/** A dead process never responds. */
function silence(): Promise<never> {
  return new Promise(() => {});
}

/**
 * A shop with a ledger in a file. Its parts fail as the current step says, and it is opened again when its process
 * dies.
 */
export class FaultyWorld {
  readonly model = new LedgerModel();
  readonly mode: Mode;
  readonly #folder = mkdtempSync(join(tmpdir(), "turnpike-world-"));
  readonly #stores: Store[] = [];
  readonly #shops: Shop[] = [];
  #now = Date.now();
  step: Step = QUIET;
  shop: Shop;
  crashes = 0;

  constructor(mode: Mode) {
    this.mode = mode;
    this.shop = this.#open();
  }

  get requirements(): PaymentRequirements {
    return this.mode === "upto, after" ? UPTO : REQUIREMENTS;
  }

  pass(ms: number): void {
    this.#now += ms;
    this.shop.clock.now = this.#now;
  }

  payment(): PaymentPayload {
    return this.mode === "upto, after" ? signedPermit2(UPTO, this.#now / 1000) : this.shop.payment();
  }

  transfer(payment: PaymentPayload): Promise<SimulatedTransfer | undefined> {
    return this.shop.store.simulatedTransfers.find(paymentKey(payment, this.requirements));
  }

  isExpired(payment: PaymentPayload): boolean {
    return checkTerms(payment, this.requirements, this.#now / 1000) !== undefined;
  }

  standing(payment: PaymentPayload): Promise<Payment | undefined> {
    return this.shop.store.ledger.find(paymentKey(payment, this.requirements));
  }

  async close(): Promise<void> {
    for (const shop of this.#shops) await shop.gateway.stop();
    for (const store of this.#stores) await store.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #open(): Shop {
    const store = openStore(join(this.#folder, "state.db"), () => this.#now);
    this.#stores.push(store);
    const life = { isOver: false };
    const die = (): Promise<never> => {
      if (!life.isOver) this.#crash(life);
      return silence();
    };
    const shop = new Shop({
      store,
      ledger: (real) => this.#ledger(real, life, die),
      facilitator: (real) => this.#facilitator(real, life, die),
      upstream: (exchange) => this.#upstream(exchange, life, die),
      kinds: { current: [{ scheme: "upto", network: "eip155:*", extra: UPTO.extra }] },
      terms:
        this.mode === "upto, after"
          ? { ...TERMS, scheme: "upto", price: ALLOWANCE }
          : { settle: this.mode === "exact, before" ? "before" : "after" },
    });
    shop.clock.now = this.#now;
    this.#shops.push(shop);
    return shop;
  }

  #crash(life: { isOver: boolean }): void {
    life.isOver = true;
    this.model.died();
    this.crashes += 1;
    // The process dies once per step: the next process continues the same step.
    this.step = { ...this.step, crash: "none" };
    void this.shop.gateway.stop();
    this.shop = this.#open();
  }

  #ledger(real: Ledger, life: { isOver: boolean }, die: () => Promise<never>): Partial<Ledger> {
    const watched = this.model.watch(real);
    return {
      reserve: (reservation) => (life.isOver ? silence() : watched.reserve(reservation)),
      move: async (payment, change) => {
        if (life.isOver) return silence();
        const { ledger, crash } = this.step;
        if (crash === `before ${change.state}`) return die();
        if (change.lease && ledger === `before ${change.state}`) throw new Error("disk full");
        const isMoved = await watched.move(payment, change);
        if (crash === `after ${change.state}`) return die();
        if (change.lease && ledger === `after ${change.state}`) throw new Error("connection lost");
        return isMoved;
      },
    };
  }

  #facilitator(real: Facilitator, life: { isOver: boolean }, die: () => Promise<never>): Partial<Facilitator> {
    return {
      verify: async (...payment): Promise<Verification> => {
        const { verify } = this.step;
        if (life.isOver) return silence();
        if (verify === "throws") throw new Error("defect");
        if (verify === "unavailable") return { kind: "unavailable", cause: "no response" };
        return verify === "refused" ? { kind: "refused", reason: "payment_refused" } : real.verify(...payment);
      },
      settle: async (payment, requirements): Promise<Settlement> => {
        const { settle, crash } = this.step;
        if (life.isOver) return silence();
        this.model.asked(paymentKey(payment, requirements));
        if (settle === "refused") return { kind: "refused", reason: "invalid_exact_evm_insufficient_balance" };
        if (settle === "lost before") return UNKNOWN;
        const settlement = await real.settle(payment, requirements);
        if (crash === "in settle") return die();
        if (settle === "throws after") throw new Error("defect");
        return settle === "lost after" ? UNKNOWN : settlement;
      },
      find: async (...payment): Promise<Outcome> => {
        const { find } = this.step;
        if (life.isOver) return silence();
        if (find === "throws") throw new Error("defect");
        if (find === "unknown") return { kind: "unknown", cause: "no chain is configured" };
        const outcome = await real.find(...payment);
        // A node that lags behind has not seen the settlement.
        return find === "blind" && outcome.kind === "settled" ? { kind: "unspent" } : outcome;
      },
    };
  }

  async #upstream(exchange: TestExchange, life: { isOver: boolean }, die: () => Promise<never>): Promise<void> {
    const { upstream, charge, crash } = this.step;
    if (life.isOver) return silence();
    if (crash === "upstream") return die();
    // Other requests arrive in the meantime and advance the time, so that the lease can expire.
    if (upstream === "slow") await Bun.sleep(SLOW_MS);
    const amount = charge === "too much" ? "50001" : charge;
    const fields = amount === "" ? "" : fieldLine("Settlement-Overrides", JSON.stringify({ amount }));
    if (upstream === "abort") exchange.response.abort(new TurnpikeError("upstream-failed", "It went away"));
    else if (upstream === "500") respondWith(exchange, 500, "sorry");
    else if (charge === "0" && this.mode !== "upto, after") respondWith(exchange, 200, WORTHLESS, fields);
    else respondWith(exchange, 200, "the goods", fields);
  }
}
