import { type Database, type Statement } from "bun:sqlite";
import {
  type Credit,
  CREDIT_BOOK,
  CREDIT_SCHEME,
  type CreditFilter,
  type Credits,
  type Grant,
  type NewCredit,
  purchaseIn,
  type StoredGrant,
} from "../credits.ts";
import { type Payment } from "../ledger.ts";
import { addition, PART_DIGITS, subtraction } from "./migrations.ts";
import { type Bindings, PAYMENT, type PaymentRow, toPayment } from "./sqlite-payment-row.ts";
import { type WriteTurns } from "./write-turns.ts";

interface CreditRow extends Omit<Credit, "balance" | "routes"> {
  readonly routes: string;
  readonly high: number;
  readonly low: number;
}

const CREDIT = `id, hash, owner, unit, name, network, token, routes, high, low, expires_at AS expiresAt,
  revoked_at AS revokedAt, created_at AS createdAt`;

const FIND = `SELECT ${CREDIT} FROM credits WHERE id = $id`;

const GRANT = `
  INSERT INTO credit_grants (id, credit, kind, amount, payment, granted_at)
  SELECT $grant, $credit, $kind, $amount, $payment, $now WHERE NOT EXISTS (
    SELECT 1 FROM payments AS p WHERE p.nonce = $payment AND p.refunded <> '0' AND ${purchaseIn("p")} = $grant)
  ON CONFLICT DO NOTHING`;

/** The prepaid balances, in the ledger's file. `now` gives Unix milliseconds. */
export class SqliteCredits implements Credits {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #turns: WriteTurns;
  readonly #find: Statement<CreditRow, [Bindings]>;
  readonly #grants: Statement<StoredGrant, [Bindings]>;
  readonly #granted: Statement<{ credit: string }, [Bindings]>;
  readonly #charges: Statement<PaymentRow, [Bindings]>;
  readonly #rekey: Statement<unknown, [Bindings]>;
  readonly #revoke: Statement<unknown, [Bindings]>;
  readonly #open: (credit: Bindings, grant: Bindings) => string | undefined;
  readonly #add: (credit: Bindings, grant: Bindings) => boolean;
  readonly #take: (credit: Bindings, grant: Bindings) => boolean;

