import { faultOf } from "../../lib/caught.ts";
import { isObject } from "../../lib/is-object.ts";
import { CHANNEL_SCHEME } from "../../store/channels.ts";
import { CREDIT_SCHEME } from "../../store/credits.ts";
import { type Change, type Ledger, type Payment } from "../../store/ledger.ts";
import { type NewNotice } from "../../store/outbox.ts";
import { type Facilitator, type Outcome, type Settlement } from "../x402/facilitator.ts";
import { isAtomic } from "../x402/price.ts";
import { type Reason } from "../x402/reasons.ts";
import { type Deferral, deferralOf, deferralText } from "./deferral.ts";
import { type Settled } from "./settlement-record.ts";
import { fromStored } from "./stored-payment.ts";
import { voidReason } from "./void-reason.ts";

/** Payments that one process looks at together; the others wait. @bound */
const AT_ONCE = 8;
/** Milliseconds between two looks for payments that are due. @bound */
const LOOK_MS = 1000;
/** Milliseconds until an upstream that works is asked again, for prepaid credit and for `upto`. @bound */
const CREDIT_POLL_MS = 2000;
const UPTO_POLL_MS = 5000;
/** Milliseconds until a call that failed is made again: at first, and at most. @bound */
const RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;
/** Failed calls, over about an hour, after which the charge is made for the amount that the upstream named last. @bound */
const MAX_FAILURES = 70;
/** Failed calls, over about a day, after which an upstream is not told any more that a payment has ended. @bound */
const MAX_TELLS = 1500;
/** Milliseconds until a refused settlement is tried again: the payer can have its balance again by then. @bound */
const REFUSED_MS = 30_000;
/** Seconds before the end of an authorization after which a refusal is final. @bound */
const LAST_TRY_S = 15;

/** The trouble with a charge that is made later. */
export type CollectorTrouble = "unreachable" | "given_up" | "refused";

/** Sends JSON to the upstream of a route. Undefined if there is no response. */
export type AskUpstream = (
  path: string,
  value: unknown,
) => Promise<{ readonly status: number; readonly json: unknown } | undefined>;

export interface CollectorOptions {
  readonly ledger: Pick<Ledger, "claimDue" | "move">;
  /** The upstream of a payment's route; undefined if the configuration does not have the route any more. */
  readonly upstream: (payment: Payment) => AskUpstream | undefined;
  /** The facilitator that settles the payment; undefined without one. */
  readonly facilitator: (payment: Payment) => Facilitator | undefined;
  /** The outcome of a settlement whose response was lost. */
  readonly outcomeOf: (payment: Payment) => Promise<Outcome>;
  readonly testMode: () => boolean;
  /** As `ReconcilerOptions.notice`. */
  readonly notice: (payment: Payment, settled: Settled) => NewNotice | undefined;
  readonly onTrouble: (payment: Payment, trouble: CollectorTrouble, failures: number) => void;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly log: (message: string) => void;
}

interface Word {
  readonly due: string;
  readonly ended: boolean;
}

/** A leased payment with its deferral. */
interface Held {
  readonly payment: Payment;
  readonly deferral: Deferral;
}

/**
 * Charges payments whose charge is deferred: it asks their upstreams what is due, records it, charges it, and tells the
 * upstreams what is paid. It records each amount before it tells the upstream, and each settlement before it makes it.
 *
 *   deferred ──ask──▶ the amount so far is recorded. Under prepaid credit the upstream then knows it as paid.
 *      │ ended, or its time is over
 *      ├── prepaid credit ─▶ settled; the rest returns to the balance.
 *      └── upto ─▶ settling ─┬─▶ settled ─────────┐
 *                            ├─▶ unknown ─ found ─┼─▶ the upstream learns that nothing more will be paid.
 *                            ├─▶ failed ──────────┘
 *                            └─▶ deferred: the facilitator refused, and there is time for another try.
 *   unknown, from a channel: its deposit is looked up ─▶ deferred, or failed.
 */
export class Collector {
  readonly #options: CollectorOptions;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #isWoken = false;
  #isClosed = false;

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  start(): void {
    this.#next(0);
  }

