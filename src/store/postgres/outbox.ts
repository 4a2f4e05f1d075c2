import { isDue } from "../due.ts";
import { MAX_NOTICE_WAIT_MS, type Notice, NOTICE_LEASE_MS, type Outbox } from "../outbox.ts";
import { Columns, asNumber, asText } from "./columns.ts";
import { statement } from "./connection.ts";
import { type Database, NOW } from "./database.ts";
import { OUTBOX } from "./schema.ts";

const NOTICE = new Columns<Notice>({ id: asText, url: asText, body: asText, tries: asNumber, createdAt: asNumber });
const CLAIM = statement(`
  WITH due AS MATERIALIZED (
    SELECT id FROM ${OUTBOX} WHERE ${isDue("due_at", NOW, MAX_NOTICE_WAIT_MS)} ORDER BY due_at, id LIMIT $2::int FOR UPDATE SKIP LOCKED)
  UPDATE ${OUTBOX} AS o SET due_at = ${NOW} + ${NOTICE_LEASE_MS} FROM due WHERE o.id = due.id
  RETURNING ${NOTICE.of("o")}`);
const DONE = statement(`DELETE FROM ${OUTBOX} WHERE id = $1`);
const POSTPONE = statement(`UPDATE ${OUTBOX} SET tries = tries + 1, due_at = ${NOW} + $3::bigint WHERE id = $2`);
const TRIM = statement(`
  WITH oldest AS MATERIALIZED (
    SELECT id FROM ${OUTBOX} ORDER BY created_at, id
    LIMIT greatest(0, (SELECT count(*) FROM ${OUTBOX}) - $1::bigint) FOR UPDATE SKIP LOCKED)
  DELETE FROM ${OUTBOX} AS o USING oldest WHERE o.id = oldest.id`);
const SIZE = statement(`SELECT count(*) FROM ${OUTBOX}`);

/** The outbox in the ledger's database. */
export class PostgresOutbox implements Outbox {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async claim(limit: number): Promise<readonly Notice[]> {
    const { rows } = await this.#database.quick(CLAIM, [this.#database.clock, limit]);
    // An UPDATE returns its rows in no defined order.
    return rows.map(NOTICE.read).toSorted((a, b) => a.createdAt - b.createdAt);
  }

  async done(id: string): Promise<void> {
    await this.#database.quick(DONE, [id]);
  }

  async postpone(id: string, delayMs: number): Promise<void> {
    await this.#database.quick(POSTPONE, [this.#database.clock, id, delayMs]);
  }

  async trim(most: number): Promise<number> {
    return (await this.#database.quick(TRIM, [most])).count;
  }

  async size(): Promise<number> {
    const { rows } = await this.#database.read(SIZE, []);
    return Number(rows[0]?.[0]);
  }
}
