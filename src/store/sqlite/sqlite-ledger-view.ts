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
import { LIMB_DIGITS, LIMBS } from "./sums.ts";
import { type SqliteConnection } from "./sqlite-connection.ts";
import { OF_KEY, PAYMENT, type PaymentRow, toPayment } from "./sqlite-payment-row.ts";
import { CREDIT_REFUND, REFUND, type RefundRow, toRefund } from "./sqlite-refunds.ts";

const DAY_MS = 86_400_000;

const KEYS = {
  route: "route",
  payer: "payer_from",
  day: "strftime('%Y-%m-%d', created_at / 1000, 'unixepoch')",
} as const;

type SoldRow = SoldOnDay & Record<(typeof LIMBS)[number], number>;

interface StandingRow extends Omit<Standing, "oldestOpen"> {
  left: number;
  oldest: number | null;
}

/** Each count reads an index that contains only these payments. `left` counts payments whose lease has expired. */
const STANDING = `
  SELECT count(*) AS open, coalesce(sum(state = 'unknown'), 0) AS unknown, min(created_at) AS oldest,
    (SELECT count(*) FROM payments WHERE due_at > 0 AND state = 'deferred') AS deferred,
    (SELECT count(*) FROM payments WHERE state = 'settled' AND delivered = 0 AND held_until = 0 AND refunded = '0') AS owed,
    (SELECT count(*) FROM payments WHERE held_until > 0 AND held_until < $steady AND state = 'settled' AND delivered = 0
      AND refunded = '0') AS left
  FROM payments WHERE state IN ('settling', 'unknown')`;

/** The ledger in an SQLite file, for reports. Each page is one read, so writers never wait for a slow reader. */
export class SqliteLedgerView implements LedgerView {
  readonly #file: SqliteConnection;

  constructor(file: SqliteConnection) {
    this.#file = file;
  }

  async list(
    filter: LedgerFilter,
    { limit, before }: { readonly limit: number; readonly before?: Position | undefined },
  ): Promise<readonly Payment[]> {
    const { sql, values } = conditions(filter);
    const behind =
      before === undefined
        ? ""
        : "AND (created_at, network, asset, payer_from, nonce) < ($createdAt, $network, $asset, $from, $nonce)";
    const page = `SELECT ${PAYMENT} FROM payments WHERE ${sql} ${behind}
      ORDER BY created_at DESC, network DESC, asset DESC, payer_from DESC, nonce DESC LIMIT $limit`;
    return this.#file.all<PaymentRow>(page, { ...before, ...values, limit }).map(toPayment);
  }

  async totals(by: "route" | "payer" | "day", filter: LedgerFilter): Promise<readonly Total[]> {
    const { sql, values } = conditions(filter);
    const parts = `SELECT ${KEYS[by]} AS key, network, token, amount, refunded, count(*) AS payments FROM payments
       WHERE state = 'settled' AND ${sql} GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3`;
    return this.#file.sorted(() => sums(this.#file.iterate<Total>(parts, values)));
  }

