import { type Database, type Statement } from "bun:sqlite";
import {
  type Change,
  type Claim,
  DURABLE,
  KEPT_COLUMNS,
  LEASE_MS,
  MAX_CUTS,
  type Ledger,
  type Payment,
  type PaymentKey,
  REAP_GRACE_S,
  REAP_ROWS,
  RECHECK_MS,
  type Reservation,
} from "../ledger.ts";
import { CREDIT_SCHEME, uncovered } from "../credits.ts";
import { LiveLeases } from "../live-leases.ts";
import { GroupedWrites } from "./grouped-writes.ts";
import { type Bindings, keyOf, PAYMENT, type PaymentRow, toPayment } from "./sqlite-payment-row.ts";
import { isUncovered } from "./sqlite-credits.ts";
import { type WriteTurns } from "./write-turns.ts";

/** Days for which the sums of daily sales are kept. @bound */
const SOLD_DAYS = 400;
const DAY_MS = 86_400_000;

/** Money was transferred, or may have been. */
const BEGUN = "state IN ('settling', 'unknown', 'settled')";

/** The lease has ended. A lease that ends later than any new one was made before the machine was restarted. */
const FREE = `(held_until < $steady OR held_until > $steady + ${2 * LEASE_MS})`;

/**
 * One statement decides which process gets the lease. It takes over an existing row without a lease in two cases:
 * nothing was spent, or the same request comes back to an unfinished payment. If money may have been transferred, the
 * row keeps the agreed terms. Otherwise it keeps nothing of its earlier use.
 */
const RESERVE = `
  INSERT INTO payments (network, asset, payer_from, nonce, state, attempt, owner, held_until,
    token, scheme, amount, pay_to, route, consumer, counted, fingerprint, valid_before, payload, created_at, updated_at)
  VALUES ($network, $asset, $from, $nonce, 'reserved', 1, $owner, $until,
    $token, $scheme, $amount, $payTo, $route, $consumer, 0, $fingerprint, $validBefore, $payload, $now, $now)
  ON CONFLICT DO UPDATE SET
    state = CASE WHEN state IN ('settling', 'unknown') THEN 'unknown' WHEN state = 'settled' THEN 'settled' ELSE 'reserved' END,
    attempt = attempt + 1, owner = $owner, held_until = $until, updated_at = $now,
    fingerprint = excluded.fingerprint, valid_before = excluded.valid_before,
    ${KEPT_COLUMNS.map((name) => `${name} = CASE WHEN ${BEGUN} THEN ${name} ELSE excluded.${name} END`).join(", ")}
  WHERE ${FREE} AND (
    state IN ('released', 'failed', 'reserved', 'verified')
    OR (fingerprint = $fingerprint AND (state IN ('settling', 'unknown') OR (state = 'settled' AND delivered = 0 AND refunded = '0' AND cuts < ${MAX_CUTS} AND partials < $maxPartials))))
  RETURNING ${PAYMENT}`;

const MOVE = `
  UPDATE payments SET state = $state, held_until = $until, updated_at = $now,
    tx = COALESCE($tx, tx), reason = COALESCE($reason, reason), payer = COALESCE($payer, payer), facilitator = COALESCE($facilitator, facilitator),
    amount = COALESCE($amount, amount), payload = CASE WHEN $state IN ('settled', 'failed', 'released') THEN '' ELSE payload END,
    delivered = delivered OR COALESCE($delivered, 0), cuts = cuts + ($delivered IS 0), partials = partials + $partial, body_digest = COALESCE($bodyDigest, body_digest)
  WHERE network = $network AND asset = $asset AND payer_from = $from AND nonce = $nonce
    AND attempt = $attempt AND owner = $owner AND held_until > 0 AND ($ifUndelivered = 0 OR delivered = 0)`;

const DELIVER = `
  UPDATE payments SET delivered = 1, updated_at = $now
  WHERE network = $network AND asset = $asset AND payer_from = $from AND nonce = $nonce AND state = 'settled' AND delivered = 0`;

