import { type Database } from "bun:sqlite";
import {
  type CreditBeginResult,
  type CreditRefunds,
  type CreditRefundWish,
  MAX_PURCHASES,
  planCreditRefund,
  sentGrant,
} from "../credit-refunds.ts";
import { CREDIT_BOOK, CREDIT_SCHEME, isEndedPass, purchaseIn, purchaseOf, type StoredGrant } from "../credits.ts";
import { LEASE_MS, type Payment, type PaymentKey } from "../ledger.ts";
import { type NewNotice } from "../outbox.ts";
import {
  type BeginResult,
  planRefund,
  type Refund,
  type Refundable,
  REFUND_TURN_MS,
  refundedAfter,
  type RefundEnd,
  type RefundWish,
} from "../refunds.ts";
import { addition, subtraction } from "./migrations.ts";
import { readCredit } from "./sqlite-credits.ts";
import { type Bindings, keyOf, PAYMENT, type PaymentRow, toPayment } from "./sqlite-payment-row.ts";
import { type WriteTurns } from "./write-turns.ts";

const KEY = "network = $network AND asset = $asset AND payer_from = $from AND nonce = $nonce";

export const REFUND = `network, asset, payer_from AS "from", nonce, sequence, id, state, amount, valid_before AS validBefore,
  sent, tx AS "transaction", reason, requested_by AS "by", created_at AS createdAt, updated_at AS updatedAt`;

/** The same of what was given back of a prepaid balance: a row `g` of `credit_grants`, and `c` of `credits`. */
export const CREDIT_REFUND = `c.network, c.token, c.owner, '${CREDIT_BOOK}' || c.id, 0, g.payment, 'recorded',
  substr(g.amount, 2), 0, 0, g.payment, '', '', g.granted_at, g.granted_at`;

/** A row of the table `refunds`. SQLite has no booleans. */
export type RefundRow = Omit<Refund, "sent"> & { readonly sent: number };

/** Converts a row to a refund. */
export function toRefund(row: RefundRow): Refund {
  return { ...row, sent: row.sent === 1 };
}

const INSERT = `
  INSERT INTO refunds (network, asset, payer_from, nonce, sequence, id, state, amount, valid_before, tx, requested_by,
    due_at, created_at, updated_at)
  VALUES ($network, $asset, $from, $nonce, $sequence, $id, $state, $amount, $validBefore, $tx, $by, $now, $now, $now)`;

const CLAIM = `
  UPDATE refunds SET due_at = $until WHERE (network, asset, payer_from, nonce, sequence) IN (
    SELECT network, asset, payer_from, nonce, sequence FROM refunds
    WHERE state = 'pending' AND due_at <= $now ORDER BY due_at LIMIT $limit)
  RETURNING ${REFUND}`;

const END = `
  UPDATE refunds SET state = $state, tx = $tx, reason = $reason, updated_at = $now
  WHERE ${KEY} AND sequence = $sequence AND state = 'pending'`;

/** Each half reads an index that contains only such payments. The second has payments whose lease has expired. */
const OWED = `
  SELECT ${PAYMENT} FROM (
    SELECT * FROM payments WHERE state = 'settled' AND delivered = 0 AND held_until = 0
    UNION ALL
    SELECT * FROM payments WHERE held_until > 0 AND held_until < $steady AND state = 'settled' AND delivered = 0) AS p
  WHERE updated_at < $before AND refunded = '0' AND amount <> '0' AND lower(pay_to) IN (SELECT value FROM json_each($payees))
    AND scheme <> '${CREDIT_SCHEME}' AND NOT EXISTS (SELECT 1 FROM credit_grants AS g WHERE g.id = ${purchaseIn("p")})
  ORDER BY updated_at LIMIT $limit`;

/** `issued` credit was not paid for. */
const GRANTS = `
  SELECT id, kind, amount FROM credit_grants WHERE credit = $credit AND kind <> 'issued' ORDER BY granted_at DESC, id DESC`;
const PURCHASES = `
  SELECT ${PAYMENT}, held_until AS heldUntil FROM payments WHERE nonce IN (
    SELECT payment FROM credit_grants WHERE credit = $credit AND kind = 'bought'
    ORDER BY granted_at DESC, id DESC LIMIT ${MAX_PURCHASES})`;
