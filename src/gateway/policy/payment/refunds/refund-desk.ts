import { faultOf, messageOf } from "../../../../lib/caught.ts";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { ClockSteps } from "../../../../lib/time/clock-steps.ts";
import { isWithin } from "../../../../lib/time/is-within.ts";
import { type Facilitators } from "../../../../payments/facilitator/facilitators.ts";
import { REFUND_VALID_S } from "../../../../payments/settlement/refunds/refund-transfer.ts";
import { Refunder } from "../../../../payments/settlement/refunds/refunder.ts";
import { atomicOf } from "../../../../payments/x402/atomic-of.ts";
import { type CreditBeginResult, type CreditRefusal } from "../../../../store/credit-refunds.ts";
import { type Credit } from "../../../../store/credits.ts";
import { type Payment } from "../../../../store/ledger.ts";
import {
  type BeginResult,
  planRefund,
  type Refund,
  type RefundEnd,
  type RefundRefusal,
  type RefundWish,
} from "../../../../store/refunds.ts";
import { type Store } from "../../../../store/store.ts";
import { type Config } from "../../../config/config.ts";
import { type Actor, type OnEvent } from "../../../telemetry/event.ts";
import { type Counts } from "../../../telemetry/metrics/counts.ts";
import { openScreening } from "../screening/screening.ts";
import { ConfiguredSeller, sellerAccounts } from "./refund-seller.ts";

/** Milliseconds between two looks for refunds that are due. */
const LOOK_MS = 2000;
/** Milliseconds between two looks for owed payments, and how many are refunded at a time. @bound */
const OWED_MS = 60_000;
const OWED_AT_ONCE = 20;
/** Milliseconds for which a request waits for its refund to end. @bound */
const WAIT_MS = 10_000;
const WAIT_STEP_MS = 100;
const DAY_MS = 86_400_000;
/** The id of a refund of all that is left, and of one by `refunds.owed_after_days`. */
const REST = "rest";
const OWED = "owed";
const ID = /^[\x21-\x7e]{1,64}$/;
const REFERENCE = /^[\x21-\x7e]{1,128}$/;

const REFUSALS: Readonly<Record<RefundRefusal, string>> = {
  absent: "the ledger does not have this payment",
  unsettled: "no money was received for it",
  open: "its settlement is not known yet; try again when the gateway has looked it up",
  busy: "a request is receiving its response; try again",
  exceeds: "the amount is more than what is left of it, or nothing is left",
  sent: "its transfer was sent, and can still be made; try again an hour after its end",
  credit: "it was paid from a prepaid balance, or bought one; change the balance instead, or revoke the pass first",
  differs: "this id names a refund with another amount or transaction; choose another id",
};

const CREDIT_REFUSALS: Readonly<Record<Extract<CreditRefusal, string>, string>> = {
  absent: "there is no such credit",
  exceeds: "the amount is more than the rest of what was bought, or no rest is left; issued credit is not sent back",
  pass: "a pass cannot be divided; revoke it, and refund its payment",
  differs: REFUSALS.differs,
};

export interface RefundRequest {
  /** Nonce or transaction of the payment. */
  readonly payment: string;
  /** Atomic units or dollars; undefined: all that is left. */
  readonly amount?: string | undefined;
  /** Names the refund: a request with the same id is the same refund. Default: the amount. */
  readonly id?: string | undefined;
  /** The transaction or other reference of a refund that was made by other means. Then nothing is sent. */
  readonly recorded?: string | undefined;
}

/** The rest of a prepaid balance, or a part of it, to send to those who bought it. */
export interface CreditRefundRequest {
  readonly credit: Pick<Credit, "id" | "network" | "token">;
  readonly amount?: string | undefined;
  readonly id?: string | undefined;
}

interface RefundedPayment {
  readonly payment: Payment;
  readonly refunds: readonly Refund[];
}

export interface RefundDeskDeps {
  /** Undefined while no route is paid. Throws if the store cannot be opened. */
  readonly store: () => Store | undefined;
  readonly facilitators: Facilitators;
  readonly counts: Counts;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Milliseconds of a clock that no one sets. */
  readonly steady?: () => number;
  readonly log: (message: string) => void;
  readonly onEvent: OnEvent;
}

export type TokenRefund = Refund & Pick<Payment, "token">;