  /** Looks at once: a charge was deferred. */
  wake(): void {
    this.#isWoken = true;
    if (this.#round === undefined) this.#next(0);
  }

  /** Resolves when the ledger may be closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#round;
  }

  /** Looks once at the payments that are due. Does not throw: errors are logged. */
  async round(): Promise<void> {
    try {
      let claimed: readonly Payment[];
      do {
        claimed = await this.#options.ledger.claimDue(AT_ONCE);
        await Promise.all(claimed.map((payment) => this.#look(payment)));
      } while (claimed.length === AT_ONCE && !this.#isClosed);
    } catch (error) {
      this.#options.log(`deferred charges: the ledger failed: ${faultOf(error)}`);
    }
  }

  #next(ms: number): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#isWoken = false;
      this.#round = this.round().finally(() => {
        this.#round = undefined;
        this.#next(this.#isWoken ? 0 : LOOK_MS);
      });
    }, ms);
  }

  async #look(payment: Payment): Promise<void> {
    const deferral = deferralOf(payment);
    if (deferral === undefined) {
      await this.#move(payment, { state: payment.state, lease: false, dueInMs: "never" });
      return;
    }
    const held = { payment, deferral };
    if (deferral.isMetered === true) await this.#endMetered(held);
    else if (payment.state === "deferred") await this.#collect(held);
    else if (payment.state === "unknown") await this.#find(held);
    else await this.#tell(held);
  }

  /** The gateway that metered a response has died. A payment is charged whole if one of its units could have left. */
  async #endMetered({ payment, deferral }: Held): Promise<void> {
    const { state, from: payer } = payment;
    const end = { state, lease: false, dueInMs: "never" } as const;
    if (state !== "deferred") await this.#move(payment, end);
    else if (deferral.due === "0") await this.#move(payment, { ...end, state: "released" });
    else {
      const settled = { transaction: "", payer, amount: deferral.due };
      const notice = this.#options.notice(payment, { ...settled, at: this.#options.clock() });
      await this.#move(payment, { ...end, state: "settled", ...settled, notice });
    }
  }

  async #collect({ payment, deferral }: Held): Promise<void> {
    const isCredit = isBooked(payment);
    const word = await this.#ask({ payment, deferral }, { paid: isCredit ? deferral.due : "0" });
    const isOver = this.#options.clock() / 1000 >= deferral.until;
    if (word === undefined) {
      await this.#missed({ payment, deferral }, isOver);
      return;
    }
    // Paid pages can be read, so they stay paid, although an upstream may lose its last records in a crash.
    const due = isCredit && BigInt(word.due) < BigInt(deferral.due) ? deferral.due : word.due;
    const known = { ...deferral, due, failures: 0 };
    if (word.ended || isOver) {
      await this.#finish({ payment, deferral: known });
      return;
    }
    const isNew = due !== deferral.due || deferral.failures > 0;
    const change = isNew ? { deferral: deferralText(known) } : {};
    if (isCredit && due !== deferral.due) {
      if (!(await this.#move(payment, { state: "deferred", lease: true, ...change }))) return;
      await this.#ask({ payment, deferral: known }, { paid: due });
    }
    const dueInMs = isCredit ? CREDIT_POLL_MS : UPTO_POLL_MS;
    await this.#move(payment, { state: "deferred", lease: false, ...change, dueInMs });
  }

  /** The upstream does not respond, or not validly. After many times, the amount that it named last is charged. */
  async #missed({ payment, deferral }: Held, isOver: boolean): Promise<void> {
    const failures = deferral.failures + 1;
    const isGivenUp = failures > MAX_FAILURES;
    this.#options.onTrouble(payment, isGivenUp || isOver ? "given_up" : "unreachable", failures);
    if (isGivenUp || isOver) await this.#finish({ payment, deferral: { ...deferral, failures: 0 } });
    else {
      const change = { deferral: deferralText({ ...deferral, failures }), dueInMs: retryMs(failures) };
      await this.#move(payment, { state: "deferred", lease: false, ...change });
    }
  }

  /** Charges what is due, and nothing more after that. */
  async #finish(held: Held): Promise<void> {
    const { payment, deferral } = held;
    const change = { deferral: deferralText(deferral), dueInMs: 0, amount: deferral.due };
    if (isBooked(payment) || deferral.due === "0") {
      const due = { payment: { ...payment, amount: deferral.due }, deferral };
      await this.#book(due, { transaction: "", payer: payment.from }, change);
    } else if (this.#isOtherMode(payment)) await this.#later(held, MAX_RETRY_MS);
    else if (await this.#move(payment, { state: "settling", lease: true, ...change })) {
      await this.#settle({ payment: { ...payment, amount: deferral.due }, deferral }, true);
    }
  }

  /** `isFirst`: no settlement was asked for before, so a refusal proves that no money moved. */
  async #settle(held: Held, isFirst: boolean): Promise<void> {
    const { payment, deferral } = held;
    const settlement = await this.#settlementOf(payment, isFirst);
    if (settlement.kind === "settled") await this.#book(held, settlement);
    else if (settlement.kind === "unknown" || !isFirst) {
      const { transaction = "" } = settlement.kind === "unknown" ? settlement : {};
      const change = { dueInMs: REFUSED_MS, ...(transaction === "" ? {} : { transaction }) };
      await this.#move(payment, { state: "unknown", lease: false, ...change });
    } else if (payment.validBefore - LAST_TRY_S <= this.#options.clock() / 1000) {
      await this.#fail(held, settlement.reason);
    } else {
      this.#options.onTrouble(payment, "refused", 1);
      const amount = deferral.quote;
      const text = deferralText({ ...deferral, refused: settlement.reason });
      await this.#move(payment, { state: "deferred", lease: false, amount, deferral: text, dueInMs: REFUSED_MS });
    }
  }

  async #settlementOf(payment: Payment, isFirst: boolean): Promise<Settlement> {
    const { facilitator: facilitatorOf, log } = this.#options;
    const stored = fromStored(payment);
    const facilitator = facilitatorOf(payment);
    if (stored === undefined || facilitator === undefined) {
      return { kind: "unknown", cause: "no facilitator is configured", transaction: "" };
    }
    const reassign = (name: string): Promise<boolean> =>
      this.#move(payment, { state: "settling", lease: true, facilitator: name });
    try {
      const to = { name: payment.facilitator, ...(isFirst ? { reassign } : {}) };
      return await facilitator.settle(stored.payment, stored.requirements, to);
    } catch (error) {
      log(`deferred charges: a settlement failed unexpectedly: ${faultOf(error)}`);
      return { kind: "unknown", cause: "defect", transaction: "" };
    }
  }

  async #find(held: Held): Promise<void> {
    const { payment } = held;
    const outcome = await this.#options.outcomeOf(payment);
    // Of a channel, only the deposit was made.
    if (outcome.kind === "settled" && isBooked(payment)) {
      await this.#move(payment, { state: "deferred", lease: false, dueInMs: 0 });
    } else if (outcome.kind === "settled") await this.#book(held, outcome);
    else if (outcome.kind === "void") {
      const stored = fromStored(payment);
      const isInTime = payment.validBefore > this.#options.clock() / 1000;
      await this.#fail(held, stored === undefined ? "payment_refused" : voidReason(stored.payment, isInTime));
    } else if (outcome.kind === "unspent" && !isBooked(payment)) await this.#settle(held, false);
    else await this.#later(held, REFUSED_MS);
  }

  async #book(
    held: Held,
    { transaction, payer }: { transaction: string; payer: string },
    charge: Pick<Change, "amount" | "deferral"> = {},
  ): Promise<void> {
    const { payment } = held;
    const { notice, clock } = this.#options;
    const record = notice(payment, { transaction, payer, amount: payment.amount, at: clock() });
    const change = { ...charge, transaction, payer, dueInMs: 0, notice: record };
    if (await this.#move(payment, { state: "settled", lease: true, ...change })) {
      await this.#tell({ ...held, payment: { ...payment, state: "settled", transaction } });
    }
  }

  async #fail(held: Held, reason: Reason): Promise<void> {
    const { payment } = held;
    this.#options.log(`deferred charges: a payment on ${payment.route} failed: ${reason}`);
    if (await this.#move(payment, { state: "failed", lease: true, reason, dueInMs: 0 })) {
      await this.#tell({ ...held, payment: { ...payment, state: "failed" } });
    }
  }

  /** Tells the upstream what was paid, and that nothing more will be paid. */
  async #tell(held: Held): Promise<void> {
    const { payment, deferral } = held;
    const { state, amount, transaction } = payment;
    const paid = state === "settled" ? { paid: amount, ...(transaction === "" ? {} : { transaction }) } : { paid: "0" };
    const reply = await this.#call(held, { ...paid, closed: true });
    const failures = deferral.failures + 1;
    if (reply?.status === 200 || reply?.status === 404 || failures > MAX_TELLS) {
      await this.#move(payment, { state, lease: false, dueInMs: "never" });
      return;
    }
    this.#options.onTrouble(payment, "unreachable", failures);
    const change = { deferral: deferralText({ ...deferral, failures }), dueInMs: retryMs(failures) };
    await this.#move(payment, { state, lease: false, ...change });
  }

  async #later({ payment }: Held, dueInMs: number): Promise<void> {
    await this.#move(payment, { state: payment.state, lease: false, dueInMs });
  }

  /** Undefined if the upstream gives no valid word. */
  async #ask(held: Held, value: unknown): Promise<Word | undefined> {
    const reply = await this.#call(held, value);
    if (reply?.status !== 200 || !isObject(reply.json)) return undefined;
    const { due, ended } = reply.json;
    if (typeof due !== "string" || !isAtomic(due) || typeof ended !== "boolean") return undefined;
    return BigInt(due) <= BigInt(held.deferral.quote) ? { due, ended } : undefined;
  }

  async #call({ payment, deferral }: Held, value: unknown): ReturnType<AskUpstream> {
    return await this.#options.upstream(payment)?.(deferral.path, value);
  }

  /** Payments of test mode are on no chain, and the facilitators of test mode know no others. */
  #isOtherMode(payment: Payment): boolean {
    return fromStored(payment)?.testMode !== this.#options.testMode();
  }

  /** False: another process has the lease now. */
  #move(payment: Payment, change: Change): Promise<boolean> {
    return this.#options.ledger.move(payment, change);
  }
}

/** Prepaid credit and channels need no settlement. */
function isBooked({ scheme }: Payment): boolean {
  return scheme === CREDIT_SCHEME || scheme === CHANNEL_SCHEME;
}

function retryMs(failures: number): number {
  return Math.min(RETRY_MS * 2 ** Math.min(failures - 1, 10), MAX_RETRY_MS);
}
