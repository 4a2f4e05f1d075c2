import { CREDIT_SCHEME } from "../credits.ts";
import { isDue } from "../due.ts";
import {
  type Change,
  type Claim,
  isDurable,
  KEPT_COLUMNS,
  LEASE_MS,
  MAX_CUTS,
  type Ledger,
  MAX_DUE_MS,
  type Payment,
  type PaymentKey,
  REAP_GRACE_S,
  REAP_ROWS,
  RECHECK_MS,
  type Reservation,
} from "../ledger.ts";
import { uncovered } from "../credits.ts";
import { LiveLeases } from "../live-leases.ts";
import { GroupedWrites } from "./grouped-writes.ts";
import { type SqliteConnection } from "./sqlite-connection.ts";
import { isUncovered } from "./sqlite-credits.ts";
import { POST } from "./sqlite-outbox.ts";
import { keyOf, OF_KEY, PAYMENT, type PaymentRow, toPayment } from "./sqlite-payment-row.ts";
import { type WriteTurns } from "./write-turns.ts";

/** Days for which the sums of daily sales are kept. @bound */
const SOLD_DAYS = 400;
const DAY_MS = 86_400_000;

/** Money was transferred, or may have been. */
const BEGUN = "state IN ('deferred', 'settling', 'unknown', 'settled')";

/**
 * A lease is identified by its owner, its number and when its payment was added: a payment that was deleted begins again at the
 * first number.
 */
