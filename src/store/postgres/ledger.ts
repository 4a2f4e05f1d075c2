import {
  type Change,
  type Claim,
  isDurable,
  LEASE_MS,
  MAX_CUTS,
  type Ledger,
  type Payment,
  type PaymentKey,
  type Reservation,
} from "../ledger.ts";
import { uncovered } from "../credits.ts";
import { LiveLeases, LONGEST_LEASE_MS } from "../live-leases.ts";
import { ClockWatch } from "./clock-watch.ts";
import { isUncovered } from "./credits.ts";
import { type Database } from "./database.ts";
import * as sql from "./ledger-statements.ts";
import { type Statement } from "./messages.ts";
import { keyOf, toPayment } from "./payment-row.ts";
import { PostgresError } from "./postgres-error.ts";
import { NewestMap } from "../../lib/memory/newest-map.ts";

/**
 * Maximum number of attempts to reserve a payment that other processes acquire and release between two statements.
 * @bound
 */
const MOST_TRIES = 5;
/**
 * Maximum number of payments for which it is unknown whether the last change was written. Beyond that the oldest is
 * dropped, and its lease may be renewed.
 */
const MAX_DOUBTFUL = 1000;

/**
 * The ledger in PostgreSQL, shared by any number of machines. A lease is identified by owner, attempt and time of its
 * claim. The time matters after a crash of the database has undone a claim: the next claim may count the same attempt,
 * and the lost claim must not match it.
 */
export class PostgresLedger implements Ledger {
  readonly #owner = crypto.randomUUID();
  readonly #database: Database;
  /**
   * Nonces of changes without a response from the database, and when they failed, by the monotonic clock. The change may
   * have been written, so the process may own a lease without knowing it. Such leases are not renewed, and the next
   * request waits for `LEASE_MS` at most.
   */
  readonly #doubtful = new NewestMap<string, number>(MAX_DOUBTFUL);
  readonly #steady: () => number;
  readonly #leases: LiveLeases;
  readonly #watch: ClockWatch;
  readonly #timer: NodeJS.Timeout;
  #tending = false;

  /** `steady` gives monotonic milliseconds. */
  constructor(database: Database, steady: () => number) {
    this.#database = database;
    this.#steady = steady;
    this.#leases = new LiveLeases(steady);
    this.#watch = new ClockWatch(steady);
    this.#timer = setInterval(() => void this.tend(), LEASE_MS / 3);
    this.#timer.unref();
  }

  async reserve(reservation: Reservation, maxPartials = MAX_CUTS): Promise<Claim> {
    for (let i = 0; i < MOST_TRIES; i++) {
      const claim = await this.#noting(reservation, this.#reserve(reservation, maxPartials));
      if (claim?.leased === true) {
        this.#doubtful.delete(reservation.nonce);
        this.#leases.touch(reservation.nonce);
      }
      if (claim !== undefined) return claim;
    }
    throw new PostgresError("overloaded", "a payment is locked and released again and again");
  }

  /** Undefined: another process released the payment between the two statements. */
  async #reserve(reservation: Reservation, maxPartials: number): Promise<Claim | undefined> {
    const { token, scheme, amount, payTo, route, consumer, fingerprint, validBefore, payload } = reservation;
    if (!this.#watch.hasLooked) await this.watchClock();
    const reserving = this.#database.quick(sql.RESERVE, [
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
    const result = await reserving.catch((error: unknown) => {
      if (isUncovered(error)) return undefined;
      throw error;
    });
    if (result === undefined) return uncovered(reservation);
    const { rows } = result;
    if (rows[0] !== undefined) return { leased: true, payment: toPayment(rows[0]) };
    const standing = await this.find(reservation);
    return standing === undefined ? undefined : { leased: false, payment: standing };
  }

  async move(payment: Payment, change: Change): Promise<boolean> {
    const moved = await this.#noting(payment, this.#move(payment, change));
    if (moved) this.#doubtful.delete(payment.nonce);
    if (moved && change.lease) this.#leases.touch(payment.nonce);
    else this.#leases.drop(payment.nonce);
    return moved;
  }

