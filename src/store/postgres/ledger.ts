import {
  type Change,
  type Claim,
  HOLD_MS,
  type Ledger,
  type Payment,
  type PaymentKey,
  type PaymentState,
  type Reservation,
} from "../ledger.ts";
import { type Database } from "./database.ts";
import * as sql from "./ledger-statements.ts";
import { keyOf, toPayment } from "./payment-row.ts";
import { PostgresError } from "./postgres-error.ts";

/** States that a crash of the database must not undo: by these money moves, or has moved. */
const DURABLE: ReadonlySet<PaymentState> = new Set(["settling", "settled", "failed", "unknown"]);
/** How often a payment is asked for that is freed and taken by others between two statements. */
const MOST_TRIES = 5;
/** Payments of which it is not known whether the last change was written; more than that many at a time are held for longer. */
const MAX_DOUBTFUL = 1000;

/**
 * The ledger in PostgreSQL, shared by any number of machines. A hold is its holder's by owner, attempt and the moment of its
 * claim: a claim that a crash of the database has undone is nobody's, even where the next one counts the same attempt.
 */
export class PostgresLedger implements Ledger {
  readonly #owner = crypto.randomUUID();
  readonly #database: Database;
  /**
   * Nonces, and when the answer to a change failed to come (performance.now()). Perhaps it was written, and nobody knows of a
   * hold: such a one is not renewed, so that the next request need not wait for longer than `HOLD_MS`.
   */
  readonly #doubtful = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  #tending = false;

  constructor(database: Database) {
    this.#database = database;
    this.#timer = setInterval(() => void this.tend(), HOLD_MS / 3);
    this.#timer.unref();
  }

  async reserve(reservation: Reservation): Promise<Claim> {
    for (let i = 0; i < MOST_TRIES; i++) {
      const claim = await this.#noting(reservation, this.#reserve(reservation));
      if (claim?.held === true) this.#doubtful.delete(reservation.nonce);
      if (claim !== undefined) return claim;
    }
    throw new PostgresError("overloaded", "a payment is taken and freed all the time");
  }

  /** Undefined: it was freed between the two statements, by another process. */
  async #reserve(reservation: Reservation): Promise<Claim | undefined> {
    const { token, scheme, amount, payTo, route, fingerprint, validBefore, payload } = reservation;
    const { rows } = await this.#database.quick(sql.RESERVE, [
      this.#database.clock,
      ...keyOf(reservation),
      this.#owner,
      token,
      scheme,
      amount,
      payTo,
      route,
      fingerprint,
      validBefore,
      payload,
    ]);
    if (rows[0] !== undefined) return { held: true, payment: toPayment(rows[0]) };
    const standing = await this.find(reservation);
    return standing === undefined ? undefined : { held: false, payment: standing };
  }

  async move(payment: Payment, change: Change): Promise<boolean> {
    const moved = await this.#noting(payment, this.#move(payment, change));
    if (moved) this.#doubtful.delete(payment.nonce);
    return moved;
  }

  async #move(payment: Payment, change: Change): Promise<boolean> {
    const database = this.#database;
    const holder = [...keyOf(payment), payment.attempt, this.#owner, payment.updatedAt];
    // What was never verified leaves nothing behind: anybody can make up such payments.
    if (change.state === "released" && (await database.quick(sql.FORGET, holder)).count > 0) return true;
    const values = [
      database.clock,
      ...holder,
      change.state,
      change.hold ? 1 : 0,
      change.transaction ?? null,
      change.reason ?? null,
      change.payer ?? null,
      change.amount ?? null,
      change.delivered === undefined ? null : String(change.delivered),
      change.bodyDigest ?? null,
    ];
    const { notice } = change;
    if (notice !== undefined) {
      return (await database.durable(sql.MOVE_AND_POST, [...values, notice.id, notice.url, notice.body])).count > 0;
    }
    if (DURABLE.has(change.state) && change.delivered === undefined) {
      return (await database.durable(sql.MOVE, values)).count > 0;
    }
    return (await database.quick(sql.MOVE, values)).count > 0;
  }

  async find(key: PaymentKey): Promise<Payment | undefined> {
    const { rows } = await this.#database.read(sql.FIND, keyOf(key));
    return rows[0] === undefined ? undefined : toPayment(rows[0]);
  }

  async claimOpen(limit: number): Promise<readonly Payment[]> {
    const { rows } = await this.#database.quick(sql.CLAIM_OPEN, [this.#database.clock, this.#owner, limit]);
    return rows.map(toPayment);
  }

  /** As `Store.forget`. What could still be paid with stays: its row is what keeps it from being used again. */
  async forget(before: number, limit: number): Promise<number> {
    return (await this.#database.quick(sql.FORGET_FINISHED, [this.#database.clock, before, limit])).count;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
  }

  /** Notes of what payment it is not known what became of a change. */
  async #noting<T>({ nonce }: PaymentKey, change: Promise<T>): Promise<T> {
    try {
      return await change;
    } catch (error) {
      const [oldest] = this.#doubtful.keys();
      if (this.#doubtful.size >= MAX_DOUBTFUL && oldest !== undefined) this.#doubtful.delete(oldest);
      this.#doubtful.set(nonce, performance.now());
      throw error;
    }
  }

  /** A sign of life for what this process holds, and an end to what nobody will come back for. It does so by itself. */
  async tend(): Promise<void> {
    if (this.#tending) return;
    this.#tending = true;
    const over = performance.now() - sql.LONGEST_HOLD_MS - HOLD_MS;
    for (const [nonce, since] of this.#doubtful) if (since < over) this.#doubtful.delete(nonce);
    const { clock } = this.#database;
    try {
      await this.#database.quick(sql.RENEW, [clock, this.#owner, [...this.#doubtful.keys()].join(",")]);
      await this.#database.quick(sql.REAP, [clock]);
    } catch {
      // The database is away: holds run out, which stops their holders, and payments themselves report the error.
    } finally {
      this.#tending = false;
    }
  }
}
