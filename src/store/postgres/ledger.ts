import {
  type Change,
  type Claim,
  HOLD_MS,
  MAX_CUTS,
  type Ledger,
  type Payment,
  type PaymentKey,
  type PaymentState,
  type Reservation,
} from "../ledger.ts";
import { LiveHolds, LONGEST_HOLD_MS } from "../live-holds.ts";
import { ClockWatch } from "./clock-watch.ts";
import { type Database } from "./database.ts";
import * as sql from "./ledger-statements.ts";
import { keyOf, toPayment } from "./payment-row.ts";
import { PostgresError } from "./postgres-error.ts";

/** States that a crash of the database must not undo: by these money moves, or has moved. */
const DURABLE: ReadonlySet<PaymentState> = new Set(["settling", "settled", "failed", "unknown"]);
/** How often a payment is asked for that is freed and taken by others between two statements. @bound */
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
  readonly #holds: LiveHolds;
  readonly #watch: ClockWatch;
  readonly #timer: NodeJS.Timeout;
  #tending = false;

  /** `steady`: monotonic milliseconds. */
  constructor(database: Database, steady: () => number) {
    this.#database = database;
    this.#holds = new LiveHolds(steady);
    this.#watch = new ClockWatch(steady);
    this.#timer = setInterval(() => void this.tend(), HOLD_MS / 3);
    this.#timer.unref();
  }

  async reserve(reservation: Reservation, maxPartials = MAX_CUTS): Promise<Claim> {
    for (let i = 0; i < MOST_TRIES; i++) {
      const claim = await this.#noting(reservation, this.#reserve(reservation, maxPartials));
      if (claim?.held === true) {
        this.#doubtful.delete(reservation.nonce);
        this.#holds.touch(reservation.nonce);
      }
      if (claim !== undefined) return claim;
    }
    throw new PostgresError("overloaded", "a payment is taken and freed all the time");
  }

  /** Undefined: it was freed between the two statements, by another process. */
  async #reserve(reservation: Reservation, maxPartials: number): Promise<Claim | undefined> {
    const { token, scheme, amount, payTo, route, consumer, fingerprint, validBefore, payload } = reservation;
    if (!this.#watch.hasLooked) await this.watchClock();
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
      this.#watch.expected ?? null,
      maxPartials,
      consumer,
    ]);
    if (rows[0] !== undefined) return { held: true, payment: toPayment(rows[0]) };
    const standing = await this.find(reservation);
    return standing === undefined ? undefined : { held: false, payment: standing };
  }

  async move(payment: Payment, change: Change): Promise<boolean> {
    const moved = await this.#noting(payment, this.#move(payment, change));
    if (moved) this.#doubtful.delete(payment.nonce);
    if (moved && change.hold) this.#holds.touch(payment.nonce);
    else this.#holds.drop(payment.nonce);
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
      change.partial === true ? 1 : 0,
      change.ifUndelivered === true ? 1 : 0,
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

  async deliver(payment: PaymentKey): Promise<boolean> {
    return (await this.#database.quick(sql.DELIVER, [this.#database.clock, ...keyOf(payment)])).count > 0;
  }

  async find(key: PaymentKey): Promise<Payment | undefined> {
    const { rows } = await this.#database.read(sql.FIND, keyOf(key));
    return rows[0] === undefined ? undefined : toPayment(rows[0]);
  }

  async claimOpen(limit: number): Promise<readonly Payment[]> {
    if (!this.#watch.hasLooked) await this.watchClock();
    const values = [this.#database.clock, this.#owner, limit, this.#watch.expected ?? null];
    const { rows } = await this.#database.quick(sql.CLAIM_OPEN, values);
    const claimed = rows.map(toPayment);
    for (const { nonce } of claimed) this.#holds.touch(nonce);
    return claimed;
  }

  /** As `Store.forget`. What could still be paid with stays: its row is what keeps it from being used again. */
  async forget(before: number, limit: number): Promise<number> {
    return (await this.#database.quick(sql.FORGET_FINISHED, [this.#database.clock, before, limit])).count;
  }

  /** Looks at the database's clock, by which it is told later whether that has run evenly. */
  async watchClock(): Promise<void> {
    const { rows } = await this.#database.read(sql.CLOCK, [this.#database.clock]);
    this.#watch.saw(Number(rows[0]?.[0]));
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
    const over = performance.now() - LONGEST_HOLD_MS;
    const ended = [...this.#doubtful].filter(([, since]) => since < over).map(([nonce]) => nonce);
    ended.push(...this.#holds.forgotten());
    const { clock } = this.#database;
    try {
      if (ended.length > 0) await this.#database.quick(sql.GIVE_UP, [this.#owner, ended.join(",")]);
      for (const nonce of ended) {
        this.#holds.drop(nonce);
        this.#doubtful.delete(nonce);
      }
      await this.#database.quick(sql.RENEW, [clock, this.#owner, [...this.#doubtful.keys()].join(",")]);
      await this.watchClock();
      if (this.#watch.expected !== undefined) await this.#database.quick(sql.REAP, [clock]);
    } catch {
      // The database is away: holds run out, which stops their holders, and payments themselves report the error.
    } finally {
      this.#tending = false;
    }
  }
}