const REPEAT = `
  UPDATE payments SET repeats = repeats + 1
  WHERE network = $network AND asset = $asset AND payer_from = $from AND nonce = $nonce AND state = 'settled' AND repeats < $most
    AND (delivered = 1 OR refunded = '0')`;

const CLAIM_OPEN = `
  UPDATE payments SET state = 'unknown', attempt = attempt + 1, owner = $owner, held_until = $until, updated_at = $now
  WHERE (network, asset, payer_from, nonce) IN (
    SELECT network, asset, payer_from, nonce FROM payments
    WHERE state IN ('settling', 'unknown') AND ${FREE} AND updated_at < $before ORDER BY updated_at LIMIT $limit)
  RETURNING ${PAYMENT}`;

const POST = `
  INSERT INTO outbox (id, url, body, due_at, created_at) VALUES ($id, $url, $body, $now, $now) ON CONFLICT DO NOTHING`;

const FORGET = `
  DELETE FROM payments
  WHERE network = $network AND asset = $asset AND payer_from = $from AND nonce = $nonce
    AND attempt = $attempt AND owner = $owner AND state = 'reserved'`;

const REAP = `
  DELETE FROM payments WHERE (network, asset, payer_from, nonce) IN (
    SELECT network, asset, payer_from, nonce FROM payments
    WHERE state IN ('reserved', 'verified', 'released') AND valid_before < $before AND ${FREE} LIMIT ${REAP_ROWS})`;

const FORGET_FINISHED = `
  DELETE FROM payments WHERE (network, asset, payer_from, nonce) IN (
    SELECT network, asset, payer_from, nonce FROM payments
    WHERE state IN ('settled', 'failed') AND updated_at < $before AND valid_before < $ended AND ${FREE}
    ORDER BY updated_at LIMIT $limit)`;

/** Two connections to one database. */
export interface Connections {
  /** A write survives the end of the process, but a power failure may undo it. Used if the write transfers no money. */
  readonly quick: Database;
  /** A write survives a power failure too, and waits for the disk. */
  readonly durable: Database;
}

/**
 * The ledger in memory, or in an SQLite file that all processes of one machine share. Leases are timed by `steady`, the
 * machine's monotonic clock, so a change of the system time `now` does not affect them. Both clocks give milliseconds.
 */
export class SqliteLedger implements Ledger {
  readonly #owner = crypto.randomUUID();
  readonly #now: () => number;
  readonly #steady: () => number;
  readonly #leases: LiveLeases;
  readonly #reserve: Statement<PaymentRow, [Bindings]>;
  readonly #move: Statement<unknown, [Bindings]>;
  readonly #moveDurably: Statement<unknown, [Bindings]>;
  readonly #group: GroupedWrites<Bindings, boolean>;
  readonly #moveAndPost: (change: Bindings, notice: Bindings) => boolean;
  readonly #deliver: Statement<unknown, [Bindings]>;
  readonly #repeat: Statement<unknown, [Bindings]>;
  readonly #claimOpen: Statement<PaymentRow, [Bindings]>;
  readonly #forget: Statement<unknown, [Bindings]>;
  readonly #find: Statement<PaymentRow, [Bindings]>;
  readonly #renew: Statement<unknown, [Bindings]>;
  readonly #giveUp: Statement<unknown, [Bindings]>;
  readonly #reap: Statement<unknown, [Bindings]>;
  readonly #forgetFinished: Statement<unknown, [Bindings]>;
  readonly #forgetSold: Statement<unknown, [Bindings]>;
  readonly #turns: WriteTurns;
  readonly #timer: NodeJS.Timeout;
  #isTending = false;