  /** `database`: writes through it are on the disk when they return. */
  constructor(database: Database, now: () => number, turns: WriteTurns) {
    this.#database = database;
    this.#now = now;
    this.#turns = turns;
    const query = (sql: string): Statement<unknown, [Bindings]> => database.query(sql);
    this.#find = database.query(FIND);
    this.#grants = database.query(
      `SELECT id, kind, amount, payment, granted_at AS at FROM credit_grants WHERE credit = $id
       ORDER BY granted_at DESC, id DESC LIMIT $limit`,
    );
    this.#charges = database.query(
      `SELECT ${PAYMENT} FROM payments WHERE scheme = '${CREDIT_SCHEME}' AND asset = $asset
       ORDER BY created_at DESC LIMIT $limit`,
    );
    this.#rekey = query("UPDATE credits SET hash = $hash WHERE id = $id AND revoked_at = 0");
    this.#revoke = query("UPDATE credits SET revoked_at = $now WHERE id = $id AND revoked_at = 0");
    const create = query(
      `INSERT INTO credits (id, hash, owner, unit, name, network, token, routes, high, low, expires_at, created_at)
       VALUES ($id, $hash, $owner, $unit, $name, $network, $token, $routes, 0, 0, $expiresAt, $now)`,
    );
    const grant = query(GRANT);
    this.#granted = database.query("SELECT credit FROM credit_grants WHERE id = $grant");
    const add = query(
      `UPDATE credits SET ${addition("$amount")},
         expires_at = CASE WHEN expires_at = 0 OR $expiresAt = 0 THEN 0 ELSE max(expires_at, $expiresAt) END
       WHERE id = $id`,
    );
    const take = query(`UPDATE credits SET ${subtraction("$amount")} WHERE id = $id`);
    const opening = database.transaction((credit: Bindings, given: Bindings) => {
      if (grant.run(given).changes === 0) {
        const id = this.#granted.get({ $grant: given["$grant"] ?? "" })?.credit;
        if (id === undefined) return undefined;
        this.#rekey.run({ $id: id, $hash: credit["$hash"] ?? "" });
        return id;
      }
      create.run(credit);
      add.run({ $id: credit["$id"] ?? "", $amount: given["$amount"] ?? "", $expiresAt: credit["$expiresAt"] ?? 0 });
      return String(credit["$id"]);
    });
    this.#open = (credit, given) => opening.immediate(credit, given);
    const changing = database.transaction((sql: typeof add, change: Bindings, given: Bindings) => {
      if (this.#find.get({ $id: change["$id"] ?? "" }) === null || grant.run(given).changes === 0) return false;
      return sql.run(change).changes > 0;
    });
    this.#add = (change, given) => changing.immediate(add, change, given);
    this.#take = (change, given) => changing.immediate(take, change, given);
  }

  async find(id: string): Promise<Credit | undefined> {
    const row = this.#find.get({ $id: id });
    return row === null ? undefined : toCredit(row);
  }

  async open(credit: NewCredit, grant: Grant): Promise<string | undefined> {
    const { id, hash, owner, unit, name, network, token, routes, expiresAt } = credit;
    const values = {
      $id: id,
      $hash: hash,
      $owner: owner,
      $unit: unit,
      $name: name,
      $network: network,
      $token: token,
      $routes: JSON.stringify(routes),
      $expiresAt: expiresAt,
      $now: this.#now(),
    };
    return this.#turns.run(() => this.#open(values, this.#valuesOf(id, grant)));
  }

  async add(id: string, grant: Grant, expiresAt: number): Promise<boolean> {
    const change = { $id: id, $amount: grant.amount, $expiresAt: expiresAt };
    return this.#turns.run(() => this.#add(change, this.#valuesOf(id, grant)));
  }

  async take(id: string, grant: Grant): Promise<boolean> {
    const given = this.#valuesOf(id, { ...grant, amount: `-${grant.amount}` });
    try {
      return await this.#turns.run(() => this.#take({ $id: id, $amount: grant.amount }, given));
    } catch (error) {
      if (isUncovered(error)) return false;
      throw error;
    }
  }

  async rekey(id: string, hash: string): Promise<boolean> {
    return this.#turns.run(() => this.#rekey.run({ $id: id, $hash: hash }).changes > 0);
  }

  async revoke(id: string): Promise<boolean> {
    return this.#turns.run(() => this.#revoke.run({ $id: id, $now: this.#now() }).changes > 0);
  }

  async list({ owner, before }: CreditFilter, limit: number): Promise<readonly Credit[]> {
    const terms = [
      ...(owner === undefined ? [] : ["owner = $owner"]),
      ...(before === undefined ? [] : ["(created_at, id) < ($createdAt, $id)"]),
    ];
    const where = terms.length === 0 ? "" : `WHERE ${terms.join(" AND ")}`;
    return this.#database
      .query<CreditRow, [Bindings]>(
        `SELECT ${CREDIT} FROM credits ${where} ORDER BY created_at DESC, id DESC LIMIT $limit`,
      )
      .all({
        $limit: limit,
        ...(owner === undefined ? {} : { $owner: owner }),
        ...(before === undefined ? {} : { $createdAt: before.createdAt, $id: before.id }),
      })
      .map(toCredit);
  }

  async grants(id: string, limit: number): Promise<readonly StoredGrant[]> {
    return this.#grants.all({ $id: id, $limit: limit });
  }

  async isGranted(grant: string): Promise<boolean> {
    return this.#granted.get({ $grant: grant }) !== null;
  }

  async charges(id: string, limit: number): Promise<readonly Payment[]> {
    return this.#charges.all({ $asset: CREDIT_BOOK + id, $limit: limit }).map(toPayment);
  }

  #valuesOf(credit: string, { id, kind, amount, payment }: Grant): Bindings {
    return { $grant: id, $credit: credit, $kind: kind, $amount: amount, $payment: payment, $now: this.#now() };
  }
}

/** True for the error of a statement that a balance does not cover, or whose credit has ended. */
export function isUncovered(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "SQLITE_CONSTRAINT_CHECK" || code === "SQLITE_CONSTRAINT_TRIGGER";
}

/** Reads a credit in a transaction of the caller. */
export function readCredit(database: Database, id: string): Credit | undefined {
  const row = database.query<CreditRow, [Bindings]>(FIND).get({ $id: id });
  return row === null ? undefined : toCredit(row);
}

function toCredit({ high, low, routes, ...row }: CreditRow): Credit {
  const balance = BigInt(high) * 10n ** BigInt(PART_DIGITS) + BigInt(low);
  // The program writes an array of names.
  return { ...row, routes: JSON.parse(routes) as string[], balance: String(balance) };
}
