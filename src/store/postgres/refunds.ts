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
import { CREDIT_BOOK, CREDIT_SCHEME, isEndedPass, purchaseIn, purchaseOf } from "../credits.ts";
import { LEASE_MS, type Payment, type PaymentKey } from "../ledger.ts";
import {
  type BeginResult,
  planRefund,
  type Refund,
  REFUND_STATES,
  MAX_REFUND_WAIT_MS,
  REFUND_TURN_MS,
  refundedAfter,
  type RefundEnd,
  type RefundWish,
} from "../refunds.ts";
import { MOST_DRIFT_MS } from "./clock-watch.ts";
import { Columns, asFlag, asNumber, oneOf, asText } from "./columns.ts";
import { type Row, statement } from "./connection.ts";
import { CREDIT, toCredit } from "./credits.ts";
import { type Database, NOW, type Run } from "./database.ts";
import { free } from "./ledger-statements.ts";
import { type PostgresLedger } from "./ledger.ts";
import { keyOf, PAYMENT, toPayment } from "./payment-row.ts";
import { CREDIT_GRANTS, CREDITS, OUTBOX, PAYMENTS, REFUNDS } from "./schema.ts";

const COLUMNS = new Columns<Refund>({
  network: asText,
  asset: asText,
  from: ["payer_from", asText],
  nonce: asText,
  sequence: asNumber,
  id: asText,
  state: oneOf(REFUND_STATES, "a refund has a state"),
  amount: asText,
  validBefore: asNumber,
  sent: asFlag,
  transaction: ["tx", asText],
  reason: asText,
  by: ["requested_by", asText],
  createdAt: asNumber,
  updatedAt: asNumber,
});

/** The columns for SELECT and RETURNING, with `r` as the name of the table. */
export const REFUND = COLUMNS.of("r");
export const toRefund = COLUMNS.read;

/** The same of what was given back of a prepaid balance: a row `g` of `CREDIT_GRANTS`, and `c` of `CREDITS`. */
export const CREDIT_REFUND = `c.network, c.token, c.owner, '${CREDIT_BOOK}' || c.id, 0, g.payment, 'recorded',
  -g.amount, 0, false, g.payment, '', '', g.granted_at, g.granted_at`;

const OF_PAYMENT = "network = $1 AND asset = $2 AND payer_from = $3 AND nonce = $4";
const PENDING_ONE = `${OF_PAYMENT} AND sequence = $5::int AND state = 'pending'`;

const CLAIM = statement(`
  WITH due AS MATERIALIZED (
    SELECT network, asset, payer_from, nonce, sequence FROM ${REFUNDS}
    WHERE state = 'pending' AND ${isDue("due_at", NOW, MAX_REFUND_WAIT_MS)} ORDER BY due_at LIMIT $2::int FOR UPDATE SKIP LOCKED)
  UPDATE ${REFUNDS} AS r SET due_at = ${NOW} + ${REFUND_TURN_MS} FROM due
  WHERE (r.network, r.asset, r.payer_from, r.nonce, r.sequence) = (due.network, due.asset, due.payer_from, due.nonce, due.sequence)
  RETURNING ${REFUND}`);
const SENDING = statement(`UPDATE ${REFUNDS} SET sent = true WHERE ${PENDING_ONE}`);
const POSTPONE = statement(`UPDATE ${REFUNDS} SET due_at = $6::bigint, reason = $7 WHERE ${PENDING_ONE}`);
const END = statement(`
  WITH ended AS (
    UPDATE ${REFUNDS} AS r SET state = $7, tx = $8, reason = $9, updated_at = ${NOW}
    WHERE r.network = $2 AND r.asset = $3 AND r.payer_from = $4 AND r.nonce = $5 AND r.sequence = $6::int
      AND r.state = 'pending' RETURNING r.*),
  returned AS (
    UPDATE ${PAYMENTS} AS p SET updated_at = ended.updated_at,
      refunded = p.refunded - CASE WHEN ended.state = 'failed' THEN ended.amount ELSE 0 END
    FROM ended WHERE p.network = ended.network AND p.asset = ended.asset AND p.payer_from = ended.payer_from
      AND p.nonce = ended.nonce RETURNING ended.*),
  back AS (
    INSERT INTO ${CREDIT_GRANTS} (id, credit, kind, amount, payment, granted_at)
    SELECT g.id || ':failed', g.credit, g.kind, returned.amount, g.payment, returned.updated_at
    FROM returned, ${CREDIT_GRANTS} AS g WHERE returned.state = 'failed' AND g.id = $13 RETURNING credit, amount),
  balanced AS (UPDATE ${CREDITS} AS c SET balance = c.balance + back.amount FROM back WHERE c.id = back.credit),
  posted AS (
    INSERT INTO ${OUTBOX} (id, url, body, due_at, created_at)
    SELECT $10, $11, $12, ended.updated_at, ended.updated_at FROM ended WHERE $10::text IS NOT NULL ON CONFLICT DO NOTHING)
  SELECT 1 FROM ended`);