  // oxlint-disable-next-line eslint/max-params -- connections, two clocks and the line of their writes
  constructor({ quick, durable }: Connections, now: () => number, steady: () => number, turns: WriteTurns) {
    this.#turns = turns;
    this.#now = now;
    this.#steady = steady;
    this.#leases = new LiveLeases(steady);
    this.#reserve = quick.query(RESERVE);
    this.#move = quick.query(MOVE);
    const moveDurably = durable.query<unknown, [Bindings]>(MOVE);
    this.#moveDurably = moveDurably;
    const moveAll = (changes: readonly Bindings[]): boolean[] => changes.map((one) => moveDurably.run(one).changes > 0);
    const together = durable.transaction(moveAll);
    this.#group = new GroupedWrites((all) => (all.length === 1 ? moveAll(all) : together.immediate(all)), turns);
    const post = durable.query<unknown, [Bindings]>(POST);
    const both = durable.transaction((change: Bindings, notice: Bindings) => {
      if (moveDurably.run(change).changes === 0) return false;
      post.run(notice);
      return true;
    });
    this.#moveAndPost = (change, notice) => both.immediate(change, notice);
    this.#deliver = quick.query(DELIVER);
    this.#repeat = quick.query(REPEAT);
    this.#claimOpen = quick.query(CLAIM_OPEN);
    this.#forget = quick.query(FORGET);
    this.#find = quick.query(
      `SELECT ${PAYMENT} FROM payments WHERE network = $network AND asset = $asset AND payer_from = $from AND nonce = $nonce`,
    );
    this.#renew = quick.query("UPDATE payments SET held_until = $until WHERE owner = $owner AND held_until > 0");
    this.#giveUp = quick.query(
      "UPDATE payments SET owner = '' WHERE owner = $owner AND held_until > 0 AND nonce = $nonce",
    );
    this.#reap = quick.query(REAP);
    this.#forgetFinished = quick.query(FORGET_FINISHED);
    this.#forgetSold = quick.query("DELETE FROM sold_days WHERE day < $day");
    this.#timer = setInterval(() => void this.#tend(), LEASE_MS / 3);
    this.#timer.unref();
  }

  async reserve(reservation: Reservation, maxPartials = MAX_CUTS): Promise<Claim> {
    const row = await this.#turns.run(() =>
      this.#reserved({
        ...keyOf(reservation),
        $owner: this.#owner,
        ...this.#leaseTimes(),
        $now: this.#now(),
        $token: reservation.token,
        $scheme: reservation.scheme,
        $payload: reservation.payload,
        $amount: reservation.amount,
        $payTo: reservation.payTo,
        $route: reservation.route,
        $consumer: reservation.consumer,
        $fingerprint: reservation.fingerprint,
        $validBefore: reservation.validBefore,
        $maxPartials: maxPartials,
      }),
    );
    if (row === "uncovered") return uncovered(reservation);
    if (row !== null) {
      this.#leases.touch(reservation.nonce);
      return { leased: true, payment: toPayment(row) };
    }
    const standing = this.#find.get(keyOf(reservation));
    // Another process released the payment between the two statements, so the next attempt can get it.
    if (standing === null) return this.reserve(reservation, maxPartials);
    return { leased: false, payment: toPayment(standing) };
  }

  /** `uncovered`: the credit does not cover the charge. */
  #reserved(bindings: Bindings): PaymentRow | "uncovered" | null {
    try {
      return this.#reserve.get(bindings);
    } catch (error) {
      if (isUncovered(error)) return "uncovered";
      throw error;
    }
  }

  async move(payment: Payment, change: Change): Promise<boolean> {
    // The requests of all holders of credit wait for the disk together.
    const isCharge = payment.scheme === CREDIT_SCHEME && change.lease && isDurable(change);
    const isGrouped = isCharge && change.notice === undefined;
    const moved = await (isGrouped
      ? this.#group.run(this.#bindingsOf(payment, change))
      : this.#turns.run(() => this.#moved(payment, change)));
    if (moved && change.lease) this.#leases.touch(payment.nonce);
    else this.#leases.drop(payment.nonce);
    return moved;
  }

  #moved(payment: Payment, change: Change): boolean {
    const bindings = this.#bindingsOf(payment, change);
    // A payment that was never verified is deleted: anyone can invent such payments.
    if (change.state === "released" && this.#forget.run(bindings).changes > 0) return true;
    if (change.notice !== undefined) {
      const { id, url, body } = change.notice;
      return this.#moveAndPost(bindings, { $id: id, $url: url, $body: body, $now: this.#now() });
    }
    return (isDurable(change) ? this.#moveDurably : this.#move).run(bindings).changes > 0;
  }

  #bindingsOf(payment: Payment, change: Change): Bindings {
    return {
      ...keyOf(payment),
      $attempt: payment.attempt,
      $owner: this.#owner,
      $state: change.state,
      $until: change.lease ? this.#steady() + LEASE_MS : 0,
      $now: this.#now(),
      $tx: change.transaction ?? null,
      $reason: change.reason ?? null,
      $payer: change.payer ?? null,
      $facilitator: change.facilitator ?? null,
      $amount: change.amount ?? null,
      $delivered: change.delivered === undefined ? null : Number(change.delivered),
      $partial: Number(change.partial ?? false),
      $bodyDigest: change.bodyDigest ?? null,
      $ifUndelivered: Number(change.ifUndelivered ?? false),
    };
  }

  async deliver(payment: PaymentKey): Promise<boolean> {
    return this.#turns.run(() => this.#deliver.run({ ...keyOf(payment), $now: this.#now() }).changes > 0);
  }

  async repeat(payment: PaymentKey, most: number): Promise<boolean> {
    return this.#turns.run(() => this.#repeat.run({ ...keyOf(payment), $most: most }).changes > 0);
  }

  async find(key: PaymentKey): Promise<Payment | undefined> {
    const row = this.#find.get(keyOf(key));
    return row === null ? undefined : toPayment(row);
  }

  async claimOpen(limit: number): Promise<readonly Payment[]> {
    const now = this.#now();
    const rows = await this.#turns.run(() =>
      this.#claimOpen.all({
        ...this.#leaseTimes(),
        $owner: this.#owner,
        $now: now,
        $before: now - RECHECK_MS,
        $limit: limit,
      }),
    );
    for (const { nonce } of rows) this.#leases.touch(nonce);
    return rows.map(toPayment);
  }

  /** As `Store.forget`. A payment that is still valid stays: its row prevents a second use. */
  async forget(before: number, limit: number): Promise<number> {
    const now = this.#now();
    const ended = Math.floor(now / 1000) - REAP_GRACE_S;
    const bindings = { $before: before, $ended: ended, $steady: this.#steady(), $limit: limit };
    await this.#turns.run(() => this.#forgetSold.run({ $day: Math.floor(now / DAY_MS) - SOLD_DAYS }));
    return this.#turns.run(() => this.#forgetFinished.run(bindings).changes);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#group.flush();
  }

  /** The time now, and the end of a lease that is acquired now. */
  #leaseTimes(): Bindings {
    const steady = this.#steady();
    return { $steady: steady, $until: steady + LEASE_MS };
  }

  /** Renews the leases of this process, and gives up those without progress. */
  async #tend(): Promise<void> {
    if (this.#isTending) return;
    this.#isTending = true;
    const turns = this.#turns;
    const $owner = this.#owner;
    try {
      for (const nonce of this.#leases.forgotten()) {
        // oxlint-disable-next-line no-await-in-loop -- the file takes one write at a time
        await turns.run(() => this.#giveUp.run({ $owner, $nonce: nonce }));
        this.#leases.drop(nonce);
      }
      await turns.run(() => this.#renew.run({ $owner, $until: this.#steady() + LEASE_MS }));
      const $before = Math.floor(this.#now() / 1000) - REAP_GRACE_S;
      await turns.run(() => this.#reap.run({ $before, $steady: this.#steady() }));
    } catch {
      // The file is busy or gone. Leases expire, which stops their holders; requests with payments report the error.
    } finally {
      this.#isTending = false;
    }
  }
}

/** True if the process must wait for the disk. Whether a response was delivered is not worth it. */
function isDurable({ state, delivered }: Change): boolean {
  return DURABLE.has(state) && delivered === undefined;
}