  async sold(since: number): Promise<readonly SoldOnDay[]> {
    const sql = `SELECT date(day * 86400, 'unixepoch') AS day, route, network, token, payments, ${LIMBS.join(", ")}
      FROM sold_days WHERE day >= $day ORDER BY sold_days.day DESC, route, network, token`;
    return this.#file.all<SoldRow>(sql, { day: Math.floor(since / DAY_MS) }).map((row) => {
      const { day, route, network, token, payments } = row;
      return { day, route, network, token, payments, amount: amountOf(row) };
    });
  }

  async standing(): Promise<Standing> {
    const row = this.#file.get<StandingRow>(STANDING, { steady: this.#file.steady() });
    const { owed, left, oldest, ...counts } = row as StandingRow; // counts always have a row
    return { ...counts, owed: owed + left, oldestOpen: oldest ?? undefined };
  }

  async search(text: string, filter: LedgerFilter = {}): Promise<readonly Payment[]> {
    const { sql: wanted, values } = conditions(filter);
    const sql = `
      SELECT * FROM (
        SELECT ${PAYMENT} FROM payments WHERE nonce >= $text AND nonce < $behind AND ${wanted}
        UNION SELECT ${PAYMENT} FROM payments
          WHERE lower(tx) >= $text AND lower(tx) < $behind AND tx <> '' AND ${wanted})
      ORDER BY ${MAY_HAVE_PAID} DESC, createdAt DESC LIMIT ${MAX_FOUND}`;
    // The upper end of all values with this prefix: no hex digit sorts after this character.
    return this.#file.all<PaymentRow>(sql, { ...values, text, behind: `${text}\u{10ffff}` }).map(toPayment);
  }

  async payers(text: string): Promise<readonly string[]> {
    const sql = `SELECT DISTINCT payer_from AS payer FROM payments WHERE payer_from >= $text AND payer_from < $behind LIMIT 2`;
    return this.#file.all<{ payer: string }>(sql, { text, behind: `${text}\u{10ffff}` }).map(({ payer }) => payer);
  }

  async refundsOf(payment: PaymentKey): Promise<readonly Refund[]> {
    const sql = `SELECT ${REFUND} FROM refunds WHERE ${OF_KEY} ORDER BY sequence`;
    return this.#file.all<RefundRow>(sql, payment).map(toRefund);
  }

  async refunded(times: Times, page: { limit: number; offset: number }): Promise<readonly Refund[]> {
    const sql = `SELECT * FROM (
        SELECT ${REFUND} FROM refunds WHERE state IN ('settled', 'recorded')
        UNION ALL SELECT ${CREDIT_REFUND} FROM credit_grants AS g JOIN credits AS c ON c.id = g.credit
          WHERE g.kind = 'refunded')
      WHERE updatedAt >= $since AND updatedAt < $until
      ORDER BY updatedAt DESC, network, asset, "from", nonce, sequence, id LIMIT $limit OFFSET $offset`;
    return this.#file.all<RefundRow>(sql, { ...times, ...page }).map(toRefund);
  }
}

function amountOf(row: SoldRow): string {
  const base = 10n ** BigInt(LIMB_DIGITS);
  return LIMBS.reduceRight((sum, limb) => sum * base + BigInt(row[limb]), 0n).toString();
}

const TERMS = {
  states: "state IN (SELECT value FROM json_each($states))",
  route: "route = $route",
  payer: "payer_from = $payer",
  since: "created_at >= $since",
  until: "created_at < $until",
  owed: "state = 'settled' AND delivered = 0 AND refunded = '0'",
  refunded: "refunded <> '0'",
};

function conditions({ states, ...filter }: LedgerFilter): { sql: string; values: object } {
  const values: Readonly<Record<string, unknown>> = { ...filter, states: states && JSON.stringify(states) };
  const terms = Object.entries(TERMS).filter(([name]) => values[name] !== undefined);
  return { sql: ["1", ...terms.map(([, term]) => term)].join(" AND "), values };
}

/** Adds up the parts of each key, which are sorted by key. Amounts of 78 digits exceed SQL's numbers. */
function sums(parts: Iterable<Total>): Total[] {
  const totals: (Omit<Total, "amount" | "refunded"> & { payments: number; amount: bigint; refunded: bigint })[] = [];
  for (const { amount, refunded, payments, ...group } of parts) {
    const moved = BigInt(amount) * BigInt(payments);
    const returned = BigInt(refunded) * BigInt(payments);
    const last = totals.at(-1);
    if (last?.key === group.key && last.network === group.network && last.token === group.token) {
      last.payments += payments;
      last.amount += moved;
      last.refunded += returned;
    } else {
      totals.push({ ...group, payments, amount: moved, refunded: returned });
    }
  }
  return totals.map((total) => ({ ...total, amount: `${total.amount}`, refunded: `${total.refunded}` }));
}