const OWED = statement(`
  SELECT ${PAYMENT} FROM ${PAYMENTS} AS p
  WHERE p.state = 'settled' AND NOT p.delivered AND ${free(NOW, "$5")} AND p.updated_at < $2::bigint
    AND p.updated_at < ${NOW} - $6::bigint
    AND p.refunded = 0 AND p.amount > 0 AND lower(p.pay_to) = ANY (string_to_array($3, ','))
    AND p.scheme NOT IN ('${CREDIT_SCHEME}', '${CHANNEL_SCHEME}')
    AND NOT EXISTS (SELECT 1 FROM ${CREDIT_GRANTS} AS g WHERE g.id = ${purchaseIn("p")})
  ORDER BY p.updated_at LIMIT $4::int`);
/** Issued credit was not paid for. */
const BOUGHT = `
  SELECT id, payment FROM ${CREDIT_GRANTS} WHERE credit = $1 AND kind = 'bought'
  ORDER BY granted_at DESC, id DESC LIMIT ${MAX_PURCHASES}`;
/** In the order in which others lock them: payments before the credit. */
const PURCHASES = `
  SELECT ${PAYMENT} FROM ${PAYMENTS} AS p WHERE p.nonce IN (SELECT payment FROM (${BOUGHT}) AS bought)
  ORDER BY p.network, p.asset, p.payer_from, p.nonce FOR UPDATE`;
const PENDING = statement(`SELECT count(*) FROM ${REFUNDS} WHERE state = 'pending'`);

/** The refunds in the ledger's database. */
export class PostgresRefunds implements CreditRefunds {
  readonly #database: Database;
  readonly #ledger: Pick<PostgresLedger, "expectedTime">;
  readonly #ownNow: () => number;

  /** `ownNow` gives the Unix milliseconds of this machine. */
  constructor(database: Database, ledger: Pick<PostgresLedger, "expectedTime">, ownNow: () => number) {
    this.#database = database;
    this.#ledger = ledger;
    this.#ownNow = ownNow;
  }

