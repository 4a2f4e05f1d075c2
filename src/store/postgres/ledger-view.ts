import { type Payment, type PaymentKey } from "../ledger.ts";
import { type Refund } from "../refunds.ts";
import {
  type LedgerFilter,
  type LedgerView,
  MAX_FOUND,
  MAY_HAVE_PAID,
  type Position,
  type SoldOnDay,
  type Standing,
  type Times,
  type Total,
} from "../ledger-view.ts";
import { Columns, each, asNumber, asText } from "./columns.ts";
import { statement } from "./connection.ts";
import { type Database, NOW } from "./database.ts";
import { type Statement, type Value } from "./messages.ts";
import { keyOf, PAYMENT, toPayment } from "./payment-row.ts";
import { CREDIT_REFUND, REFUND, toRefund } from "./refunds.ts";
import { CREDIT_GRANTS, CREDITS, PAYMENTS, REFUNDS } from "./schema.ts";

/** A value that the filter leaves out is null, and matches all payments. */
const FILTER = `
  ($1::text IS NULL OR p.state = ANY (string_to_array($1, ','))) AND ($2::text IS NULL OR p.route = $2)
  AND ($3::text IS NULL OR p.payer_from = $3) AND ($4::bigint IS NULL OR p.created_at >= $4)
  AND ($5::bigint IS NULL OR p.created_at < $5) AND ($6::int IS NULL OR (p.state = 'settled' AND NOT p.delivered AND p.refunded = 0))
  AND ($7::int IS NULL OR p.refunded <> 0)`;

const ORDER = "p.created_at DESC, p.network DESC, p.asset DESC, p.payer_from DESC, p.nonce DESC";

const LIST = statement(`SELECT ${PAYMENT} FROM ${PAYMENTS} AS p WHERE ${FILTER} ORDER BY ${ORDER} LIMIT $8::int`);
const LIST_BEHIND = statement(
  `SELECT ${PAYMENT} FROM ${PAYMENTS} AS p
   WHERE ${FILTER} AND (p.created_at, p.network, p.asset, p.payer_from, p.nonce) < ($9::bigint, $10, $11, $12, $13)
   ORDER BY ${ORDER} LIMIT $8::int`,
);

