import { type TurnpikeError, toProblem } from "../../../lib/errors.ts";
import { fieldLine } from "../../../lib/fields.ts";
import { type Settlement } from "../../../payments/facilitator.ts";
import { PAYMENT_RESPONSE, type PaymentPayload } from "../../../payments/messages.ts";
import { type Change, type Payment, type PaymentState } from "../../../store/ledger.ts";
import { type Exchange } from "../../exchange.ts";
import { type Decision } from "../policy.ts";
import { type Answer } from "./answers.ts";
import { deliver } from "./deliver.ts";
import { HeldResponse } from "./held-response.ts";
import { paymentError, respondError, respondJson } from "./respond.ts";
import { receiptOf, refusalOf, type Sale } from "./sale.ts";

/** When a client may ask again what became of an unclear settlement, in seconds. */
const PENDING_RETRY_S = 5;
/** When a client may try again whose answer found no room, in seconds. */
const BUSY_RETRY_S = 1;
const SEND_AGAIN = "It is not known yet whether the payment went through. Send the same payment again, and no new one.";
/** When a client may try again whose payment could not be verified, in seconds. */
const FACILITATOR_RETRY_S = 5;

/**
 * One request that holds its payment in the ledger, to the end:
 *
 *   reserved ── verify ──▶ upstream ── settle ──▶ release
 *   unknown  ── settle ──▶ the kept answer, or the upstream once more, free of charge
 *   settled  ───────────▶ likewise: it is paid and owed
 */
export class Attempt {
  readonly #sale: Sale;
  readonly #exchange: Exchange;
  readonly #payload: PaymentPayload;
  readonly #payment: Payment;
  #held: HeldResponse | undefined;
  #state: PaymentState;
  /** Settles once the answer is kept: whoever asks for it when the hold is over finds it. */
  #kept: Promise<void> | undefined;
  /** From here on the payment's fate is not the client's connection's. */
  #settling = false;
  /** The receipt of what is paid already. */
  #receipt = "";
  /** What is known of the money, to be written down once more where that failed. */
  #settled: Pick<Change, "transaction" | "payer"> = {};

  constructor(sale: Sale, exchange: Exchange, payload: PaymentPayload, payment: Payment) {
    this.#sale = sale;
    this.#exchange = exchange;
    this.#payload = payload;
    this.#payment = payment;
    this.#state = payment.state;
    exchange.onGone = () => this.#onGone();
  }

  async run(): Promise<Decision> {
    try {
      return await this.#begin();
    } catch (error) {
      await this.#fail(error);
      return "answered";
    }
  }