/** Accepts refunds, and sends them. It runs in the process that has the seller's keys. */
export class RefundDesk {
  readonly #deps: RefundDeskDeps;
  #config: Config;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  readonly #steps: ClockSteps;
  #owedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(config: Config, deps: RefundDeskDeps) {
    this.#deps = deps;
    this.#config = config;
    this.#steps = new ClockSteps(deps.clock, deps.steady);
  }

  /** Continues by this configuration. `sends`: it has keys, so pending refunds are sent. */
  use(config: Config, sends: boolean): void {
    this.#config = config;
    if (this.#isClosed || this.#timer !== undefined || !sends) return;
    this.#timer = setInterval(() => void this.#work(), LOOK_MS);
  }

  async #find(text: string): Promise<RefundedPayment> {
    const { view } = this.#store();
    const given = text.toLowerCase();
    const found = await inStore(() => view.search(given));
    const matches = found.filter(({ nonce, transaction }) => nonce === given || transaction.toLowerCase() === given);
    const settled = matches.filter(({ state }) => state === "settled");
    const [payment] = settled.length > 0 ? settled : matches;
    if (payment === undefined) {
      const how = "name it by its whole nonce or transaction, as turnpike ledger show prints them";
      throw new TurnpikeError("not-found", `Cannot find the payment ${JSON.stringify(text)}: ${how}`);
    }
    if (settled.length > 1) {
      throw new TurnpikeError("refund-refused", "Cannot tell which payment is meant: name it by its nonce");
    }
    return { payment, refunds: await inStore(() => view.refundsOf(payment)) };
  }

  /** Begins a refund, and waits for a while for its end. Rejects with a TurnpikeError. */
  async refund(request: RefundRequest, by: Actor): Promise<TokenRefund> {
    const { payment, refunds: standing } = await this.#find(request.payment);
    const { clock } = this.#deps;
    const wish = wishOf(request, payment, this.#asked(actorName(by)));
    const seller = await this.#open();
    let result: BeginResult;
    try {
      // A refund that cannot be sent is refused before it is written down.
      const plan = planRefund({ payment, isLeased: false, isSpent: false, standing }, wish, clock());
      const isSent = plan.kind === "begun" && wish.recorded === undefined;
      const obstacle = isSent ? obstacleOf(seller, plan.refund, payment) : undefined;
      if (obstacle !== undefined) throw refused(obstacle);
      const notice = (refund: Refund) => seller.notice(refund, payment, refund.transaction);
      result = await inStore(() => this.#store().refunds.begin(payment, { ...wish, notice }));
    } finally {
      seller.close();
    }
    if (result.kind === "refused") throw refused(REFUSALS[result.why]);
    if (result.kind === "begun") this.#began(result.refund, payment, by);
    return await this.#awaited(result.refund, payment);
  }

  /** Begins refunds of the purchases of a credit, and waits for a while for their ends. Rejects with a TurnpikeError. */
  async refundCredit({ credit, ...request }: CreditRefundRequest, by: Actor): Promise<readonly TokenRefund[]> {
    const { recorded: _none, ...wish } = wishOf(request, credit, this.#asked(actorName(by)));
    const seller = await this.#open();
    let result: CreditBeginResult;
    try {
      const obstacle = (refund: Refund, payment: Payment) => obstacleOf(seller, refund, payment);
      const { refunds } = this.#store();
      result = await inStore(() => refunds.beginCredit({ ...wish, credit: credit.id, obstacle }));
    } finally {
      seller.close();
    }
    if (result.kind === "refused") {
      throw refused(typeof result.why === "string" ? CREDIT_REFUSALS[result.why] : result.why.text, "credit");
    }
    if (result.kind === "begun") for (const { refund, payment } of result.parts) this.#began(refund, payment, by);
    return await Promise.all(result.parts.map(({ refund, payment }) => this.#awaited(refund, payment)));
  }

  #asked(by: string): Pick<RefundWish, "by" | "validBefore"> {
    return { by, validBefore: Math.floor(this.#deps.clock() / 1000) + REFUND_VALID_S };
  }

  /** Sends nothing more. Resolves when the store may be closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#round;
  }

  #store(): Store {
    try {
      const store = this.#deps.store();
      if (store !== undefined) return store;
    } catch (error) {
      throw new TurnpikeError("store-unavailable", `Cannot open the ledger: ${messageOf(error)}`);
    }
    throw refused("this gateway sells nothing: it has no ledger");
  }

  async #open(): Promise<ConfiguredSeller> {
    const { facilitators, counts, log, onEvent, clock } = this.#deps;
    const config = this.#config;
    const parts = { telemetry: { counts }, log, onEvent };
    const screening = await openScreening(config.x402.screening, parts);
    return new ConfiguredSeller(config, { facilitators, environment: process.env, screening, clock });
  }

  #began({ amount, state }: Refund, { route, network, nonce }: Payment, by?: Actor): void {
    const { counts, onEvent } = this.#deps;
    const done = state === "recorded";
    if (done) counts.add("refunds", 1, "recorded");
    const message = `a refund of a payment on ${route} ${done ? "is recorded" : "is begun"}`;
    const details = { route, network, payment: nonce, amount, refund: state };
    onEvent({ kind: "payment", message, details, ...(by === undefined ? {} : { by, outcome: "done" }) });
    if (!done) void this.#work();
  }

  #ended({ amount }: Refund, { route, network, nonce }: Payment, { state, reason, transaction }: RefundEnd): void {
    const { counts, onEvent, log } = this.#deps;
    counts.add("refunds", 1, state);
    const message = `a refund of a payment on ${route} ${state === "settled" ? "is settled" : `has failed: ${reason}`}`;
    if (state === "failed") log(`refund: ${message}`);
    const details = { route, network, payment: nonce, amount, refund: state, transaction };
    onEvent({ kind: "payment", message, details });
  }

  async #awaited(refund: Refund, { token }: Payment): Promise<TokenRefund> {
    const { view } = this.#store();
    for (let waitedMs = 0; ; waitedMs += WAIT_STEP_MS) {
      const all = await inStore(() => view.refundsOf(refund));
      const now = all.find(({ sequence }) => sequence === refund.sequence) ?? refund;
      if (now.state !== "pending" || waitedMs >= WAIT_MS || this.#isClosed) return { ...now, token };
      await Bun.sleep(WAIT_STEP_MS);
    }
  }

  /** One round at a time. Never rejects. */
  async #work(): Promise<void> {
    if (this.#round !== undefined || this.#isClosed) return;
    this.#round = this.#rounds().catch((error: unknown) =>
      this.#deps.log(
        `refund: ${error instanceof Error && error.message.startsWith("Cannot") ? error.message : faultOf(error)}`,
      ),
    );
    await this.#round;
    this.#round = undefined;
  }

  async #rounds(): Promise<void> {
    const store = this.#deps.store();
    if (store === undefined) return;
    await this.#refundOwed(store);
    const refunder = new Refunder({
      refunds: store.refunds,
      ledger: store.ledger,
      open: () => this.#open(),
      onEnd: (...end) => this.#ended(...end),
      clock: this.#deps.clock,
      log: this.#deps.log,
    });
    while (!this.#isClosed && (await refunder.round()) > 0);
    this.#deps.counts.set("refundsPending", await store.refunds.pending());
  }

  /** Refunds payments that have been owed their response for longer than `refunds.owed_after_days`. */
  async #refundOwed({ refunds }: Store): Promise<void> {
    const { owed_after_days: days } = this.#config.x402.refunds;
    const now = this.#deps.clock();
    if (!this.#steps.isCalm() || days === 0 || isWithin(this.#owedAt, OWED_MS, now)) return;
    this.#owedAt = now;
    const payees = [...sellerAccounts(this.#config, process.env).keys()];
    for (const payment of await refunds.owed(payees, now - days * DAY_MS, OWED_AT_ONCE)) {
      const wish = { id: OWED, amount: undefined, recorded: undefined, ...this.#asked("refunds.owed_after_days") };
      const result = await refunds.begin(payment, wish);
      if (result.kind === "begun") this.#began(result.refund, payment);
    }
  }
}

function actorName({ kind, address }: Actor): string {
  return `${kind} at ${address}`;
}

function wishOf(
  { amount: text, id, recorded }: Omit<RefundRequest, "payment">,
  payment: Pick<Payment, "network" | "token">,
  rest: Pick<RefundWish, "by" | "validBefore">,
): RefundWish {
  if (id !== undefined && !ID.test(id))
    throw new TurnpikeError("bad-request", "Cannot use the id: it must be 1 to 64 visible ASCII characters");
  if (recorded !== undefined && !REFERENCE.test(recorded))
    throw new TurnpikeError("bad-request", "Cannot use the transaction: it must be 1 to 128 visible ASCII characters");
  const amount = text === undefined ? undefined : amountOf(text, payment);
  return { id: id ?? recorded ?? amount ?? REST, amount, recorded, ...rest };
}

/** The amount of a refund in atomic units. */
function amountOf(text: string, payment: Pick<Payment, "network" | "token">): string {
  let amount: bigint | undefined;
  try {
    amount = atomicOf(text, payment);
  } catch (error) {
    throw new TurnpikeError("bad-request", messageOf(error).replace("price", "amount"));
  }
  if (amount !== undefined) return String(amount);
  const why = "the decimal places of the token are not known. Give the amount in atomic units.";
  throw new TurnpikeError("bad-request", `Cannot use the amount "${text}": ${why}`);
}

function obstacleOf(seller: ConfiguredSeller, refund: Refund, payment: Payment): string | undefined {
  try {
    seller.way(refund, payment);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function refused(why: string, what: "payment" | "credit" = "payment"): TurnpikeError {
  return new TurnpikeError("refund-refused", `Cannot refund the ${what}: ${why}`);
}

async function inStore<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw new TurnpikeError("store-unavailable", `Cannot read or write the ledger: ${faultOf(error)}`);
  }
}
