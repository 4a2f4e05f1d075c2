import { type Database, type Statement } from "bun:sqlite";
import { KEEP_MS, type SimulatedTransfer, type SimulatedTransfers } from "../simulated-transfers.ts";
import { type PaymentKey } from "../ledger.ts";
import { type Bindings, keyOf } from "./sqlite-payment-row.ts";
import { type WriteTurns } from "./write-turns.ts";

/** Old transfers that are deleted with each new one. */
const REAP_ROWS = 10;

/** Test mode's simulated transfers, in the ledger's database. `now` gives Unix milliseconds. */
export class SqliteSimulatedTransfers implements SimulatedTransfers {
  readonly #now: () => number;
  readonly #turns: WriteTurns;
  readonly #book: Statement<unknown, [Bindings]>;
  readonly #reap: Statement<unknown, [Bindings]>;
  readonly #find: Statement<SimulatedTransfer, [Bindings]>;

  constructor(database: Database, now: () => number, turns: WriteTurns) {
    this.#now = now;
    this.#turns = turns;
    this.#book = database.query(
      `INSERT INTO bookings (network, asset, payer_from, nonce, digest, pay_to, amount, tx, booked_at)
       VALUES ($network, $asset, $from, $nonce, $digest, $to, $amount, $tx, $now) ON CONFLICT DO NOTHING`,
    );
    this.#reap = database.query(
      `DELETE FROM bookings WHERE (network, asset, payer_from, nonce) IN (
         SELECT network, asset, payer_from, nonce FROM bookings WHERE booked_at < $before LIMIT ${REAP_ROWS})`,
    );
    this.#find = database.query(
      `SELECT network, asset, payer_from AS "from", nonce, digest, pay_to AS "to", amount, tx AS "transaction" FROM bookings
       WHERE network = $network AND asset = $asset AND payer_from = $from AND nonce = $nonce`,
    );
  }

  async book(transfer: SimulatedTransfer): Promise<SimulatedTransfer> {
    const now = this.#now();
    await this.#turns.run(() => this.#reap.run({ $before: now - KEEP_MS }));
    await this.#turns.run(() =>
      this.#book.run({
        ...keyOf(transfer),
        $digest: transfer.digest,
        $to: transfer.to,
        $amount: transfer.amount,
        $tx: transfer.transaction,
        $now: now,
      }),
    );
    return (await this.find(transfer)) ?? transfer;
  }

  async find(key: PaymentKey): Promise<SimulatedTransfer | undefined> {
    return this.#find.get(keyOf(key)) ?? undefined;
  }
}
