import {
  type Change,
  type Claim,
  type Ledger,
  type Payment,
  type PaymentKey,
  type PaymentState,
} from "../../../../store/ledger.ts";

/** The allowed next states of a payment, for the request that has the lease. */
const MOVES: Readonly<Record<PaymentState, readonly PaymentState[]>> = {
  reserved: ["verified", "released"],
  verified: ["deferred", "settling", "released"],
  deferred: ["deferred", "settling", "settled", "failed", "released"],
  settling: ["settling", "settled", "failed", "unknown", "released", "deferred"],
  unknown: ["unknown", "settled", "failed"],
  settled: ["settled"],
  released: [],
  failed: [],
};

/** The state of a payment after another request has taken it over. */
const TAKEN: Readonly<Record<PaymentState, PaymentState>> = {
  reserved: "reserved",
  verified: "reserved",
  deferred: "deferred",
  released: "reserved",
  failed: "reserved",
  settling: "unknown",
  unknown: "unknown",
  settled: "settled",
};

interface Standing {
  state: PaymentState;
  amount: string;
  /** The facilitator was asked to settle since the payment was last new. */
  isAsked: boolean;
  /**
   * Requests that may ask and have not. Each may ask once. One that loses its lease right after it recorded that it settles asks
   * beside the next one, which is harmless: both ask for the same transfer.
   */
  asking: number;
}

/**
 * For tests only: a model of the allowed changes of a ledger. A real ledger and the code that moves its payments are
 * checked against it.
 */
export class LedgerModel {
  readonly #payments = new Map<string, Standing>();
  /** The forbidden changes that were made. */
  readonly errors: string[] = [];

  /** Wraps the real ledger and checks each change. */
  watch(real: Ledger): Pick<Ledger, "reserve" | "move"> {
    return {
      reserve: async (reservation) => {
        const claim = await real.reserve(reservation);
        this.#taken(claim);
        return claim;
      },
      move: async (payment, change) => {
        const isMoved = await real.move(payment, change);
        if (isMoved) this.#moved(payment, change);
        return isMoved;
      },
    };
  }

  /** Records that the facilitator is asked to move the money of a payment. */
  asked(key: PaymentKey): void {
    const standing = this.#payments.get(nameOf(key));
    if (standing === undefined || !["settling", "unknown"].includes(standing.state)) {
      this.errors.push(`settlement asked for while ${standing?.state ?? "nothing"} is written down`);
      return;
    }
    if (standing.asking === 0) this.errors.push("settlement asked for twice under one hold");
    else standing.asking -= 1;
    standing.isAsked = true;
  }

  /** The process with all requests has died. */
  died(): void {
    for (const standing of this.#payments.values()) standing.asking = 0;
  }

  #taken({ leased: held, payment }: Claim): void {
    if (!held) return;
    const before = this.#payments.get(nameOf(payment));
    const expected = before === undefined ? "reserved" : TAKEN[before.state];
    if (payment.state !== expected) this.errors.push(`${before?.state ?? "new"} was taken as ${payment.state}`);
    const isNew = payment.state === "reserved";
    this.#payments.set(nameOf(payment), {
      state: payment.state,
      amount: payment.amount,
      isAsked: isNew ? false : (before?.isAsked ?? false),
      asking: (isNew ? 0 : (before?.asking ?? 0)) + (payment.state === "unknown" ? 1 : 0),
    });
  }

  #moved(payment: Payment, { state, amount }: Change): void {
    const standing = this.#payments.get(nameOf(payment));
    if (standing === undefined) {
      this.errors.push(`${state} was written for a payment without reservation`);
      return;
    }
    if (!MOVES[standing.state].includes(state)) this.errors.push(`${standing.state} became ${state}`);
    if (state === "released" && standing.isAsked) this.errors.push("released after settlement was asked for");
    if (standing.state === "settled" && amount !== undefined && amount !== standing.amount) {
      this.errors.push("the amount of what was settled changed");
    }
    if (state === "settling" && standing.state !== state) standing.asking += 1;
    standing.state = state;
    standing.amount = amount ?? standing.amount;
  }
}

function nameOf({ network, asset, from, nonce }: PaymentKey): string {
  return [network, asset, from, nonce].join(" ");
}
