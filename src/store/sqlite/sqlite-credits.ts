import { codeOf } from "../../lib/caught.ts";
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
import { addition, joined, subtraction } from "./sums.ts";
import { type SqliteConnection } from "./sqlite-connection.ts";
import { PAYMENT, type PaymentRow, toPayment } from "./sqlite-payment-row.ts";

interface CreditRow extends Omit<Credit, "balance" | "routes"> {
  readonly routes: string;
  readonly high: number;
  readonly low: number;
}

const CREDIT = `id, hash, owner, unit, name, network, token, routes, high, low, expires_at AS expiresAt,
  revoked_at AS revokedAt, created_at AS createdAt`;

const FIND = `SELECT ${CREDIT} FROM credits WHERE id = $id`;

const CREATE = `
  INSERT INTO credits (id, hash, owner, unit, name, network, token, routes, high, low, expires_at, created_at)
  VALUES ($id, $hash, $owner, $unit, $name, $network, $token, $routes, 0, 0, $expiresAt, $now)`;

const GRANT = `
  INSERT INTO credit_grants (id, credit, kind, amount, payment, granted_at)
  SELECT $grant, $credit, $kind, $amount, $payment, $now WHERE NOT EXISTS (
    SELECT 1 FROM payments AS p WHERE p.nonce = $payment AND p.refunded <> '0' AND ${purchaseIn("p")} = $grant)
  ON CONFLICT DO NOTHING`;

const GRANTED = "SELECT credit FROM credit_grants WHERE id = $grant";

const ADD = `
  UPDATE credits SET ${addition("$amount")},
    expires_at = CASE WHEN expires_at = 0 OR $expiresAt = 0 THEN 0 ELSE max(expires_at, $expiresAt) END
  WHERE id = $id`;

const TAKE = `UPDATE credits SET ${subtraction("$amount")} WHERE id = $id`;
const REKEY = "UPDATE credits SET hash = $hash WHERE id = $id AND revoked_at = 0";

const GRANTS = `
  SELECT id, kind, amount, payment, granted_at AS at FROM credit_grants WHERE credit = $id
  ORDER BY granted_at DESC, id DESC LIMIT $limit`;

const CHARGES = `
  SELECT ${PAYMENT} FROM payments WHERE scheme = '${CREDIT_SCHEME}' AND asset = $asset
  ORDER BY created_at DESC LIMIT $limit`;

/** The prepaid balances, in the ledger's file. */
export class SqliteCredits implements Credits {
  readonly #file: SqliteConnection;

  /** Writes through `file` are on the disk when they return. */
  constructor(file: SqliteConnection) {
    this.#file = file;
  }

  async find(id: string): Promise<Credit | undefined> {
    return readCredit(this.#file, id);
  }

  open(credit: NewCredit, grant: Grant): Promise<string | undefined> {
    const { id, hash, routes, expiresAt } = credit;
    const now = this.#file.now();
    return this.#file.transaction(() => {
      if (this.#grant(id, grant)) {
        this.#file.run(CREATE, { ...credit, routes: JSON.stringify(routes), now });
        this.#add(id, grant.amount, expiresAt);
        return id;
      }
      const known = this.#file.get<{ credit: string }>(GRANTED, { grant: grant.id })?.credit;
      // A refunded purchase has no grant, and matches no credit.
      this.#file.run(REKEY, { id: known, hash });
      return known;
    });
  }

  add(id: string, grant: Grant, expiresAt: number): Promise<boolean> {
    return this.#change(id, grant, () => this.#add(id, grant.amount, expiresAt));
  }

  async take(id: string, grant: Grant): Promise<boolean> {
    const { amount } = grant;
    // The statement would take only the last digits.
    if (amount.length > MAX_CREDIT_DIGITS) return false;
    try {
      return await this.#change(id, { ...grant, amount: `-${amount}` }, () => this.#file.run(TAKE, { id, amount }));
    } catch (error) {
      if (isUncovered(error)) return false;
      throw error;
    }
  }

  async rekey(id: string, hash: string): Promise<boolean> {
    return (await this.#file.write(REKEY, { id, hash })) > 0;
  }

  async revoke(id: string): Promise<boolean> {
    const sql = "UPDATE credits SET revoked_at = $now WHERE id = $id AND revoked_at = 0";
    return this.#file.turn(() => this.#file.run(sql, { id, now: this.#file.now() }) > 0);
  }

  async list({ owner, before }: CreditFilter, limit: number): Promise<readonly Credit[]> {
    const terms = [
      ...(owner === undefined ? [] : ["owner = $owner"]),
      ...(before === undefined ? [] : ["(created_at, id) < ($createdAt, $id)"]),
    ];
    const where = terms.length === 0 ? "" : `WHERE ${terms.join(" AND ")}`;
    const sql = `SELECT ${CREDIT} FROM credits ${where} ORDER BY created_at DESC, id DESC LIMIT $limit`;
    return this.#file.all<CreditRow>(sql, { ...before, owner, limit }).map(toCredit);
  }

  async grants(id: string, limit: number): Promise<readonly StoredGrant[]> {
    return this.#file.all(GRANTS, { id, limit });
  }

  async isGranted(grant: string): Promise<boolean> {
    return this.#file.get(GRANTED, { grant }) !== undefined;
  }

  async charges(id: string, limit: number): Promise<readonly Payment[]> {
    return this.#file.all<PaymentRow>(CHARGES, { asset: CREDIT_BOOK + id, limit }).map(toPayment);
  }

  /** Records a grant and changes the balance by `change`. False: the grant was made before. */
  #change(id: string, grant: Grant, change: () => void): Promise<boolean> {
    return this.#file.transaction(() => {
      if (this.#file.get(FIND, { id }) === undefined || !this.#grant(id, grant)) return false;
      change();
      return true;
    });
  }

  /** Adds to a balance, in a transaction of the caller, which the error of a balance that is too large undoes. */
  #add(id: string, amount: string, expiresAt: number): void {
    // The statement would add only the last digits.
    if (amount.length > MAX_CREDIT_DIGITS) throw balanceTooLarge(id);
    try {
      this.#file.run(ADD, { id, amount, expiresAt });
    } catch (error) {
      throw isUncovered(error) ? balanceTooLarge(id, error) : error;
    }
  }

  #grant(credit: string, { id, ...grant }: Grant): boolean {
    return this.#file.run(GRANT, { ...grant, grant: id, credit, now: this.#file.now() }) > 0;
  }
}

/** True for the error of a statement that a balance does not cover, or whose credit has ended. */
export function isUncovered(error: unknown): boolean {
  const code = codeOf(error);
  return code === "SQLITE_CONSTRAINT_CHECK" || code === "SQLITE_CONSTRAINT_TRIGGER";
}

/** Reads a credit, also in a transaction of the caller. */
export function readCredit(file: SqliteConnection, id: string): Credit | undefined {
  const row = file.get<CreditRow>(FIND, { id });
  return row && toCredit(row);
}

function toCredit({ high, low, routes, ...row }: CreditRow): Credit {
  // The program writes an array of names.
  return { ...row, routes: JSON.parse(routes) as string[], balance: joined(high, low) };
}
