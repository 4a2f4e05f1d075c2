import {
  balanceTooLarge,
  type Credit,
  CREDIT_BOOK,
  CREDIT_SCHEME,
  type CreditFilter,
  type Credits,
  type Grant,
  MAX_CREDIT_DIGITS,
  type NewCredit,
  purchaseIn,
  type StoredGrant,
} from "../credits.ts";
import { type Payment } from "../ledger.ts";
import { Columns, each, asNumber, oneOf, asText } from "./columns.ts";
import { type Result, statement } from "./connection.ts";
import { type Database, NOW } from "./database.ts";
import { type Statement, type Value } from "./messages.ts";
import { PAYMENT, toPayment } from "./payment-row.ts";
import { PostgresError } from "./postgres-error.ts";
import { CREDIT_GRANTS, CREDITS, PAYMENTS, UNCOVERED_STATE } from "./schema.ts";

const GRANT_KINDS = ["bought", "issued", "refunded", "sent"] as const;
const GRANT_COLUMNS = new Columns<StoredGrant>({
  ...each(asText, "id", "amount", "payment"),
  kind: oneOf(GRANT_KINDS, "a grant of credit has a kind"),
  at: ["granted_at", asNumber],
});

const COLUMNS = new Columns<Credit>({
  ...each(asText, "id", "hash", "owner", "name", "network", "token", "balance"),
  ...each(asNumber, "expiresAt", "revokedAt", "createdAt"),
  unit: oneOf(["money", "calls", "time"], "a credit has a unit"),
  // The program writes an array of names.
  routes: (names) => JSON.parse(names ?? "[]") as string[],
});

/** The columns for SELECT, with `c` as the name of the table. */
export const CREDIT = COLUMNS.of("c");
export const toCredit = COLUMNS.read;

/** The first values are those of `valuesOf`. The lock waits for a refund that has begun. */
function granting(where: string): string {
  return `
  INSERT INTO ${CREDIT_GRANTS} (id, credit, kind, amount, payment, granted_at)
  SELECT $2, $3, $4, $5::numeric, $6, ${NOW} WHERE ${where} AND NOT EXISTS (
    SELECT 1 FROM (SELECT p.refunded FROM ${PAYMENTS} AS p WHERE p.nonce = $6 AND ${purchaseIn("p")} = $2 FOR SHARE) AS own
    WHERE own.refunded <> 0)
  ON CONFLICT DO NOTHING RETURNING credit`;
}

/** A larger number is an error. */
const BALANCE = `numeric(${MAX_CREDIT_DIGITS},0)`;
/** SQLSTATE of that error: numeric value out of range. */
const TOO_LARGE_STATE = "22003";

const GRANT = granting(`EXISTS (SELECT 1 FROM ${CREDITS} WHERE id = $3)`);
/** The end that the gateway's clock gives, by the database's clock. The value after `end` is the time of the gateway. */
const endAt = (end: number): string =>
  `CASE WHEN $${end}::bigint = 0 THEN 0 ELSE $${end} + ${NOW} - $${end + 1}::bigint END`;
const FIND = statement(`SELECT ${CREDIT} FROM ${CREDITS} AS c WHERE c.id = $1`);
const OPEN = statement(`
  WITH granted AS (${granting("true")}), opened AS (
    INSERT INTO ${CREDITS} (id, hash, owner, unit, name, network, token, routes, balance, expires_at, created_at)
    SELECT $3, $7, $8, $9, $10, $11, $12, $13, $5::${BALANCE}, ${endAt(14)}, ${NOW} FROM granted)
  SELECT credit FROM granted`);
const GRANTED = statement(`SELECT credit FROM ${CREDIT_GRANTS} WHERE id = $1`);
const ADD = statement(`
  WITH granted AS (${GRANT})
  UPDATE ${CREDITS} SET balance = (balance + $5::numeric)::${BALANCE},
    expires_at = CASE WHEN expires_at = 0 OR $7::bigint = 0 THEN 0 ELSE greatest(expires_at, ${endAt(7)}) END
  FROM granted WHERE id = granted.credit`);
const TAKE = statement(`
  WITH granted AS (${GRANT})
  UPDATE ${CREDITS} SET balance = balance + $5::numeric FROM granted WHERE id = granted.credit`);
