import { type PaymentId, type PaymentIds } from "../payment-ids.ts";
import { type SqliteConnection } from "./sqlite-connection.ts";

/** Expired ids that are deleted with each new one. @bound */
const REAP_ROWS = 10;

/** Binding an id to the same fingerprint again prolongs it. */
const TIE = `
  INSERT INTO payment_ids (payer, id, fingerprint, until) VALUES ($payer, $id, $fingerprint, $until)
  ON CONFLICT DO UPDATE SET fingerprint = $fingerprint, until = max(until, $until)
  WHERE until <= $now OR fingerprint = $fingerprint`;

const REAP = `
  DELETE FROM payment_ids WHERE (payer, id) IN (
    SELECT payer, id FROM payment_ids WHERE until <= $now LIMIT ${REAP_ROWS})`;

const FIND = "SELECT fingerprint FROM payment_ids WHERE payer = $payer AND id = $id";

/** The ids of payments, in the ledger's database. */
export class SqlitePaymentIds implements PaymentIds {
  readonly #file: SqliteConnection;

  constructor(file: SqliteConnection) {
    this.#file = file;
  }

  tie({ payer, id }: PaymentId, fingerprint: string, until: number): Promise<string> {
    return this.#file.transaction(() => {
      const values = { payer, id, fingerprint, until, now: this.#file.now() };
      this.#file.run(REAP, values);
      this.#file.run(TIE, values);
      return this.#file.get<{ fingerprint: string }>(FIND, values)?.fingerprint ?? "";
    });
  }

  async find({ payer, id }: PaymentId): Promise<string | undefined> {
    const values = { payer, id, now: this.#file.now() };
    return this.#file.get<{ fingerprint: string }>(`${FIND} AND until > $now`, values)?.fingerprint;
  }

  async untie({ payer, id }: PaymentId, fingerprint: string): Promise<void> {
    const sql = "DELETE FROM payment_ids WHERE payer = $payer AND id = $id AND fingerprint = $fingerprint";
    await this.#file.write(sql, { payer, id, fingerprint });
  }
}