const HELD = "attempt = $attempt AND owner = $owner AND created_at = $createdAt";

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
    state = CASE WHEN state IN ('settling', 'unknown') THEN 'unknown' WHEN state IN ('deferred', 'settled') THEN state ELSE 'reserved' END,
    attempt = attempt + 1, owner = $owner, held_until = $until, updated_at = $now,
    fingerprint = excluded.fingerprint, valid_before = excluded.valid_before,
    ${KEPT_COLUMNS.map((name) => `${name} = CASE WHEN ${BEGUN} THEN ${name} ELSE excluded.${name} END`).join(", ")}
  WHERE ${FREE} AND (
    state IN ('released', 'failed', 'reserved', 'verified')
    OR (fingerprint = $fingerprint AND (state IN ('settling', 'unknown') OR (state IN ('deferred', 'settled') AND delivered = 0 AND refunded = '0' AND cuts < ${MAX_CUTS} AND partials < $maxPartials))))
  RETURNING ${PAYMENT}`;

const FIND = `SELECT ${PAYMENT} FROM payments WHERE ${OF_KEY}`;

/** Another request may have sent the response of a charge that is to be released. Then the charge stays, and only the lease ends. */
const NEXT = `CASE WHEN $state = 'released' AND (delivered = 1 OR repeats > 0)
  AND (state = 'settled' OR (state = 'deferred' AND $dueAt IS NULL)) THEN state ELSE $state END`;

const MOVE = `
  UPDATE payments SET state = ${NEXT}, held_until = $until, updated_at = $now,
    tx = COALESCE($transaction, tx), reason = COALESCE($reason, reason), payer = COALESCE($payer, payer), facilitator = COALESCE($facilitator, facilitator),
    amount = COALESCE($amount, amount), payload = CASE WHEN ${NEXT} IN ('settled', 'failed', 'released') THEN '' ELSE payload END,
    delivered = delivered OR COALESCE($delivered, 0), cuts = cuts + ($delivered IS 0) - $uncut, partials = partials + $partial, body_digest = COALESCE($bodyDigest, body_digest),
    deferral = COALESCE($deferral, deferral), due_at = CASE WHEN ${NEXT} = 'released' THEN 0 ELSE COALESCE($dueAt, due_at) END
  WHERE ${OF_KEY} AND ${HELD} AND held_until > 0 AND ($ifUndelivered = 0 OR delivered = 0)`;

/** `MOVE` of a settled payment whose response was sent or cut off. Without its other columns and their indexes it takes a third. */
const SENT = `
  UPDATE payments SET held_until = $until, updated_at = $now, delivered = delivered OR $delivered, cuts = cuts + ($delivered IS 0) - $uncut,
    partials = partials + $partial, body_digest = COALESCE($bodyDigest, body_digest)
  WHERE ${OF_KEY} AND ${HELD} AND held_until > 0 AND state = 'settled'`;

/** The members of a change that `SENT` records. */
const OF_SENT: ReadonlySet<string> = new Set(["state", "lease", "delivered", "uncut", "partial", "bodyDigest"]);

/** The parameters of `MOVE` that leave the columns of a row unchanged. */
const UNCHANGED = {
  transaction: null,
  reason: null,
  payer: null,
  facilitator: null,
  amount: null,
  delivered: null,
  uncut: false,
  partial: false,
  bodyDigest: null,
  deferral: null,
  dueAt: null,
  ifUndelivered: false,
};

const DELIVER = `
  UPDATE payments SET delivered = 1, updated_at = $now
  WHERE ${OF_KEY} AND state IN ('deferred', 'settled') AND delivered = 0`;

const REPEAT = `
  UPDATE payments SET repeats = repeats + 1
  WHERE ${OF_KEY} AND state IN ('deferred', 'settled') AND repeats < $most
    AND (delivered = 1 OR refunded = '0')`;

const CLAIM_OPEN = `
  UPDATE payments SET state = 'unknown', attempt = attempt + 1, owner = $owner, held_until = $until, updated_at = $now
  WHERE (network, asset, payer_from, nonce) IN (
    SELECT network, asset, payer_from, nonce FROM payments
    WHERE state IN ('settling', 'unknown') AND due_at = 0 AND ${FREE}
      AND (updated_at < $before OR updated_at > $now + ${RECHECK_MS}) ORDER BY updated_at LIMIT $limit)
  RETURNING ${PAYMENT}`;

const DUE = `due_at > 0 AND ${isDue("due_at", "$now", MAX_DUE_MS)}`;

const CLAIM_DUE = `
  UPDATE payments SET state = CASE WHEN state = 'settling' THEN 'unknown' ELSE state END,
    attempt = attempt + 1, owner = $owner, held_until = $until, updated_at = $now
  WHERE (network, asset, payer_from, nonce) IN (
    SELECT network, asset, payer_from, nonce FROM payments WHERE ${DUE} AND ${FREE} ORDER BY due_at LIMIT $limit)
  RETURNING ${PAYMENT}`;

const FORGET = `DELETE FROM payments WHERE ${OF_KEY} AND ${HELD} AND state = 'reserved'`;

const RENEW = "UPDATE payments SET held_until = $until WHERE owner = $owner AND held_until > 0";
const GIVE_UP = "UPDATE payments SET owner = '' WHERE owner = $owner AND held_until > 0 AND nonce = $nonce";

const REAP = `
  DELETE FROM payments WHERE (network, asset, payer_from, nonce) IN (
    SELECT network, asset, payer_from, nonce FROM payments
    WHERE state IN ('reserved', 'verified', 'released') AND valid_before < $before AND ${FREE} LIMIT ${REAP_ROWS})`;

/** Returns the amounts that dead processes had reserved, by the triggers of the table. */
const RETURN_CREDIT = `
  DELETE FROM payments WHERE (network, asset, payer_from, nonce) IN (
    SELECT network, asset, payer_from, nonce FROM payments INDEXED BY payments_held
    WHERE held_until > 0 AND scheme = '${CREDIT_SCHEME}' AND state = 'reserved' AND ${FREE} LIMIT ${REAP_ROWS})`;

const FORGET_FINISHED = `
  DELETE FROM payments WHERE (network, asset, payer_from, nonce) IN (
    SELECT network, asset, payer_from, nonce FROM payments AS p
    WHERE state IN ('settled', 'failed') AND due_at = 0 AND updated_at < $before AND valid_before < $ended AND ${FREE}
      AND NOT EXISTS (SELECT 1 FROM refunds AS r WHERE r.state = 'pending' AND r.network = p.network
        AND r.asset = p.asset AND r.payer_from = p.payer_from AND r.nonce = p.nonce)
    ORDER BY updated_at LIMIT $limit)`;

export interface Connections {
  /** A write survives the end of the process, but a power failure may undo it. Used if the write transfers no money. */
  readonly quick: SqliteConnection;
  /** A write survives a power failure too, and waits for the disk. */
  readonly durable: SqliteConnection;
}

interface Write {
  readonly make: () => unknown;
  /** The process must wait for the disk. */
  readonly isDurable: boolean;
}

/**
 * The ledger in memory, or in an SQLite file that all processes of one machine share. Leases are timed by `steady`, the
 * machine's monotonic clock, so a change of the system time `now` does not affect them. Both clocks give milliseconds.
 */
export class SqliteLedger implements Ledger {
  readonly #owner = crypto.randomUUID();
  readonly #files: Connections;
  readonly #leases: LiveLeases;
  readonly #group: GroupedWrites<Write, unknown>;
  readonly #timer: NodeJS.Timeout;
  /** The last write that waits for the disk. */
  #lastDurable: Promise<unknown> | undefined;
  #isTending = false;

  constructor(files: Connections, turns: WriteTurns) {
    this.#files = files;
    this.#leases = new LiveLeases(files.quick.steady);
    const write = (all: readonly Write[]): unknown[] =>
      (all.some((one) => one.isDurable) ? files.durable : files.quick).together(() => all.map(({ make }) => make()));
    this.#group = new GroupedWrites(write, turns);
    this.#timer = setInterval(() => void this.#tend(), LEASE_MS / 3);
    this.#timer.unref();
  }

  async reserve(reservation: Reservation, maxPartials = MAX_CUTS): Promise<Claim> {
    const claim = await this.#grouped(false, () => this.#reserved(reservation, maxPartials));
    if (claim.leased) this.#leases.touch(reservation.nonce);
    return claim;
  }

  #reserved(reservation: Reservation, maxPartials: number): Claim {
    const { quick } = this.#files;
    const values = { ...reservation, owner: this.#owner, ...this.#leaseTimes(), now: quick.now(), maxPartials };
    try {
      const leased = quick.get<PaymentRow>(RESERVE, values);
      if (leased !== undefined) return { leased: true, payment: toPayment(leased) };
    } catch (error) {
      if (isUncovered(error)) return uncovered(reservation);
      throw error;
    }
    // The statement left a row as it was, which no other process can remove within this transaction.
    return { leased: false, payment: toPayment(quick.get<PaymentRow>(FIND, values) as PaymentRow) };
  }

  async move(payment: Payment, change: Change): Promise<boolean> {
    const values = this.#valuesOf(payment, change);
    const made = this.#grouped(waits(change), () => this.#moved(values, change));
    // The client may use the payment again as soon as it has its response, also at another worker.
    if (change.state === "released" || change.state === "failed") void this.#group.flush();
    const moved = await made;
    if (moved && change.lease) this.#leases.touch(payment.nonce);
    else this.#leases.drop(payment.nonce);
    return moved;
  }

  #moved(values: object, change: Change): boolean {
    const { quick } = this.#files;
    const { state, notice } = change;
    if (isSent(change) && quick.run(SENT, values) > 0) return true;
    // A payment that was never verified is deleted: anyone can invent such payments.
    if (state === "released" && quick.run(FORGET, values) > 0) return true;
    if (quick.run(MOVE, values) === 0) return false;
    if (notice !== undefined) quick.run(POST, { ...notice, now: quick.now() });
    return true;
  }

  /** Makes a write with the others of this turn. */
  #grouped<R>(mustWait: boolean, make: () => R): Promise<R> {
    const made = this.#group.run({ make, isDurable: mustWait });
    if (mustWait) this.#lastDurable = made;
    return made as Promise<R>; // the result of `make`
  }

  #valuesOf(payment: Payment, change: Change): object {
    const { quick } = this.#files;
    const until = change.lease ? quick.steady() + LEASE_MS : 0;
    const { attempt, createdAt } = payment;
    const now = quick.now();
    const { dueInMs } = change;
    const dueAt = dueInMs === undefined ? null : dueInMs === "never" ? 0 : now + dueInMs;
    return { ...UNCHANGED, ...change, ...keyOf(payment), dueAt, attempt, createdAt, owner: this.#owner, until, now };
  }

  async deliver(payment: PaymentKey): Promise<boolean> {
    const { quick } = this.#files;
    return this.#grouped(false, () => quick.run(DELIVER, { ...payment, now: quick.now() }) > 0);
  }

  async repeat(payment: PaymentKey, most: number): Promise<boolean> {
    return (await this.#files.quick.write(REPEAT, { ...payment, most })) > 0;
  }

  async find(key: PaymentKey): Promise<Payment | undefined> {
    this.flush();
    const row = this.#files.quick.get<PaymentRow>(FIND, key);
    return row && toPayment(row);
  }

  async claimOpen(limit: number): Promise<readonly Payment[]> {
    const { quick } = this.#files;
    const now = quick.now();
    const rows = await quick.turn(() => {
      const values = { ...this.#leaseTimes(), owner: this.#owner, now, before: now - RECHECK_MS, limit };
      return quick.all<PaymentRow>(CLAIM_OPEN, values);
    });
    for (const { nonce } of rows) this.#leases.touch(nonce);
    return rows.map(toPayment);
  }

  async claimDue(limit: number): Promise<readonly Payment[]> {
    const { quick } = this.#files;
    const now = quick.now();
    // Usually no payment is due. This query finds that without the file's write lock.
    if (quick.get(`SELECT 1 FROM payments WHERE ${DUE} LIMIT 1`, { now }) === undefined) return [];
    const values = { ...this.#leaseTimes(), owner: this.#owner, now, limit };
    const rows = await quick.turn(() => quick.all<PaymentRow>(CLAIM_DUE, values));
    for (const { nonce } of rows) this.#leases.touch(nonce);
    return rows.map(toPayment);
  }

  /** As `Store.forget`. A payment that is still valid stays: its row prevents a second use. */
  async forget(before: number, limit: number): Promise<number> {
    const { quick } = this.#files;
    const now = quick.now();
    const ended = Math.floor(now / 1000) - REAP_GRACE_S;
    const steady = quick.steady();
    await quick.write("DELETE FROM sold_days WHERE day < $day", { day: Math.floor(now / DAY_MS) - SOLD_DAYS });
    return quick.write(FORGET_FINISHED, { before, ended, steady, limit });
  }

  /** Makes the waiting writes, at once if the file is free: a look then sees what this process wrote before it. */
  flush(): void {
    void this.#group.flush();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.flush();
    await this.#lastDurable?.catch(() => {});
  }

  /** The time now, and the end of a lease that is acquired now. */
  #leaseTimes(): { readonly steady: number; readonly until: number } {
    const steady = this.#files.quick.steady();
    return { steady, until: steady + LEASE_MS };
  }

  /** Renews the leases of this process, and gives up those without progress. */
  async #tend(): Promise<void> {
    if (this.#isTending) return;
    this.#isTending = true;
    const { quick } = this.#files;
    const owner = this.#owner;
    try {
      for (const nonce of this.#leases.forgotten()) {
        // oxlint-disable-next-line no-await-in-loop -- the file takes one write at a time
        await quick.write(GIVE_UP, { owner, nonce });
        this.#leases.drop(nonce);
      }
      const before = Math.floor(quick.now() / 1000) - REAP_GRACE_S;
      await Promise.all([
        quick.turn(() => quick.run(RENEW, { owner, until: quick.steady() + LEASE_MS })),
        quick.turn(() => quick.run(REAP, { before, steady: quick.steady() })),
        quick.turn(() => quick.run(RETURN_CREDIT, { steady: quick.steady() })),
      ]);
    } catch {
      // The file is busy or gone. Leases expire, which stops their holders; requests with payments report the error.
    } finally {
      this.#isTending = false;
    }
  }
}

function isSent(change: Change): boolean {
  return (
    change.state === "settled" && change.delivered !== undefined && Object.keys(change).every((key) => OF_SENT.has(key))
  );
}

/** True if the process must wait for the disk: for a durable change, unless it only records whether a response was delivered. */
function waits(change: Change): boolean {
  return (
    change.notice !== undefined ||
    (isDurable(change) && (change.delivered === undefined || change.amount !== undefined))
  );
}