const REKEY = statement(`UPDATE ${CREDITS} SET hash = $2 WHERE id = $1 AND revoked_at = 0`);
const REVOKE = statement(`UPDATE ${CREDITS} SET revoked_at = ${NOW} WHERE id = $2 AND revoked_at = 0`);
const LIST = statement(`
  SELECT ${CREDIT} FROM ${CREDITS} AS c WHERE ($1::text IS NULL OR owner = $1)
    AND ($2::bigint IS NULL OR (created_at, id) < ($2, $3)) ORDER BY created_at DESC, id DESC LIMIT $4::int`);
const GRANTS = statement(`
  SELECT ${GRANT_COLUMNS.of("g")} FROM ${CREDIT_GRANTS} AS g WHERE credit = $1
  ORDER BY granted_at DESC, id DESC LIMIT $2::int`);
const CHARGES = statement(`
  SELECT ${PAYMENT} FROM ${PAYMENTS} AS p WHERE p.scheme = '${CREDIT_SCHEME}' AND p.asset = $1
  ORDER BY p.created_at DESC LIMIT $2::int`);

/** The prepaid balances, in the ledger's database. */
export class PostgresCredits implements Credits {
  readonly #database: Database;
  readonly #now: () => number;

  /** `now` gives the Unix milliseconds of this machine. */
  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  async find(id: string): Promise<Credit | undefined> {
    const { rows } = await this.#database.read(FIND, [id]);
    return rows[0] && toCredit(rows[0]);
  }

  async open(credit: NewCredit, grant: Grant): Promise<string | undefined> {
    const { id, hash, owner, unit, name, network, token, routes, expiresAt } = credit;
    const own = [hash, owner, unit, name, network, token, JSON.stringify(routes), expiresAt, this.#now()];
    const { rows } = await this.#enlarge(OPEN, id, [...this.#valuesOf(id, grant), ...own]);
    const opened = rows[0]?.[0];
    if (typeof opened === "string") return opened;
    const before = (await this.#database.read(GRANTED, [grant.id])).rows[0]?.[0] ?? undefined;
    if (before !== undefined) await this.rekey(before, hash);
    return before;
  }

  async add(id: string, grant: Grant, expiresAt: number): Promise<boolean> {
    return (await this.#enlarge(ADD, id, [...this.#valuesOf(id, grant), expiresAt, this.#now()])).count > 0;
  }

  async take(id: string, grant: Grant): Promise<boolean> {
    try {
      const values = this.#valuesOf(id, { ...grant, amount: `-${grant.amount}` });
      return (await this.#database.durable(TAKE, values)).count > 0;
    } catch (error) {
      if (isUncovered(error)) return false;
      throw error;
    }
  }

  async rekey(id: string, hash: string): Promise<boolean> {
    return (await this.#database.durable(REKEY, [id, hash])).count > 0;
  }

  async revoke(id: string): Promise<boolean> {
    return (await this.#database.durable(REVOKE, [this.#database.clock, id])).count > 0;
  }

  async list({ owner, before }: CreditFilter, limit: number): Promise<readonly Credit[]> {
    const values = [owner ?? null, before?.createdAt ?? null, before?.id ?? null, limit];
    return (await this.#database.read(LIST, values)).rows.map(toCredit);
  }

  async grants(id: string, limit: number): Promise<readonly StoredGrant[]> {
    return (await this.#database.read(GRANTS, [id, limit])).rows.map(GRANT_COLUMNS.read);
  }

  async isGranted(grant: string): Promise<boolean> {
    return (await this.#database.read(GRANTED, [grant])).rows.length > 0;
  }

  async charges(id: string, limit: number): Promise<readonly Payment[]> {
    return (await this.#database.read(CHARGES, [CREDIT_BOOK + id, limit])).rows.map(toPayment);
  }

  async #enlarge(text: Statement, id: string, values: readonly Value[]): Promise<Result> {
    try {
      return await this.#database.durable(text, values);
    } catch (error) {
      throw error instanceof PostgresError && error.code === TOO_LARGE_STATE ? balanceTooLarge(id, error) : error;
    }
  }

  #valuesOf(credit: string, { id, kind, amount, payment }: Grant): Value[] {
    return [this.#database.clock, id, credit, kind, amount, payment];
  }
}

/** True for the error of a statement that a balance does not cover, or whose credit has ended. */
export function isUncovered(error: unknown): boolean {
  return error instanceof PostgresError && error.code === UNCOVERED_STATE;
}