  async #move(payment: Payment, change: Change): Promise<boolean> {
    const database = this.#database;
    const holder = [...keyOf(payment), payment.attempt, this.#owner, payment.updatedAt];
    // A payment that was never verified is deleted: anyone can invent such payments.
    if (change.state === "released" && (await database.quick(sql.FORGET, holder)).count > 0) return true;
    const values = [
      database.clock,
      ...holder,
      change.state,
      change.lease ? 1 : 0,
      change.transaction ?? null,
      change.reason ?? null,
      change.payer ?? null,
      change.amount ?? null,
      change.delivered === undefined ? null : String(change.delivered),
      change.bodyDigest ?? null,
      change.partial === true ? 1 : 0,
      change.ifUndelivered === true ? 1 : 0,
      change.facilitator ?? null,
      change.deferral ?? null,
      change.dueInMs === "never" ? -1 : (change.dueInMs ?? null),
      change.uncut === true ? 1 : 0,
    ];
    const { notice } = change;
    if (notice !== undefined) {
      return (await database.durable(sql.MOVE_AND_POST, [...values, notice.id, notice.url, notice.body])).count > 0;
    }
    // An undone delivery would be a false debt. The client does not wait for this write.
    if (isDurable(change) && change.delivered !== false) {
      return (await database.durable(sql.MOVE, values)).count > 0;
    }
    return (await database.quick(sql.MOVE, values)).count > 0;
  }

  async deliver(payment: PaymentKey): Promise<boolean> {
    return (await this.#database.durable(sql.DELIVER, [this.#database.clock, ...keyOf(payment)])).count > 0;
  }

  async repeat(payment: PaymentKey, most: number): Promise<boolean> {
    return (await this.#database.quick(sql.REPEAT, [...keyOf(payment), most])).count > 0;
  }

  async find(key: PaymentKey): Promise<Payment | undefined> {
    const { rows } = await this.#database.read(sql.FIND, keyOf(key));
    return rows[0] === undefined ? undefined : toPayment(rows[0]);
  }

  claimOpen(limit: number): Promise<readonly Payment[]> {
    return this.#claim(sql.CLAIM_OPEN, limit);
  }

  claimDue(limit: number): Promise<readonly Payment[]> {
    return this.#claim(sql.CLAIM_DUE, limit);
  }

  async #claim(statement: Statement, limit: number): Promise<readonly Payment[]> {
    if (!this.#watch.hasLooked) await this.watchClock();
    const values = [this.#database.clock, this.#owner, limit, this.#watch.expected ?? null];
    const { rows } = await this.#database.quick(statement, values);
    const claimed = rows.map(toPayment);
    for (const { nonce } of claimed) this.#leases.touch(nonce);
    return claimed;
  }

  /** As `Store.forget`; `age`: milliseconds since `before`. A payment that is still valid stays: its row prevents a second use. */
  async forget(before: number, age: number, limit: number): Promise<number> {
    return (await this.#database.quick(sql.FORGET_FINISHED, [this.#database.clock, before, limit, age])).count;
  }

  /** The expected time of the database's clock, in Unix milliseconds; undefined while it is not trusted to end leases. */
  get expectedTime(): number | undefined {
    return this.#watch.expected;
  }

  /** Reads the database's clock, so that `ClockWatch` can judge later whether it runs evenly. */
  async watchClock(): Promise<void> {
    const { rows } = await this.#database.read(sql.CLOCK, [this.#database.clock]);
    this.#watch.saw(Number(rows[0]?.[0]));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
  }

  /** Remembers the payment if the outcome of its change is unknown. */
  async #noting<T>({ nonce }: PaymentKey, change: Promise<T>): Promise<T> {
    try {
      return await change;
    } catch (error) {
      this.#doubtful.set(nonce, this.#steady());
      throw error;
    }
  }

  /** Renews the leases of this process, and gives up those without progress. A timer calls this. */
  async tend(): Promise<void> {
    if (this.#tending) return;
    this.#tending = true;
    const over = this.#steady() - LONGEST_LEASE_MS;
    const ended = [...this.#doubtful].filter(([, since]) => since < over).map(([nonce]) => nonce);
    ended.push(...this.#leases.forgotten());
    const { clock } = this.#database;
    try {
      if (ended.length > 0) await this.#database.quick(sql.GIVE_UP, [this.#owner, ended.join(",")]);
      for (const nonce of ended) {
        this.#leases.drop(nonce);
        this.#doubtful.delete(nonce);
      }
      await this.#database.quick(sql.RENEW, [clock, this.#owner, [...this.#doubtful.keys()].join(",")]);
      await this.watchClock();
      const { expected } = this.#watch;
      if (expected === undefined) return;
      await this.#database.quick(sql.REAP, [clock]);
      await this.#database.quick(sql.RETURN_CREDIT, [clock, expected]);
    } catch {
      // The database is unavailable. Leases expire, which stops their holders; requests with payments report the error.
    } finally {
      this.#tending = false;
    }
  }
}
