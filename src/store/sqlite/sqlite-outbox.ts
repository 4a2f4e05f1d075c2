import { isDue } from "../due.ts";
import { MAX_NOTICE_WAIT_MS, type Notice, NOTICE_LEASE_MS, type Outbox } from "../outbox.ts";
import { type SqliteConnection } from "./sqlite-connection.ts";

/** SQL that adds a notice, in a transaction of the caller. */
export const POST = `
  INSERT INTO outbox (id, url, body, due_at, created_at) VALUES ($id, $url, $body, $now, $now) ON CONFLICT DO NOTHING`;

const DUE = isDue("due_at", "$now", MAX_NOTICE_WAIT_MS);

const CLAIM = `
  UPDATE outbox SET due_at = $until
  WHERE id IN (SELECT id FROM outbox WHERE ${DUE} ORDER BY due_at, id LIMIT $limit)
  RETURNING id, url, body, tries, created_at AS createdAt`;

const TRIM = `
  DELETE FROM outbox WHERE id IN (
    SELECT id FROM outbox ORDER BY created_at, id LIMIT max(0, (SELECT count(*) FROM outbox) - $most))`;

/** The outbox in the ledger's database. */
export class SqliteOutbox implements Outbox {
  readonly #file: SqliteConnection;

  constructor(file: SqliteConnection) {
    this.#file = file;
  }

  async claim(limit: number): Promise<readonly Notice[]> {
    const now = this.#file.now();
    // An UPDATE would wait for the write lock even if there is nothing to do.
    if (this.#file.get(`SELECT 1 FROM outbox WHERE ${DUE} LIMIT 1`, { now }) === undefined) return [];
    const claimed = { now, until: now + NOTICE_LEASE_MS, limit };
    const rows = await this.#file.turn(() => this.#file.all<Notice>(CLAIM, claimed));
    // An UPDATE returns its rows in no defined order.
    return rows.toSorted((a, b) => a.createdAt - b.createdAt);
  }

  async done(id: string): Promise<void> {
    await this.#file.write("DELETE FROM outbox WHERE id = $id", { id });
  }

  async postpone(id: string, delayMs: number): Promise<void> {
    const dueAt = this.#file.now() + delayMs;
    await this.#file.write("UPDATE outbox SET tries = tries + 1, due_at = $dueAt WHERE id = $id", { id, dueAt });
  }

  trim(most: number): Promise<number> {
    return this.#file.write(TRIM, { most });
  }

  async size(): Promise<number> {
    return this.#file.get<{ count: number }>("SELECT count(*) AS count FROM outbox")?.count ?? 0;
  }
}
