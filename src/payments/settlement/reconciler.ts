import { faultOf } from "../../lib/caught.ts";
import { parsedJson } from "../../lib/parsed-json.ts";
import { within } from "../../lib/time/within.ts";
import { type Ledger, type Payment, RECHECK_MS } from "../../store/ledger.ts";
import { CHANNEL_SCHEME, type Channels } from "../../store/channels.ts";
import { type NewNotice } from "../../store/outbox.ts";
import { facilitatorFor } from "../channels/facilitator-for.ts";
import { findDeposit } from "../channels/find-deposit.ts";
import { channelPaymentSchema } from "../x402/channel-messages.ts";
import { type Facilitator, type Outcome } from "../x402/facilitator.ts";
import { type Settled } from "./settlement-record.ts";
import { fromStored, type StoredPayment } from "./stored-payment.ts";
import { voidReason } from "./void-reason.ts";

/** Payments whose outcome is checked at the same time; the others wait. @bound */
const LOOKS_AT_ONCE = 8;
/** Payments that one round checks; the others wait for the next round. @bound */
const LOOKS_PER_ROUND = 200;
/**
 * Timeout of one call to a facilitator, in milliseconds. Beyond it the payment stays open. A lease is longer. @bound
 */
const FIND_TIMEOUT_MS = 20_000;
/** A deposit that is not on the chain, and whose time is over. */
const UNMADE = "invalid_batch_settlement_evm_payload_authorization_valid_before";
const NOBODY: Outcome = { kind: "unknown", cause: "no facilitator is configured" };
const LATE: Outcome = { kind: "unknown", cause: "late" };

/** The ledger, the facilitators that are asked, and where a result is reported. */
export interface ReconcilerOptions {
  readonly ledger: Pick<Ledger, "claimOpen" | "move">;
  readonly channels: Pick<Channels, "sync">;
  /** The facilitators that may know the payment's outcome, the most likely first. */
  readonly facilitators: (payment: Payment) => readonly Facilitator[];
  /** Payments of the other mode are skipped: the facilitators of one mode do not know the other's payments. */
  readonly testMode: () => boolean;
  /** The record of a settlement that was found; undefined if its route reports to no endpoint. */
  readonly notice: (payment: Payment, settled: Settled) => NewNotice | undefined;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Returns a number from 0 to below 1. */
  readonly random: () => number;
  readonly log: (message: string) => void;
}

/**
 * Checks repeatedly the outcome of payments whose outcome is open. It moves no money. A settled payment becomes an
 * undelivered settlement of its payer. A payment that can no longer be settled fails. All others stay open
 * (decision 0812).
 */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #closing = Promise.withResolvers<Outcome>();
  #isClosed = false;
  #running: Promise<void> | undefined;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /** Starts at once, and repeats about every `RECHECK_MS`. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Runs one round. Returns how many outcomes it found. Does not throw: a ledger's error is logged. */
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
      this.#options.log(`reconciliation: the ledger failed: ${faultOf(error)}`);
    }
    return ended;
  }

  /** Starts no new lookups; the payments of running lookups stay open. Resolves when the ledger may be closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closing.resolve({ kind: "unknown", cause: "closed" });
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      await this.round();
      // The delay is random, so that processes that started together do not check together.
      await within(RECHECK_MS * (0.75 + this.#options.random() / 2), this.#closing.promise);
    }
  }

  /** Returns true if the payment has reached a final state. */
  async #look(payment: Payment): Promise<boolean> {
    const { ledger, notice, clock, log } = this.#options;
    const stored = fromStored(payment);
    const outcome = await this.outcomeOf(payment);
    if (outcome.kind === "void") {
      const isInTime = payment.validBefore > clock() / 1000;
      const reason = stored === undefined ? UNMADE : voidReason(stored.payment, isInTime);
      return ledger.move(payment, { state: "failed", lease: false, reason });
    }
    if (outcome.kind === "settled") {
      const { transaction, payer } = outcome;
      const record = notice(payment, { transaction, payer, amount: payment.amount, at: clock() });
      log(`reconciliation: a payment on ${payment.route} was settled by ${transaction}`);
      return ledger.move(payment, {
        state: "settled",
        lease: false,
        transaction,
        payer,
        notice: record,
      });
    }
    await ledger.move(payment, { state: "unknown", lease: false });
    return false;
  }

  /** Asks for the outcome of a settlement. Does not reject. */
  async outcomeOf(payment: Payment): Promise<Outcome> {
    if (payment.scheme === CHANNEL_SCHEME) return await this.#askChannels(payment);
    const stored = fromStored(payment);
    return stored === undefined ? NOBODY : await this.#ask(payment, stored);
  }

  /** Finds the outcome of a deposit. Vouchers settle at once. */
  async #askChannels(row: Payment): Promise<Outcome> {
    const { channels: rows, facilitators, clock } = this.#options;
    const { data: payment } = channelPaymentSchema.safeParse(parsedJson(row.payload));
    if (payment === undefined) return NOBODY;
    return await this.#find(async () => {
      const channels = await facilitatorFor(row.network, facilitators(row));
      return channels === undefined ? NOBODY : await findDeposit(channels, payment, { channels: rows, now: clock() });
    });
  }

  async #ask(row: Payment, { payment, requirements, testMode }: StoredPayment): Promise<Outcome> {
    let outcome = NOBODY;
    if (testMode !== this.#options.testMode()) return outcome;
    for (const facilitator of this.#options.facilitators(row)) {
      if (this.#isClosed) break;
      outcome = await this.#find(() => facilitator.find(payment, requirements, row.facilitator));
      if (outcome.kind !== "unknown") break;
    }
    return outcome;
  }

  async #find(find: () => Promise<Outcome>): Promise<Outcome> {
    try {
      const finding = Promise.race([find(), this.#closing.promise]);
      return await within(FIND_TIMEOUT_MS, finding, () => LATE);
    } catch (error) {
      this.#options.log(`reconciliation: a lookup failed unexpectedly: ${faultOf(error)}`);
      return { kind: "unknown", cause: "defect" };
    }
  }
}
