import { type Ledger, type Payment, RECHECK_MS } from "../../store/ledger.ts";
import { type NewNotice } from "../../store/outbox.ts";
import { type Facilitator, type Outcome } from "../facilitator/facilitator.ts";
import { type Settled } from "./settlement-record.ts";
import { fromStored, type StoredPayment } from "./stored-payment.ts";
import { voidReason } from "./void-reason.ts";

/** Payments that are asked after at one time. @bound */
const LOOKS_AT_ONCE = 8;
/** Payments that one round asks after; the others wait for the next. @bound */
const LOOKS_PER_ROUND = 200;
/** Longest wait for one facilitator's answer, in milliseconds; a hold lasts longer. @bound */
const FIND_TIMEOUT_MS = 20_000;
const NOBODY: Outcome = { kind: "unknown", cause: "no facilitator to ask" };

export interface ReconcilerOptions {
  readonly ledger: Pick<Ledger, "claimOpen" | "move">;
  /** Who may know what became of a payment, the likeliest first. */
  readonly facilitators: (payment: Payment) => readonly Facilitator[];
  /** Payments of the other mode are left alone: whoever is asked in one knows nothing of them. */
  readonly testMode: () => boolean;
  /** The record of a settlement that is found, where its route reports to anybody. */
  readonly notice: (payment: Payment, settled: Settled) => NewNotice | undefined;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly log: (message: string) => void;
}

/**
 * Looks again and again for what has become of payments whose outcome is open. It moves no money: what was settled becomes a
 * debt to its payer, what never will be is over, and everything else stays open. Decision 0808.
 */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #closing = Promise.withResolvers<"closed">();
  #isClosed = false;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /** Begins at once, and goes on every `RECHECK_MS` or so. */
  start(): void {
    if (this.#isClosed || this.#running !== undefined) return;
    this.#running = this.#run();
  }

  /** One round. How many payments it found an end for. Throws nothing: a ledger that fails is logged. */
  async round(): Promise<number> {
    let ended = 0;
    try {
      for (let looked = 0; looked < LOOKS_PER_ROUND && !this.#isClosed; looked += LOOKS_AT_ONCE) {
        const claimed = await this.#options.ledger.claimOpen(LOOKS_AT_ONCE);
        const outcomes = await Promise.all(claimed.map((payment) => this.#look(payment)));
        ended += outcomes.filter((hasEnded) => hasEnded).length;
        if (claimed.length < LOOKS_AT_ONCE) break;
      }
    } catch (error) {
      this.#options.log(`reconciliation: the ledger failed: ${nameOf(error)}`);
    }
    return ended;
  }

  /** Begins nothing more; what is asked now is left open, to be asked again. Resolves when the ledger may be closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closing.resolve("closed");
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      await this.round();
      await Promise.race([this.#closing.promise, this.#pause()]);
    }
  }

  /** Processes that started together do not look together for long. */
  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#timer = setTimeout(resolve, RECHECK_MS * (0.75 + this.#options.random() / 2));
      this.#timer.unref();
    });
  }

  /** True where the payment has come to its end. */
  async #look(payment: Payment): Promise<boolean> {
    const { ledger, notice, clock, log } = this.#options;
    const stored = fromStored(payment);
    const outcome = stored === undefined ? NOBODY : await this.#ask(payment, stored);
    if (stored !== undefined && outcome.kind === "void") {
      const reason = voidReason(stored.payment, payment.validBefore > clock() / 1000);
      return ledger.move(payment, { state: "failed", hold: false, reason });
    }
    if (outcome.kind === "settled") {
      const { transaction, payer } = outcome;
      const record = notice(payment, { transaction, payer, amount: payment.amount, at: clock() });
      log(`reconciliation: a payment on ${payment.route} was settled by ${transaction}`);
      return ledger.move(payment, {
        state: "settled",
        hold: false,
        transaction,
        payer,
        ...(record === undefined ? {} : { notice: record }),
      });
    }
    await ledger.move(payment, { state: "unknown", hold: false });
    return false;
  }

  async #ask(row: Payment, stored: StoredPayment): Promise<Outcome> {
    let outcome = NOBODY;
    if (stored.testMode !== this.#options.testMode()) return outcome;
    for (const facilitator of this.#options.facilitators(row)) {
      if (this.#isClosed) break;
      outcome = await this.#find(facilitator, stored);
      if (outcome.kind !== "unknown") break;
    }
    return outcome;
  }

  async #find(facilitator: Facilitator, { payment, requirements }: StoredPayment): Promise<Outcome> {
    const late = Promise.withResolvers<"late">();
    const timer = setTimeout(() => late.resolve("late"), FIND_TIMEOUT_MS);
    try {
      const found = await Promise.race([facilitator.find(payment, requirements), late.promise, this.#closing.promise]);
      return typeof found === "string" ? { kind: "unknown", cause: found } : found;
    } catch (error) {
      this.#options.log(`reconciliation: a look-up threw: ${nameOf(error)}`);
      return { kind: "unknown", cause: "defect" };
    } finally {
      clearTimeout(timer);
    }
  }
}

/** An error's class: its message may hold addresses and keys. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