const GRANT = `
  INSERT INTO credit_grants (id, credit, kind, amount, payment, granted_at)
  VALUES ($grant, $credit, 'sent', $amount, $nonce, $now)`;

type StoredPayment = PaymentRow & { readonly heldUntil: number };

interface Clocks {
  /** Unix milliseconds. */
  readonly now: () => number;
  /** The clock of leases. */
  readonly steady: () => number;
  readonly turns: WriteTurns;
}

/** The refunds in the ledger's database. Each write waits for the disk. */
export class SqliteRefunds implements CreditRefunds {
  readonly #database: Database;
  readonly #clocks: Clocks;

  constructor(database: Database, clocks: Clocks) {
    this.#database = database;
    this.#clocks = clocks;
  }

  begin(payment: PaymentKey, wish: RefundWish): Promise<BeginResult> {
    return this.#write(() => {
      const grant = this.#database.query(
        `SELECT 1 FROM credit_grants AS g JOIN credits AS c ON c.id = g.credit WHERE g.id = $id AND NOT ${isEndedPass("c")}`,
      );
      const isSpent = grant.get({ $id: purchaseOf(payment) }) !== null;
      const found = this.#refundable(this.#paymentRow(payment));
      const plan = planRefund({ ...found, isSpent }, wish, this.#clocks.now());
      if (plan.kind !== "begun" || found.payment === undefined) return plan;
      this.#insert(plan.refund, found.payment);
      if (plan.refund.state === "recorded") this.#post(wish.notice?.(plan.refund));
      return plan;
    });
  }

  beginCredit(wish: CreditRefundWish): Promise<CreditBeginResult> {
    const $credit = wish.credit;
    return this.#write(() => {
      const $now = this.#clocks.now();
      const grants = this.#database.query<StoredGrant, [Bindings]>(GRANTS).all({ $credit });
      const payments = this.#database
        .query<StoredPayment, [Bindings]>(PURCHASES)
        .all({ $credit })
        .map((row) => this.#refundable(row));
      const plan = planCreditRefund({ credit: readCredit(this.#database, $credit), grants, payments }, wish, $now);
      if (plan.kind !== "begun") return plan;
      for (const { refund, payment } of plan.parts) {
        const taken = { $grant: sentGrant(refund), $credit, $nonce: refund.nonce, $now };
        this.#run(GRANT, { ...taken, $amount: `-${refund.amount}` });
        this.#run(`UPDATE credits SET ${subtraction("$amount")} WHERE id = $credit`, {
          $credit,
          $amount: refund.amount,
        });
        this.#insert(refund, payment);
      }
      return plan;
    });
  }

  async claim(limit: number): Promise<readonly Refund[]> {
    const now = this.#clocks.now();
    // An UPDATE would wait for the write lock even if there is nothing to do.
    const due = this.#database.query("SELECT 1 FROM refunds WHERE state = 'pending' AND due_at <= $now LIMIT 1");
    if (due.get({ $now: now }) === null) return [];
    const claim = this.#database.query<RefundRow, [Bindings]>(CLAIM);
    const rows = await this.#write(() => claim.all({ $now: now, $until: now + REFUND_TURN_MS, $limit: limit }));
    return rows.map(toRefund);
  }

  sending(refund: Refund): Promise<boolean> {
    const sql = `UPDATE refunds SET sent = 1 WHERE ${KEY} AND sequence = $sequence AND state = 'pending'`;
    return this.#write(() => this.#run(sql, { ...keyOf(refund), $sequence: refund.sequence }));
  }

  async postpone(refund: Refund, dueAt: number, reason: string): Promise<void> {
    const sql = `UPDATE refunds SET due_at = $dueAt, reason = $reason
      WHERE ${KEY} AND sequence = $sequence AND state = 'pending'`;
    const bindings = { ...keyOf(refund), $sequence: refund.sequence, $dueAt: dueAt, $reason: reason };
    await this.#write(() => this.#run(sql, bindings));
  }

  end(refund: Refund, { state, transaction, reason, notice }: RefundEnd): Promise<boolean> {
    return this.#write(() => {
      const $now = this.#clocks.now();
      const bindings = {
        ...keyOf(refund),
        $sequence: refund.sequence,
        $state: state,
        $tx: transaction,
        $reason: reason,
      };
      if (!this.#run(END, { ...bindings, $now })) return false;
      const row = this.#paymentRow(refund);
      if (state === "failed" && row !== undefined) {
        this.#setRefunded(toPayment(row), refundedAfter(toPayment(row), refund, -1n));
        this.#giveBack(refund, $now);
      }
      this.#post(notice);
      return true;
    });
  }

  async owed(payees: readonly string[], before: number, limit: number): Promise<readonly Payment[]> {
    return this.#database
      .query<PaymentRow, [Bindings]>(OWED)
      .all({ $payees: JSON.stringify(payees), $before: before, $steady: this.#clocks.steady(), $limit: limit })
      .map(toPayment);
  }

  async pending(): Promise<number> {
    const count = this.#database.query<{ count: number }, []>(
      "SELECT count(*) AS count FROM refunds WHERE state = 'pending'",
    );
    return count.get()?.count ?? 0;
  }

  /** Returns the amount of a refund to the balance from which it was taken. */
  #giveBack(refund: Refund, $now: number): void {
    const $grant = sentGrant(refund);
    const grant = this.#database.query<{ credit: string }, [Bindings]>(
      "SELECT credit FROM credit_grants WHERE id = $grant",
    );
    const $credit = grant.get({ $grant })?.credit;
    if ($credit === undefined) return;
    const back = { $grant: `${$grant}:failed`, $credit, $amount: refund.amount };
    this.#run(GRANT, { ...back, $nonce: refund.nonce, $now });
    this.#run(`UPDATE credits SET ${addition("$amount")} WHERE id = $credit`, { $credit, $amount: refund.amount });
  }

  #insert(refund: Refund, payment: Payment): void {
    const { sequence, id, state, amount, validBefore, transaction, by, createdAt } = refund;
    this.#database.query<unknown, [Bindings]>(INSERT).run({
      ...keyOf(payment),
      $sequence: sequence,
      $id: id,
      $state: state,
      $amount: amount,
      $validBefore: validBefore,
      $tx: transaction,
      $by: by,
      $now: createdAt,
    });
    this.#setRefunded(payment, refundedAfter(payment, refund, 1n));
  }

  #refundable(row: StoredPayment | undefined): Omit<Refundable, "isSpent"> {
    if (row === undefined) return { payment: undefined, isLeased: false, standing: [] };
    const payment = toPayment(row);
    const standing = this.#database
      .query<RefundRow, [Bindings]>(`SELECT ${REFUND} FROM refunds WHERE ${KEY}`)
      .all(keyOf(payment))
      .map(toRefund);
    const steady = this.#clocks.steady();
    // A lease that ends later than any new one was made before the machine was restarted.
    return { payment, isLeased: row.heldUntil >= steady && row.heldUntil <= steady + 2 * LEASE_MS, standing };
  }

  #write<T>(write: () => T): Promise<T> {
    const transaction = this.#database.transaction(write);
    return this.#clocks.turns.run(() => transaction.immediate());
  }

  #post(notice: NewNotice | undefined): void {
    if (notice === undefined) return;
    const sql = `INSERT INTO outbox (id, url, body, due_at, created_at) VALUES ($id, $url, $body, $now, $now)
      ON CONFLICT DO NOTHING`;
    this.#run(sql, { $id: notice.id, $url: notice.url, $body: notice.body, $now: this.#clocks.now() });
  }

  /** True if a row was changed. */
  #run(sql: string, bindings: Bindings): boolean {
    return this.#database.query<unknown, [Bindings]>(sql).run(bindings).changes > 0;
  }

  #paymentRow(payment: PaymentKey): StoredPayment | undefined {
    const sql = `SELECT ${PAYMENT}, held_until AS heldUntil FROM payments WHERE ${KEY}`;
    const found = this.#database.query<StoredPayment, [Bindings]>(sql).get(keyOf(payment));
    return found ?? undefined;
  }

  /** The payment counts as changed, so that it is kept as long as its refund. */
  #setRefunded(payment: PaymentKey, refunded: string): void {
    const sql = `UPDATE payments SET refunded = $refunded, updated_at = $now WHERE ${KEY}`;
    this.#run(sql, { ...keyOf(payment), $refunded: refunded, $now: this.#clocks.now() });
  }
}