  begin(payment: PaymentKey, wish: RefundWish): Promise<BeginResult> {
    const key = keyOf(payment);
    return this.#database.transaction("", async (run) => {
      // The row stays locked until the commit, so that the sum of refunds is read and written by one process at a time.
      const [row] = await run(
        `SELECT ${PAYMENT}, p.held_until FROM ${PAYMENTS} AS p WHERE ${OF_PAYMENT} FOR UPDATE`,
        key,
      );
      if (row === undefined) return { kind: "refused", why: "absent" };
      const now = await this.#now(run);
      const isLeased = this.#isLeased(Number(row.at(-1)), now);
      const found = { ...(await refundable(run, row)), isLeased };
      const grants = await run(
        `SELECT 1 FROM ${CREDIT_GRANTS} AS g JOIN ${CREDITS} AS c ON c.id = g.credit
         WHERE g.id = $1 AND NOT ${isEndedPass("c")}`,
        [purchaseOf(payment)],
      );
      const isSpent = grants.length > 0;
      const plan = planRefund({ ...found, isSpent }, wish, now);
      if (plan.kind !== "begun") return plan;
      if (plan.was === undefined) await insert(run, plan.refund, found.payment);
      else if (!(await record(run, plan.refund, plan.was))) return { kind: "refused", why: "busy" };
      const notice = plan.refund.state === "recorded" ? wish.notice?.(plan.refund) : undefined;
      if (notice !== undefined) {
        await run(
          `INSERT INTO ${OUTBOX} (id, url, body, due_at, created_at)
           VALUES ($1, $2, $3, $4::bigint, $4::bigint) ON CONFLICT DO NOTHING`,
          [notice.id, notice.url, notice.body, now],
        );
      }
      return plan;
    });
  }

  beginCredit(wish: CreditRefundWish): Promise<CreditBeginResult> {
    return this.#database.transaction("", async (run) => {
      const rows = await run(PURCHASES, [wish.credit]);
      const [credit] = await run(`SELECT ${CREDIT} FROM ${CREDITS} AS c WHERE c.id = $1 FOR UPDATE`, [wish.credit]);
      // Grants change with the balance, which is locked.
      const grants = await run(BOUGHT, [wish.credit]);
      const [recorded] = await run(
        `SELECT -sum(amount) FROM ${CREDIT_GRANTS} WHERE credit = $1 AND kind = 'refunded'`,
        [wish.credit],
      );
      const now = await this.#now(run);
      const payments = [];
      for (const row of rows) payments.push(await refundable(run, row));
      const purchases = grants.map(([id]) => id ?? "");
      const found = { credit: credit && toCredit(credit), purchases, payments, recorded: BigInt(recorded?.[0] ?? 0) };
      const plan = planCreditRefund(found, wish, now);
      if (plan.kind !== "begun") return plan;
      for (const { refund, payment } of plan.parts) {
        await run(
          `INSERT INTO ${CREDIT_GRANTS} (id, credit, kind, amount, payment, granted_at)
           VALUES ($1, $2, 'sent', -$3::numeric, $4, $5::bigint)`,
          [sentGrant(refund), wish.credit, refund.amount, refund.nonce, now],
        );
        await run(`UPDATE ${CREDITS} SET balance = balance - $2::numeric WHERE id = $1`, [wish.credit, refund.amount]);
        await insert(run, refund, payment);
      }
      return plan;
    });
  }

  async claim(limit: number): Promise<readonly Refund[]> {
    return (await this.#database.durable(CLAIM, [this.#database.clock, limit])).rows.map(toRefund);
  }

  async sending(refund: Refund): Promise<boolean> {
    return (await this.#database.durable(SENDING, named(refund))).count > 0;
  }

  async postpone(refund: Refund, dueAt: number, reason: string): Promise<void> {
    await this.#database.durable(POSTPONE, [...named(refund), dueAt, reason]);
  }

  async end(refund: Refund, { state, transaction, reason, notice }: RefundEnd): Promise<boolean> {
    const posted = [notice?.id ?? null, notice?.url ?? null, notice?.body ?? null];
    const values = [this.#database.clock, ...named(refund), state, transaction, reason, ...posted, sentGrant(refund)];
    return (await this.#database.durable(END, values)).count > 0;
  }

  async owed(payees: readonly string[], before: number, limit: number): Promise<readonly Payment[]> {
    const { clock } = this.#database;
    // By the clocks of this machine and of the database: one wrong clock sends no money.
    const values = [clock, before, payees.join(","), limit, this.#ledger.expectedTime ?? null, this.#ownNow() - before];
    return (await this.#database.read(OWED, values)).rows.map(toPayment);
  }

  /** As `free` of the ledger's statements: whether a request may be receiving the response. */
  #isLeased(heldUntil: number, now: number): boolean {
    const expected = this.#ledger.expectedTime;
    if (heldUntil === 0) return false;
    if (expected === undefined || Math.abs(now - expected) > MOST_DRIFT_MS) return true;
    return heldUntil >= now && heldUntil <= now + 2 * LEASE_MS;
  }

  /** Unix milliseconds. Read after the locks: the time of the transaction's begin may be long ago. */
  async #now(run: Run): Promise<number> {
    const [row] = await run("SELECT coalesce($1::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)", [
      this.#database.clock,
    ]);
    return Number(row?.[0]);
  }

  async pending(): Promise<number> {
    return Number((await this.#database.read(PENDING, [])).rows[0]?.[0]);
  }
}

async function refundable(run: Run, row: Row) {
  const payment = toPayment(row);
  const refunds = await run(`SELECT ${REFUND} FROM ${REFUNDS} AS r WHERE ${OF_PAYMENT}`, keyOf(payment));
  return { payment, standing: refunds.map(toRefund) };
}

async function insert(run: Run, refund: Refund, payment: Payment): Promise<void> {
  const { sequence, id, state, amount, validBefore, transaction, by, createdAt } = refund;
  await run(
    `INSERT INTO ${REFUNDS} (network, asset, payer_from, nonce, sequence, id, state, amount, valid_before, tx,
       requested_by, due_at, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5::int, $6, $7, $8::numeric, $9::bigint, $10, $11, $12::bigint, $12::bigint, $12::bigint)`,
    [...keyOf(payment), sequence, id, state, amount, validBefore, transaction, by, createdAt],
  );
  await run(`UPDATE ${PAYMENTS} SET refunded = $5::numeric, updated_at = $6::bigint WHERE ${OF_PAYMENT}`, [
    ...keyOf(payment),
    refundedAfter(payment, refund, 1n),
    createdAt,
  ]);
}

/** The pending refund `was` ends as `refund`. False: it has been sent, or has ended, meanwhile. */
async function record(run: Run, refund: Refund, was: Refund): Promise<boolean> {
  const { amount, transaction, by, updatedAt } = refund;
  const recorded = await run(
    `UPDATE ${REFUNDS} SET state = 'recorded', amount = $6::numeric, tx = $7, reason = '', requested_by = $8,
       updated_at = $9::bigint WHERE ${PENDING_ONE} AND sent = $10::boolean RETURNING 1`,
    [...named(refund), amount, transaction, by, updatedAt, String(was.sent)],
  );
  if (recorded.length === 0) return false;
  await run(
    `UPDATE ${PAYMENTS} SET refunded = refunded - $5::numeric + $6::numeric, updated_at = $7::bigint WHERE ${OF_PAYMENT}`,
    [...keyOf(refund), was.amount, amount, updatedAt],
  );
  const back = String(BigInt(was.amount) - BigInt(amount));
  await run(
    `WITH back AS (
       INSERT INTO ${CREDIT_GRANTS} (id, credit, kind, amount, payment, granted_at)
       SELECT g.id || ':failed', g.credit, g.kind, $2::numeric, g.payment, $3::bigint FROM ${CREDIT_GRANTS} AS g
       WHERE g.id = $1 AND $2::numeric > 0 RETURNING credit, amount)
     UPDATE ${CREDITS} AS c SET balance = c.balance + back.amount FROM back WHERE c.id = back.credit`,
    [sentGrant(refund), back, updatedAt],
  );
  return true;
}

function named(refund: Refund) {
  return [...keyOf(refund), refund.sequence];
}
