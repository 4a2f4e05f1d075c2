import { type Database, type Statement } from "bun:sqlite";
import { type PaymentId, type PaymentIds } from "../payment-ids.ts";
import { type WriteTurns } from "./write-turns.ts";

type Bindings = Record<string, string | number>;

/** Expired ids that are deleted with each new one. @bound */
const REAP_ROWS = 10;

/** Binding an id to the same fingerprint again prolongs it. */
const TIE = `
  INSERT INTO payment_ids (payer, id, fingerprint, until) VALUES ($payer, $id, $fingerprint, $until)
  ON CONFLICT DO UPDATE SET fingerprint = $fingerprint, until = max(until, $until)
  WHERE until <= $now OR fingerprint = $fingerprint`;

/** The ids of payments, in the ledger's database. `now` gives Unix milliseconds. */
export class SqlitePaymentIds implements PaymentIds {
  readonly #now: () => number;
  readonly #turns: WriteTurns;
  readonly #tie: (bindings: Bindings) => string;
  readonly #untie: Statement<unknown, [Bindings]>;

  constructor(database: Database, now: () => number, turns: WriteTurns) {
    this.#now = now;
    this.#turns = turns;
    const tie = database.query<unknown, [Bindings]>(TIE);
    const find = database.query<{ fingerprint: string }, [Bindings]>(
      "SELECT fingerprint FROM payment_ids WHERE payer = $payer AND id = $id",
    );
    const reap = database.query<unknown, [Bindings]>(
      `DELETE FROM payment_ids WHERE (payer, id) IN (
         SELECT payer, id FROM payment_ids WHERE until <= $now LIMIT ${REAP_ROWS})`,
    );
    const all = database.transaction(({ $payer = "", $id = "", $now = 0, ...rest }: Bindings) => {
      reap.run({ $now });
      tie.run({ $payer, $id, $now, ...rest });
      return find.get({ $payer, $id })?.fingerprint ?? "";
    });
    this.#tie = (bindings) => all.immediate(bindings);
    this.#untie = database.query(
      "DELETE FROM payment_ids WHERE payer = $payer AND id = $id AND fingerprint = $fingerprint",
    );
  }

  async tie({ payer, id }: PaymentId, fingerprint: string, until: number): Promise<string> {
    return this.#turns.run(() =>
      this.#tie({ $payer: payer, $id: id, $fingerprint: fingerprint, $until: until, $now: this.#now() }),
    );
  }

  async untie({ payer, id }: PaymentId, fingerprint: string): Promise<void> {
    await this.#turns.run(() => this.#untie.run({ $payer: payer, $id: id, $fingerprint: fingerprint }));
  }
}
