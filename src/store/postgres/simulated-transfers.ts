import { KEEP_MS, type SimulatedTransfer, type SimulatedTransfers } from "../simulated-transfers.ts";
import { type PaymentKey } from "../ledger.ts";
import { Columns, each, asText } from "./columns.ts";
import { statement } from "./connection.ts";
import { type Database, NOW } from "./database.ts";
import { keyOf } from "./payment-row.ts";
import { SIMULATED_TRANSFERS } from "./schema.ts";

/** Old transfers that are deleted with each new one. */
const REAP_ROWS = 10;

const TRANSFER = new Columns<SimulatedTransfer>({
  ...each(asText, "network", "asset", "nonce", "digest", "amount"),
  from: ["payer_from", asText],
  to: ["pay_to", asText],
  transaction: ["tx", asText],
});
const BOOK = statement(`
  INSERT INTO ${SIMULATED_TRANSFERS} (network, asset, payer_from, nonce, digest, pay_to, amount, tx, booked_at)
  SELECT $2, $3, $4, $5, $6, $7, $8, $9, ${NOW} ON CONFLICT DO NOTHING`);
const FIND = statement(
  `SELECT ${TRANSFER.of("b")} FROM ${SIMULATED_TRANSFERS} AS b
   WHERE b.network = $1 AND b.asset = $2 AND b.payer_from = $3 AND b.nonce = $4`,
);
const REAP = statement(`
  WITH old AS MATERIALIZED (
    SELECT network, asset, payer_from, nonce FROM ${SIMULATED_TRANSFERS} WHERE booked_at < ${NOW} - ${KEEP_MS}
    LIMIT ${REAP_ROWS} FOR UPDATE SKIP LOCKED)
  DELETE FROM ${SIMULATED_TRANSFERS} AS b USING old
  WHERE (b.network, b.asset, b.payer_from, b.nonce) = (old.network, old.asset, old.payer_from, old.nonce)`);

/** Test mode's simulated transfers, in the ledger's database. */
export class PostgresSimulatedTransfers implements SimulatedTransfers {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async book(transfer: SimulatedTransfer): Promise<SimulatedTransfer> {
    const { digest, to, amount, transaction } = transfer;
    const { clock } = this.#database;
    await this.#database.quick(REAP, [clock]);
    await this.#database.durable(BOOK, [clock, ...keyOf(transfer), digest, to, amount, transaction]);
    return (await this.find(transfer)) ?? transfer;
  }

  async find(key: PaymentKey): Promise<SimulatedTransfer | undefined> {
    const { rows } = await this.#database.read(FIND, keyOf(key));
    return rows.map(TRANSFER.read)[0];
  }
}
