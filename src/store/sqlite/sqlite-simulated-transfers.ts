import { KEEP_MS, type SimulatedTransfer, type SimulatedTransfers } from "../simulated-transfers.ts";
import { type PaymentKey } from "../ledger.ts";
import { type SqliteConnection } from "./sqlite-connection.ts";
import { OF_KEY } from "./sqlite-payment-row.ts";

/** Old transfers that are deleted with each new one. */
const REAP_ROWS = 10;

const BOOK = `
  INSERT INTO bookings (network, asset, payer_from, nonce, digest, pay_to, amount, tx, booked_at)
  VALUES ($network, $asset, $from, $nonce, $digest, $to, $amount, $transaction, $now) ON CONFLICT DO NOTHING`;

const REAP = `
  DELETE FROM bookings WHERE (network, asset, payer_from, nonce) IN (
    SELECT network, asset, payer_from, nonce FROM bookings WHERE booked_at < $before LIMIT ${REAP_ROWS})`;

const FIND = `
  SELECT network, asset, payer_from AS "from", nonce, digest, pay_to AS "to", amount, tx AS "transaction" FROM bookings
  WHERE ${OF_KEY}`;

/** Test mode's simulated transfers, in the ledger's database. */
export class SqliteSimulatedTransfers implements SimulatedTransfers {
  readonly #file: SqliteConnection;

  constructor(file: SqliteConnection) {
    this.#file = file;
  }

  async book(transfer: SimulatedTransfer): Promise<SimulatedTransfer> {
    const now = this.#file.now();
    await this.#file.write(REAP, { before: now - KEEP_MS });
    await this.#file.write(BOOK, { ...transfer, now });
    return (await this.find(transfer)) ?? transfer;
  }

  async find(key: PaymentKey): Promise<SimulatedTransfer | undefined> {
    return this.#file.get(FIND, key);
  }
}
