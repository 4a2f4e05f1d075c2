import { CREDIT_BOOK, CREDIT_SCHEME, isEndedPass, purchaseIn, purchaseOf } from "../credits.ts";
import { type Payment, type PaymentKey } from "../ledger.ts";
import {
  type BeginResult,
  planRefund,
  type Refund,
  REFUND_STATES,
  REFUND_TURN_MS,
  refundedAfter,
  type RefundEnd,
  type Refunds,
  type RefundWish,
} from "../refunds.ts";
import { statement } from "./connection.ts";
import { type Database, NOW } from "./database.ts";
import { keyOf, PAYMENT, toPayment } from "./payment-row.ts";
import { PostgresError } from "./postgres-error.ts";
import { CREDIT_GRANTS, CREDITS, OUTBOX, PAYMENTS, REFUNDS } from "./schema.ts";

/** The columns of a refund, in the order in which they are read. */
const NAMES = [
  "network",
  "asset",
  "payer_from",
  "nonce",
  "sequence",
  "id",
  "state",
  "amount",
  "valid_before",
  "sent",
  "tx",
  "reason",
  "requested_by",
  "created_at",
  "updated_at",
];

/** The columns for SELECT and RETURNING, with `r` as the name of the table. */
export const REFUND = NAMES.map((name) => `r.${name}`).join(", ");

/** The same of what was given back of a prepaid balance: a row `g` of `CREDIT_GRANTS`, and `c` of `CREDITS`. */
export const CREDIT_REFUND = `c.network, c.token, c.owner, '${CREDIT_BOOK}' || c.id, 0, g.payment, 'recorded',
  -g.amount, 0, false, g.payment, '', '', g.granted_at, g.granted_at`;

/** Converts a row with the columns of `REFUND`. Throws if its state is not one that this program writes. */
export function toRefund(row: readonly (string | null)[]): Refund {
  const at = (name: string): string => row[NAMES.indexOf(name)] ?? "";
  const state = REFUND_STATES.find((known) => known === at("state"));
  if (state === undefined) throw new PostgresError("protocol", "a refund has a state that is not known");
  return {
    network: at("network"),
    asset: at("asset"),
    from: at("payer_from"),
    nonce: at("nonce"),
    sequence: Number(at("sequence")),
    id: at("id"),
    state,
    amount: at("amount"),
    validBefore: Number(at("valid_before")),
    sent: at("sent") === "t",
    transaction: at("tx"),
    reason: at("reason"),
    by: at("requested_by"),
    createdAt: Number(at("created_at")),
    updatedAt: Number(at("updated_at")),
  };
}

const OF_PAYMENT = "network = $1 AND asset = $2 AND payer_from = $3 AND nonce = $4";
const PENDING_ONE = `${OF_PAYMENT} AND sequence = $5::int AND state = 'pending'`;

const CLAIM = statement(`
  WITH due AS MATERIALIZED (
    SELECT network, asset, payer_from, nonce, sequence FROM ${REFUNDS}
    WHERE state = 'pending' AND due_at <= ${NOW} ORDER BY due_at LIMIT $2::int FOR UPDATE SKIP LOCKED)
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
      AND p.nonce = ended.nonce),
  posted AS (
    INSERT INTO ${OUTBOX} (id, url, body, due_at, created_at)
    SELECT $10, $11, $12, ended.updated_at, ended.updated_at FROM ended WHERE $10::text IS NOT NULL ON CONFLICT DO NOTHING)
  SELECT 1 FROM ended`);
const OWED = statement(`
  SELECT ${PAYMENT} FROM ${PAYMENTS} AS p
  WHERE p.state = 'settled' AND NOT p.delivered AND p.held_until < ${NOW} AND p.updated_at < $2::bigint
    AND p.refunded = 0 AND p.amount > 0 AND lower(p.pay_to) = ANY (string_to_array($3, ','))
    AND p.scheme <> '${CREDIT_SCHEME}' AND NOT EXISTS (SELECT 1 FROM ${CREDIT_GRANTS} AS g WHERE g.id = ${purchaseIn("p")})
  ORDER BY p.updated_at LIMIT $4::int`);
const PENDING = statement(`SELECT count(*) FROM ${REFUNDS} WHERE state = 'pending'`);

/** The refunds in the ledger's database. */
export class PostgresRefunds implements Refunds {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  begin(payment: PaymentKey, wish: RefundWish): Promise<BeginResult> {
    const key = keyOf(payment);
    return this.#database.transaction("", async (run) => {
      // The row stays locked until the commit, so that the sum of refunds is read and written by one process at a time.
      const [row] = await run(
        `SELECT ${PAYMENT}, p.held_until, coalesce($5::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
         FROM ${PAYMENTS} AS p WHERE ${OF_PAYMENT} FOR UPDATE`,
        [...key, this.#database.clock],
      );
      const standing = (await run(`SELECT ${REFUND} FROM ${REFUNDS} AS r WHERE ${OF_PAYMENT}`, key)).map(toRefund);
      const grants = await run(
        `SELECT 1 FROM ${CREDIT_GRANTS} AS g JOIN ${CREDITS} AS c ON c.id = g.credit
         WHERE g.id = $1 AND NOT ${isEndedPass("c")}`,
        [purchaseOf(payment)],
      );
      const isSpent = grants.length > 0;
      const [heldUntil, now] = row?.slice(-2).map(Number) ?? [];
      if (row === undefined || now === undefined || heldUntil === undefined) return { kind: "refused", why: "absent" };
      const found = toPayment(row);
      const plan = planRefund({ payment: found, isLeased: heldUntil >= now, isSpent, standing }, wish, now);
      if (plan.kind !== "begun") return plan;
      const { sequence, id, state, amount, validBefore, transaction, by } = plan.refund;
      await run(
        `INSERT INTO ${REFUNDS} (network, asset, payer_from, nonce, sequence, id, state, amount, valid_before, tx,
           requested_by, due_at, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5::int, $6, $7, $8::numeric, $9::bigint, $10, $11, $12::bigint, $12::bigint, $12::bigint)`,
        [...key, sequence, id, state, amount, validBefore, transaction, by, now],
      );
      await run(`UPDATE ${PAYMENTS} SET refunded = $5::numeric, updated_at = $6::bigint WHERE ${OF_PAYMENT}`, [
        ...key,
        refundedAfter(found, plan.refund, 1n),
        now,
      ]);
      const notice = state === "recorded" ? wish.notice?.(plan.refund) : undefined;
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
    const values = [this.#database.clock, ...named(refund), state, transaction, reason, ...posted];
    return (await this.#database.durable(END, values)).count > 0;
  }

  async owed(payees: readonly string[], before: number, limit: number): Promise<readonly Payment[]> {
    const values = [this.#database.clock, before, payees.join(","), limit];
    return (await this.#database.read(OWED, values)).rows.map(toPayment);
  }

  async pending(): Promise<number> {
    return Number((await this.#database.read(PENDING, [])).rows[0]?.[0] ?? 0);
  }
}

function named(refund: Refund) {
  return [...keyOf(refund), refund.sequence];
}