  async #begin(): Promise<Decision> {
    const { state } = this.#payment;
    if (state === "settled") return this.#owe(this.#payment.transaction, this.#payment.payer);
    if (state === "unknown") return this.#reconcile();
    return this.#verify();
  }

  async #verify(): Promise<Decision> {
    const { facilitator, requirements, challenge, log } = this.#sale;
    const verification = await facilitator.verify(this.#payload, requirements).catch((error: unknown) => {
      log(`payment: verification threw: ${nameOf(error)}`);
      return { kind: "failed", cause: "defect" } as const;
    });
    if (verification.kind === "valid" && !this.#exchange.gone) {
      if (await this.#move({ state: "verified", hold: true, payer: verification.payer })) return this.#sell();
      this.#respondLost();
      return "answered";
    }
    await this.#move({ state: "released", hold: false });
    if (verification.kind === "refused") {
      challenge.respond(this.#exchange, verification.reason);
    } else if (verification.kind !== "valid") {
      log(`payment: cannot verify on ${this.#sale.route}: the facilitator ${verification.kind}: ${verification.cause}`);
      const code = verification.kind === "unavailable" ? "facilitator-unavailable" : "facilitator-failed";
      const error = paymentError(
        code,
        "The payment could not be verified; nothing was charged. Send the same payment again.",
      );
      respondError(this.#exchange, error, FACILITATOR_RETRY_S);
    }
    return "answered";
  }

  /** Puts the holding sink in place and lets the upstream work. */
  #sell(): Decision {
    if (this.#exchange.gone) {
      this.#release();
      return "answered";
    }
    this.#held = new HeldResponse(
      { exchange: this.#exchange, answers: this.#sale.answers },
      {
        complete: (answer) => this.#inBackground(this.#complete(answer)),
        unpaid: () => this.#release(),
        broken: (error) => this.#broken(error),
      },
    );
    return "continue";
  }

  /** The answer is there: the money, then the answer. */
  async #complete(answer: Answer): Promise<void> {
    try {
      if (this.#receipt === "") await this.#charge(answer);
      else await this.#hand(answer);
    } finally {
      this.#sale.answers.release(answer);
    }
  }

  async #charge(answer: Answer): Promise<void> {
    const going = await this.#move({ state: "settling", hold: true });
    if (!going || this.#exchange.gone) {
      this.#release();
      if (!going) this.#respondLost();
      return;
    }
    const settlement = await this.#settle();
    if (settlement.kind === "refused") {
      await this.#move({ state: "failed", hold: false, reason: settlement.reason });
      this.#respondRefused(settlement.reason);
      return;
    }
    this.#keep(answer);
    if (settlement.kind === "unknown") return this.#pend(settlement);
    const { transaction, payer } = settlement;
    this.#receipt = receiptOf(this.#sale, transaction, payer);
    this.#settled = { transaction, payer };
    // Written before the answer goes out: until its delivery is written too, it is a debt.
    await this.#move({ state: "settled", hold: true, transaction, payer });
    await this.#send(answer);
  }

  /** An earlier settlement's outcome is not known: asks for the same one again. */
  async #reconcile(): Promise<Decision> {
    const settlement = await this.#settle();
    if (settlement.kind === "settled") {
      const { transaction, payer } = settlement;
      this.#receipt = receiptOf(this.#sale, transaction, payer);
      this.#settled = { transaction, payer };
      await this.#move({ state: "settled", hold: true, transaction, payer });
      return this.#owe(transaction, payer);
    }
    // A refusal now may come of the first one's success: the nonce is spent, the balance gone. It settles nothing.
    const cause = settlement.kind === "unknown" ? settlement.cause : settlement.reason;
    await this.#pend({ kind: "unknown", cause, transaction: "" });
    return "answered";
  }

  /** Gives what is paid for: the kept answer, or a new one. */
  async #owe(transaction: string, payer: string): Promise<Decision> {
    this.#settling = false;
    this.#receipt = receiptOf(this.#sale, transaction, payer);
    const { answers, clock } = this.#sale;
    const answer = await answers.get(this.#payment.fingerprint, clock());
    if (answer === undefined) return this.#sell();
    try {
      await this.#send(answer);
    } finally {
      answers.release(answer);
    }
    return "answered";
  }

  async #settle(): Promise<Settlement> {
    const { facilitator, requirements, log } = this.#sale;
    this.#settling = true;
    try {
      return await facilitator.settle(this.#payload, requirements);
    } catch (error) {
      log(`payment: settlement threw: ${nameOf(error)}`);
      return { kind: "unknown", cause: "defect", transaction: "" };
    }
  }

  async #hand(answer: Answer): Promise<void> {
    this.#keep(answer);
    await this.#send(answer);
  }

  #keep(answer: Answer): void {
    const { answers, clock, requirements } = this.#sale;
    this.#kept = answers.keep(this.#payment.fingerprint, answer, clock() + requirements.maxTimeoutSeconds * 1000);
  }

  async #send(answer: Answer): Promise<void> {
    const sent = await deliver(this.#exchange, answer, this.#receipt);
    const begun = this.#exchange.started;
    await this.#kept;
    await this.#move({ state: "settled", hold: false, ...(begun ? { delivered: sent } : {}) });
  }

  async #pend(settlement: Settlement & { kind: "unknown" }): Promise<void> {
    const { log, route } = this.#sale;
    log(`payment: settlement on ${route} is open: ${settlement.cause}`);
    respondError(this.#exchange, paymentError("settlement-pending", SEND_AGAIN), PENDING_RETRY_S);
    const { transaction } = settlement;
    await this.#kept;
    await this.#move({ state: "unknown", hold: false, ...(transaction === "" ? {} : { transaction }) });
  }

  #broken(error: TurnpikeError): void {
    this.#release();
    if (!this.#exchange.gone) respondError(this.#exchange, error, error.status === 503 ? BUSY_RETRY_S : undefined);
  }

  #onGone(): void {
    if (this.#held === undefined || this.#settling) return;
    this.#held.drop();
    this.#release();
  }

  /** Lets go of the payment: it may be used again, or, where it is paid already, be asked for again. */
  #release(): void {
    const state = this.#receipt === "" ? "released" : "settled";
    this.#inBackground(this.#move({ state, hold: false }));
  }

  #respondLost(): void {
    const error = paymentError("payment-conflict", "Another request took this payment over.");
    respondError(this.#exchange, error, 1);
  }

  #respondRefused(reason: string): void {
    const detail = `The payment could not be settled: ${reason}. Nothing was charged.`;
    const problem = toProblem(paymentError("payment-required", detail), this.#exchange.id);
    const receipt = refusalOf(this.#sale, reason, this.#payment.from);
    const json = JSON.stringify({ ...problem, x402Version: 2, error: reason });
    respondJson(this.#exchange, 402, json, fieldLine(PAYMENT_RESPONSE, receipt));
  }

  async #move(change: Change): Promise<boolean> {
    const moved = await this.#sale.ledger.move(this.#payment, change);
    if (moved) this.#state = change.state;
    return moved;
  }

  #inBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#fail(error));
  }

  /** The one boundary for a ledger that fails: it must not end the process, and it releases nothing. */
  async #fail(cause: unknown): Promise<void> {
    this.#sale.log(`payment: the ledger failed on ${this.#sale.route}: ${nameOf(cause)}`);
    const spent = this.#settling || this.#receipt !== "";
    if (!this.#exchange.started) {
      const failure = spent
        ? paymentError("settlement-pending", SEND_AGAIN)
        : paymentError(
            "overloaded",
            "The payment could not be written down; nothing was charged. Send the same payment again.",
          );
      respondError(this.#exchange, failure, PENDING_RETRY_S);
    }
    const end: Change = { state: spent ? this.#state : "released", hold: false, ...this.#settled };
    const paid: Change = this.#receipt === "" ? end : { ...end, state: "settled" };
    // Where all of this fails as well, the hold runs out by itself.
    await this.#move(paid)
      .catch(() => this.#move(end))
      .catch(() => false);
  }
}

/** An error's class: its message may hold addresses and keys. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
