import { type PaymentId, type PaymentIds } from "../payment-ids.ts";
import { statement } from "./connection.ts";
import { type Database, NOW } from "./database.ts";
import { PostgresError } from "./postgres-error.ts";
import { PAYMENT_IDS } from "./schema.ts";

/** Expired ids that are deleted with each new one. */
const REAP_ROWS = 10;
/** Maximum number of attempts to bind an id that other processes bind and unbind between two statements. */
const MOST_TRIES = 5;

/**
 * Binding an id to the same fingerprint again prolongs it. $6: milliseconds until $5 by the gateway's clock, which may be slower than
 * the database's.
 */
const TIE = statement(`
  INSERT INTO ${PAYMENT_IDS} AS p (payer, id, fingerprint, until) SELECT $2, $3, $4, greatest($5::bigint, ${NOW} + $6::bigint)
  ON CONFLICT (payer, id) DO UPDATE SET fingerprint = excluded.fingerprint, until = greatest(p.until, excluded.until)
  WHERE p.until <= ${NOW} OR p.fingerprint = excluded.fingerprint
  RETURNING p.fingerprint`);
const FIND = statement(`SELECT fingerprint FROM ${PAYMENT_IDS} WHERE payer = $1 AND id = $2`);
const FIND_BOUND = statement(`SELECT fingerprint FROM ${PAYMENT_IDS} WHERE payer = $2 AND id = $3 AND until > ${NOW}`);
const UNTIE = statement(`DELETE FROM ${PAYMENT_IDS} WHERE payer = $1 AND id = $2 AND fingerprint = $3`);
const REAP = statement(`
  WITH old AS MATERIALIZED (
    SELECT payer, id FROM ${PAYMENT_IDS} WHERE until <= ${NOW} AND (payer, id) <> ($2, $3)
    LIMIT ${REAP_ROWS} FOR UPDATE SKIP LOCKED)
  DELETE FROM ${PAYMENT_IDS} AS p USING old WHERE (p.payer, p.id) = (old.payer, old.id)`);

/** The ids of payments, in the ledger's database. */
export class PostgresPaymentIds implements PaymentIds {
  readonly #database: Database;
  readonly #now: () => number;

  /** `now` gives the Unix milliseconds of this machine. */
  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  async tie({ payer, id }: PaymentId, fingerprint: string, until: number): Promise<string> {
    const { clock } = this.#database;
    await this.#database.quick(REAP, [clock, payer, id]);
    for (let i = 0; i < MOST_TRIES; i++) {
      const tied = await this.#database.quick(TIE, [clock, payer, id, fingerprint, until, until - this.#now()]);
      const { rows } = tied.count > 0 ? tied : await this.#database.read(FIND, [payer, id]);
      const found = rows[0]?.[0];
      if (typeof found === "string") return found;
    }
    throw new PostgresError("overloaded", "a payment's id is bound and released again and again");
  }

  async find({ payer, id }: PaymentId): Promise<string | undefined> {
    const { rows } = await this.#database.read(FIND_BOUND, [this.#database.clock, payer, id]);
    const found = rows[0]?.[0];
    return typeof found === "string" ? found : undefined;
  }

  async untie({ payer, id }: PaymentId, fingerprint: string): Promise<void> {
    await this.#database.quick(UNTIE, [payer, id, fingerprint]);
  }
}