function totalsBy(key: string): Statement {
  return statement(
    `SELECT ${key}, p.network, p.token, sum(p.amount), sum(p.refunded), count(*) FROM ${PAYMENTS} AS p
     WHERE p.state = 'settled' AND ${FILTER} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  );
}

const TOTAL = new Columns<Total>({
  ...each(asText, "key", "network", "token", "amount", "refunded"),
  payments: asNumber,
});
const TOTALS = {
  route: totalsBy("p.route"),
  payer: totalsBy("p.payer_from"),
  day: totalsBy(`to_char(to_timestamp(p.created_at / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD') COLLATE "C"`),
} as const;

const DAY_MS = 86_400_000;
/** Milliseconds for which sums of old days are kept: a million payments take half a second. */
const OLD_DAYS_MS = 300_000;

const SOLD_ON_DAY = new Columns<SoldOnDay>({
  day: (day) => new Date(Number(day) * DAY_MS).toISOString().slice(0, 10),
  ...each(asText, "route", "network", "token", "amount"),
  payments: asNumber,
});
const SOLD = statement(
  `SELECT p.created_at / ${DAY_MS}, p.route, p.network, p.token, sum(p.amount), count(*) FROM ${PAYMENTS} AS p
   WHERE p.state = 'settled' AND p.created_at >= $1::bigint AND p.created_at < $2::bigint
   GROUP BY 1, 2, 3, 4 ORDER BY 1 DESC, 2, 3, 4`,
);

/** The last column counts payments whose lease has expired. */
const STANDING = statement(
  `SELECT count(*), count(*) FILTER (WHERE p.state = 'unknown'), min(p.created_at),
     (SELECT count(*) FROM ${PAYMENTS} WHERE state = 'settled' AND NOT delivered AND held_until = 0 AND refunded = 0),
     (SELECT count(*) FROM ${PAYMENTS} WHERE held_until > 0 AND held_until < ${NOW} AND state = 'settled' AND NOT delivered
      AND refunded = 0),
     (SELECT count(*) FROM ${PAYMENTS} WHERE due_at > 0 AND state = 'deferred')
   FROM ${PAYMENTS} AS p WHERE p.state IN ('settling', 'unknown')`,
);

const SEARCH = statement(
  `SELECT * FROM (
     SELECT ${PAYMENT} FROM ${PAYMENTS} AS p WHERE p.nonce >= $8 AND p.nonce < $9 AND ${FILTER}
     UNION SELECT ${PAYMENT} FROM ${PAYMENTS} AS p
       WHERE lower(p.tx) >= $8 AND lower(p.tx) < $9 AND p.tx <> '' AND ${FILTER}) AS found
   ORDER BY ${MAY_HAVE_PAID} DESC, created_at DESC LIMIT ${MAX_FOUND}`,
);

const REFUNDS_OF = statement(
  `SELECT ${REFUND} FROM ${REFUNDS} AS r
   WHERE r.network = $1 AND r.asset = $2 AND r.payer_from = $3 AND r.nonce = $4 ORDER BY r.sequence`,
);
const REFUNDED = statement(
  `SELECT * FROM (
     SELECT ${REFUND} FROM ${REFUNDS} AS r WHERE r.state IN ('settled', 'recorded')
     UNION ALL SELECT ${CREDIT_REFUND} FROM ${CREDIT_GRANTS} AS g JOIN ${CREDITS} AS c ON c.id = g.credit
       WHERE g.kind = 'refunded') AS r
   WHERE r.updated_at >= $1::bigint AND r.updated_at < $2::bigint
   ORDER BY r.updated_at DESC, r.network, r.asset, r.payer_from, r.nonce, r.sequence, r.id LIMIT $3::int OFFSET $4::int`,
);

const PAYERS = statement(
  `SELECT DISTINCT p.payer_from FROM ${PAYMENTS} AS p WHERE p.payer_from >= $1 AND p.payer_from < $2 LIMIT 2`,
);

/** The ledger in PostgreSQL, for reports. */
export class PostgresLedgerView implements LedgerView {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #steady: () => number;
  /** The last read sums of the days before yesterday. */
  #old:
    | { readonly from: number; readonly until: number; readonly end: number; readonly days: readonly SoldOnDay[] }
    | undefined;

  /** `now` gives Unix milliseconds, and `steady` monotonic ones. */
  constructor(database: Database, { now, steady }: { readonly now: () => number; readonly steady: () => number }) {
    this.#database = database;
    this.#now = now;
    this.#steady = steady;
  }

  async list(
    filter: LedgerFilter,
    { limit, before }: { readonly limit: number; readonly before?: Position | undefined },
  ): Promise<readonly Payment[]> {
    const values = [...valuesOf(filter), limit];
    const { rows } =
      before === undefined
        ? await this.#database.read(LIST, values)
        : await this.#database.read(LIST_BEHIND, [...values, before.createdAt, ...keyOf(before)]);
    return rows.map(toPayment);
  }

  async totals(by: "route" | "payer" | "day", filter: LedgerFilter): Promise<readonly Total[]> {
    const { rows } = await this.#database.read(TOTALS[by], valuesOf(filter));
    return rows.map(TOTAL.read);
  }

  async sold(since: number): Promise<readonly SoldOnDay[]> {
    const from = startOfDay(since);
    const yesterday = startOfDay(this.#now() - DAY_MS);
    if (from >= yesterday) return await this.#soldBetween(from, Number.MAX_SAFE_INTEGER);
    const old = this.#old;
    if (old === undefined || old.from !== from || old.until !== yesterday || this.#steady() > old.end) {
      const days = await this.#soldBetween(from, yesterday);
      this.#old = { from, until: yesterday, end: this.#steady() + OLD_DAYS_MS, days };
    }
    return [...(await this.#soldBetween(yesterday, Number.MAX_SAFE_INTEGER)), ...(this.#old?.days ?? [])];
  }

  async #soldBetween(from: number, until: number): Promise<readonly SoldOnDay[]> {
    const { rows } = await this.#database.read(SOLD, [from, until]);
    return rows.map(SOLD_ON_DAY.read);
  }

  async standing(): Promise<Standing> {
    const { rows } = await this.#database.read(STANDING, [this.#database.clock]);
    const [open, unknown, oldest = null, owed, left, deferred] = rows[0] ?? [];
    return {
      open: Number(open),
      unknown: Number(unknown),
      deferred: Number(deferred),
      owed: Number(owed) + Number(left),
      oldestOpen: oldest === null ? undefined : Number(oldest),
    };
  }

  async search(text: string, filter: LedgerFilter = {}): Promise<readonly Payment[]> {
    // The upper end of all values with this prefix: no hex digit sorts after this character.
    const { rows } = await this.#database.read(SEARCH, [...valuesOf(filter), text, `${text}\u{10ffff}`]);
    return rows.map(toPayment);
  }

  async payers(text: string): Promise<readonly string[]> {
    const { rows } = await this.#database.read(PAYERS, [text, `${text}\u{10ffff}`]);
    return rows.map(([payer = null]) => asText(payer));
  }

  async refundsOf(payment: PaymentKey): Promise<readonly Refund[]> {
    return (await this.#database.read(REFUNDS_OF, keyOf(payment))).rows.map(toRefund);
  }

  async refunded({ since, until }: Times, page: { limit: number; offset: number }): Promise<readonly Refund[]> {
    return (await this.#database.read(REFUNDED, [since, until, page.limit, page.offset])).rows.map(toRefund);
  }
}

function startOfDay(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

function valuesOf({ states, route, payer, since, until, owed, refunded }: LedgerFilter): Value[] {
  const flags = [owed, refunded].map((flag) => (flag === true ? 1 : null));
  return [states?.join(",") ?? null, route ?? null, payer ?? null, since ?? null, until ?? null, ...flags];
}
