import { CHANNEL_SCHEME } from "../channels.ts";
import { isDue } from "../due.ts";
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
  MAX_REFUND_WAIT_MS,
  REFUND_TURN_MS,
  refundedAfter,
  type RefundEnd,
  type RefundWish,
} from "../refunds.ts";
import { addition, joined, partOf, subtraction } from "./sums.ts";
import { readCredit } from "./sqlite-credits.ts";
import { type SqliteConnection } from "./sqlite-connection.ts";
import { POST } from "./sqlite-outbox.ts";
import { OF_KEY, PAYMENT, type PaymentRow, toPayment } from "./sqlite-payment-row.ts";

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
  VALUES ($network, $asset, $from, $nonce, $sequence, $id, $state, $amount, $validBefore, $transaction, $by, $createdAt, $createdAt, $createdAt)`;

const DUE = `state = 'pending' AND ${isDue("due_at", "$now", MAX_REFUND_WAIT_MS)}`;

const CLAIM = `
  UPDATE refunds SET due_at = $until WHERE (network, asset, payer_from, nonce, sequence) IN (
    SELECT network, asset, payer_from, nonce, sequence FROM refunds
    WHERE ${DUE} ORDER BY due_at LIMIT $limit)
  RETURNING ${REFUND}`;

const ONE = `${OF_KEY} AND sequence = $sequence AND state = 'pending'`;

const END = `
  UPDATE refunds SET state = $state, tx = $transaction, reason = $reason, updated_at = $now WHERE ${ONE}`;

const RECORD = `
  UPDATE refunds SET state = $state, amount = $amount, tx = $transaction, reason = '', requested_by = $by, updated_at = $updatedAt
  WHERE ${ONE}`;

/** Each half reads an index that contains only such payments. The second has payments whose lease has expired. */
const OWED = `
  SELECT ${PAYMENT} FROM (
    SELECT * FROM payments WHERE state = 'settled' AND delivered = 0 AND held_until = 0
    UNION ALL
    SELECT * FROM payments WHERE held_until > 0 AND held_until < $steady AND state = 'settled' AND delivered = 0) AS p
  WHERE updated_at < $before AND refunded = '0' AND amount <> '0' AND lower(pay_to) IN (SELECT value FROM json_each($payees))
    AND scheme NOT IN ('${CREDIT_SCHEME}', '${CHANNEL_SCHEME}') AND NOT EXISTS (SELECT 1 FROM credit_grants AS g WHERE g.id = ${purchaseIn("p")})
  ORDER BY updated_at LIMIT $limit`;

/** `issued` credit was not paid for. */
const GRANTS = `
  SELECT id, payment FROM credit_grants WHERE credit = $credit AND kind = 'bought'
  ORDER BY granted_at DESC, id DESC LIMIT ${MAX_PURCHASES}`;
/** As text, because the sums exceed the integers of JavaScript. */
const RECORDED = `
  SELECT CAST(sum(${partOf("substr(amount, 2)", "high")}) AS TEXT) AS high,
    CAST(sum(${partOf("substr(amount, 2)", "low")}) AS TEXT) AS low
  FROM credit_grants WHERE credit = $credit AND kind = 'refunded'`;
const PURCHASES = `
  SELECT ${PAYMENT}, held_until AS heldUntil FROM payments WHERE nonce IN (SELECT payment FROM (${GRANTS}))`;
const GRANT = `
  INSERT INTO credit_grants (id, credit, kind, amount, payment, granted_at)
  VALUES ($grant, $credit, 'sent', $amount, $nonce, $now)`;

/** The sums of both parts of amounts; null without a row. */
interface Parts {
  readonly high: string | null;
  readonly low: string | null;
}

function sumOfParts(parts: Parts | undefined): bigint {
  return BigInt(joined(parts?.high, parts?.low));
}

type StoredPayment = PaymentRow & { readonly heldUntil: number };

/** The refunds in the ledger's database. Each write waits for the disk. */
export class SqliteRefunds implements CreditRefunds {
  readonly #file: SqliteConnection;

  constructor(file: SqliteConnection) {
    this.#file = file;
  }

  begin(payment: PaymentKey, wish: RefundWish): Promise<BeginResult> {
    return this.#file.transaction(() => {
      const grant = `SELECT 1 FROM credit_grants AS g JOIN credits AS c ON c.id = g.credit
        WHERE g.id = $id AND NOT ${isEndedPass("c")}`;
      const isSpent = this.#file.get(grant, { id: purchaseOf(payment) }) !== undefined;
      const found = this.#refundable(this.#paymentRow(payment));
      const plan = planRefund({ ...found, isSpent }, wish, this.#file.now());
      if (plan.kind !== "begun" || found.payment === undefined) return plan;
      if (plan.was === undefined) this.#insert(plan.refund, found.payment);
      else this.#record(plan.refund, plan.was, found.payment);
      if (plan.refund.state === "recorded") this.#post(wish.notice?.(plan.refund));
      return plan;
    });
  }

  beginCredit(wish: CreditRefundWish): Promise<CreditBeginResult> {
    const { credit } = wish;
    return this.#file.transaction(() => {
      const now = this.#file.now();
      const found = {
        credit: readCredit(this.#file, credit),
        purchases: this.#file.all<Pick<StoredGrant, "id">>(GRANTS, { credit }).map(({ id }) => id),
        recorded: sumOfParts(this.#file.get<Parts>(RECORDED, { credit })),
        payments: this.#file.all<StoredPayment>(PURCHASES, { credit }).map((row) => this.#refundable(row)),
      };
      const plan = planCreditRefund(found, wish, now);
      if (plan.kind !== "begun") return plan;
      for (const { refund, payment } of plan.parts) {
        const { amount, nonce } = refund;
        this.#file.run(GRANT, { grant: sentGrant(refund), credit, nonce, now, amount: `-${amount}` });
        this.#file.run(`UPDATE credits SET ${subtraction("$amount")} WHERE id = $credit`, { credit, amount });
        this.#insert(refund, payment);
      }
      return plan;
    });
  }

  async claim(limit: number): Promise<readonly Refund[]> {
    const now = this.#file.now();
    // An UPDATE would wait for the write lock even if there is nothing to do.
    if (this.#file.get(`SELECT 1 FROM refunds WHERE ${DUE} LIMIT 1`, { now }) === undefined) return [];
    const claimed = { now, until: now + REFUND_TURN_MS, limit };
    const rows = await this.#file.transaction(() => this.#file.all<RefundRow>(CLAIM, claimed));
    return rows.map(toRefund);
  }

  async sending(refund: Refund): Promise<boolean> {
    return (await this.#file.write(`UPDATE refunds SET sent = 1 WHERE ${ONE}`, refund)) > 0;
  }

  async postpone(refund: Refund, dueAt: number, reason: string): Promise<void> {
    const sql = `UPDATE refunds SET due_at = $dueAt, reason = $reason WHERE ${ONE}`;
    await this.#file.write(sql, { ...refund, dueAt, reason });
  }

  end(refund: Refund, end: RefundEnd): Promise<boolean> {
    return this.#file.transaction(() => {
      const now = this.#file.now();
      if (this.#file.run(END, { ...refund, ...end, now }) === 0) return false;
      const row = this.#paymentRow(refund);
      if (row !== undefined) {
        const payment = toPayment(row);
        this.#setRefunded(payment, end.state === "failed" ? refundedAfter(payment, refund, -1n) : payment.refunded);
      }
      if (end.state === "failed") this.#giveBack(refund, now);
      this.#post(end.notice);
      return true;
    });
  }

  async owed(payees: readonly string[], before: number, limit: number): Promise<readonly Payment[]> {
    const values = { payees: JSON.stringify(payees), before, steady: this.#file.steady(), limit };
    return this.#file.all<PaymentRow>(OWED, values).map(toPayment);
  }

  async pending(): Promise<number> {
    const sql = "SELECT count(*) AS count FROM refunds WHERE state = 'pending'";
    return this.#file.get<{ count: number }>(sql)?.count ?? 0;
  }

  /** Returns the amount of a refund to the balance from which it was taken. */
  #giveBack(refund: Refund, now: number): void {
    const grant = sentGrant(refund);
    const sql = "SELECT credit FROM credit_grants WHERE id = $grant";
    const credit = this.#file.get<{ credit: string }>(sql, { grant })?.credit;
    if (credit === undefined) return;
    this.#file.run(GRANT, { ...refund, grant: `${grant}:failed`, credit, now });
    this.#file.run(`UPDATE credits SET ${addition("$amount")} WHERE id = $credit`, { ...refund, credit });
  }

  #insert(refund: Refund, payment: Payment): void {
    this.#file.run(INSERT, refund);
    this.#setRefunded(payment, refundedAfter(payment, refund, 1n));
  }

  /** The pending refund `was` ends as `refund`. */
  #record(refund: Refund, was: Refund, payment: Payment): void {
    this.#file.run(RECORD, refund);
    const back = BigInt(was.amount) - BigInt(refund.amount);
    this.#setRefunded(payment, String(BigInt(payment.refunded) - back));
    if (back > 0n) this.#giveBack({ ...was, amount: String(back) }, refund.updatedAt);
  }

  #refundable(row: StoredPayment | undefined): Omit<Refundable, "isSpent"> {
    if (row === undefined) return { payment: undefined, isLeased: false, standing: [] };
    const payment = toPayment(row);
    const standing = this.#file.all<RefundRow>(`SELECT ${REFUND} FROM refunds WHERE ${OF_KEY}`, payment).map(toRefund);
    const steady = this.#file.steady();
    // A lease that ends later than any new one was made before the machine was restarted.
    return { payment, isLeased: row.heldUntil >= steady && row.heldUntil <= steady + 2 * LEASE_MS, standing };
  }

  #post(notice: NewNotice | undefined): void {
    if (notice !== undefined) this.#file.run(POST, { ...notice, now: this.#file.now() });
  }

  #paymentRow(payment: PaymentKey): StoredPayment | undefined {
    return this.#file.get(`SELECT ${PAYMENT}, held_until AS heldUntil FROM payments WHERE ${OF_KEY}`, payment);
  }

  /** The payment counts as changed, so that it is kept as long as its refund. */
  #setRefunded(payment: PaymentKey, refunded: string): void {
    const sql = `UPDATE payments SET refunded = $refunded, updated_at = $now WHERE ${OF_KEY}`;
    this.#file.run(sql, { ...payment, refunded, now: this.#file.now() });
  }
}
