import { type Database, type Statement } from "bun:sqlite";
import { type SimulatedTransfer, type SimulatedTransfers } from "../simulated-transfers.ts";
import { type PaymentKey } from "../ledger.ts";
import { type WriteTurns } from "./write-turns.ts";

interface TransferRow {
  network: string;
  asset: string;
  payer_from: string;
  nonce: string;
  digest: string;
  pay_to: string;
  amount: string;
  tx: string;
}

type Bindings = Record<string, string | number>;

/**
 * Milliseconds for which a simulated transfer is kept: twice the longest validity that a route allows for a payment.
 * @bound
 */
const KEEP_MS = 2 * 86_400_000;
/** Old transfers that are deleted with each new one. */
const REAP_ROWS = 10;

/** Test mode's simulated transfers, in the ledger's database. `now` gives Unix milliseconds. */
export class SqliteSimulatedTransfers implements SimulatedTransfers {
  readonly #now: () => number;
  readonly #turns: WriteTurns;
  readonly #book: Statement<unknown, [Bindings]>;
  readonly #reap: Statement<unknown, [Bindings]>;
  readonly #find: Statement<TransferRow, [Bindings]>;

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
      "SELECT * FROM bookings WHERE network = $network AND asset = $asset AND payer_from = $from AND nonce = $nonce",
    );
  }

  async book(transfer: SimulatedTransfer): Promise<SimulatedTransfer> {
    const now = this.#now();
    await this.#turns.run(() => this.#reap.run({ $before: now - KEEP_MS }));
    await this.#turns.run(() =>
      this.#book.run({
        $network: transfer.network,
        $asset: transfer.asset,
        $from: transfer.from,
        $nonce: transfer.nonce,
        $digest: transfer.digest,
        $to: transfer.to,
        $amount: transfer.amount,
        $tx: transfer.transaction,
        $now: now,
      }),
    );
    return (await this.find(transfer)) ?? transfer;
  }

  async find({ network, asset, from, nonce }: PaymentKey): Promise<SimulatedTransfer | undefined> {
    const row = this.#find.get({ $network: network, $asset: asset, $from: from, $nonce: nonce });
    if (row === null) return undefined;
    const { digest, pay_to: to, amount, tx: transaction } = row;
    return { network, asset, from, nonce, digest, to, amount, transaction };
  }
}
