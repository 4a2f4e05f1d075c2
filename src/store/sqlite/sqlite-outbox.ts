import { type Database, type Statement } from "bun:sqlite";
import { type Notice, NOTICE_LEASE_MS, type Outbox } from "../outbox.ts";
import { type WriteTurns } from "./write-turns.ts";

type Bindings = Record<string, string | number>;

const CLAIM = `
  UPDATE outbox SET due_at = $until
  WHERE id IN (SELECT id FROM outbox WHERE due_at <= $now ORDER BY due_at, id LIMIT $limit)
  RETURNING id, url, body, tries, created_at AS createdAt`;

const TRIM = `
  DELETE FROM outbox WHERE id IN (
    SELECT id FROM outbox ORDER BY created_at, id LIMIT max(0, (SELECT count(*) FROM outbox) - $most))`;

/** The outbox in the ledger's database. `now` gives Unix milliseconds. */
export class SqliteOutbox implements Outbox {
  readonly #now: () => number;
  readonly #turns: WriteTurns;
  readonly #claim: Statement<Notice, [Bindings]>;
  readonly #due: Statement<unknown, [Bindings]>;
  readonly #done: Statement<unknown, [Bindings]>;
  readonly #postpone: Statement<unknown, [Bindings]>;
  readonly #trim: Statement<unknown, [Bindings]>;
  readonly #size: Statement<{ count: number }, []>;

  constructor(database: Database, now: () => number, turns: WriteTurns) {
    this.#now = now;
    this.#turns = turns;
    this.#claim = database.query(CLAIM);
    this.#due = database.query("SELECT 1 FROM outbox WHERE due_at <= $now LIMIT 1");
    this.#done = database.query("DELETE FROM outbox WHERE id = $id");
    this.#postpone = database.query("UPDATE outbox SET tries = tries + 1, due_at = $dueAt WHERE id = $id");
    this.#trim = database.query(TRIM);
    this.#size = database.query("SELECT count(*) AS count FROM outbox");
  }

  async claim(limit: number): Promise<readonly Notice[]> {
    const now = this.#now();
    // An UPDATE would wait for the write lock even if there is nothing to do.
    if (this.#due.get({ $now: now }) === null) return [];
    const rows = await this.#turns.run(() =>
      this.#claim.all({ $now: now, $until: now + NOTICE_LEASE_MS, $limit: limit }),
    );
    // An UPDATE returns its rows in no defined order.
    return rows.toSorted((a, b) => a.createdAt - b.createdAt);
  }

  async done(id: string): Promise<void> {
    await this.#turns.run(() => this.#done.run({ $id: id }));
  }

  async postpone(id: string, dueAt: number): Promise<void> {
    await this.#turns.run(() => this.#postpone.run({ $id: id, $dueAt: dueAt }));
  }

  async trim(most: number): Promise<number> {
    return this.#turns.run(() => this.#trim.run({ $most: most }).changes);
  }

  async size(): Promise<number> {
    return this.#size.get()?.count ?? 0;
  }
}
