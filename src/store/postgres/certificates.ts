import { randomUUID } from "node:crypto";
import { type CertificateStore, checkName, LOCK_NAME, type UnreadableEntry } from "../certificate-store.ts";
import { isDue } from "../due.ts";
import { statement } from "./connection.ts";
import { type Database, NOW } from "./database.ts";
import { CERTIFICATES } from "./schema.ts";

/** The entries without their values, which are large and seldom change. */
const DIGEST = "encode(sha256(convert_to(value, 'UTF8')), 'hex')";
const DIGESTS = statement(
  `SELECT name, ${DIGEST} FROM ${CERTIFICATES} WHERE (until = 0 OR until > ${NOW}) AND name <> '${LOCK_NAME}'`,
);
/** The names are separated by spaces, because a name contains no space. */
const VALUES = statement(
  `SELECT name, value, ${DIGEST} FROM ${CERTIFICATES} WHERE name = ANY(string_to_array($1::text, ' '))`,
);
const WRITE = statement(
  `INSERT INTO ${CERTIFICATES} AS old (name, value, until)
   VALUES ($2, $3, CASE WHEN $4::bigint = 0 THEN 0 ELSE ${NOW} + $4::bigint END)
   ON CONFLICT (name) DO UPDATE SET value = excluded.value, until = excluded.until`,
);
const REMOVE = statement(`DELETE FROM ${CERTIFICATES} WHERE name = $1`);
const FORGET = statement(`DELETE FROM ${CERTIFICATES} WHERE until <> 0 AND until <= ${NOW} AND name <> '${LOCK_NAME}'`);
/** One statement decides: if many gateways try at once, one of them gets the lock. */
const HOLD = statement(
  `INSERT INTO ${CERTIFICATES} AS held (name, value, until) VALUES ('${LOCK_NAME}', $2, ${NOW} + $3::bigint)
   ON CONFLICT (name) DO UPDATE SET value = excluded.value, until = excluded.until
   WHERE held.value = excluded.value OR ${isDue("held.until", NOW, "$3::bigint")}
   RETURNING 1`,
);
const LET_GO = statement(`DELETE FROM ${CERTIFICATES} WHERE name = '${LOCK_NAME}' AND value = $1`);

/** Entries in PostgreSQL, shared by all gateways that use the database. Times are those of the database's clock. */
export class PostgresCertificates implements CertificateStore {
  readonly isShared = true;
  /** A query returns all entries or fails. */
  readonly unreadable: ReadonlyMap<string, UnreadableEntry> = new Map();
  readonly #database: Database;
  /** The id of this process in the lock. */
  readonly #holder = randomUUID();
  /** The entries of the last read. It is as large as the table. */
  #known: ReadonlyMap<string, { readonly digest: string; readonly value: string }> = new Map();

  constructor(database: Database) {
    this.#database = database;
  }

  async read(): Promise<ReadonlyMap<string, string>> {
    const { rows } = await this.#database.read(DIGESTS, [this.#database.clock]);
    const digests = new Map(rows.map(([name, digest]) => [name ?? "", digest ?? ""]));
    const changed = [...digests].flatMap(([name, digest]) => (this.#known.get(name)?.digest === digest ? [] : [name]));
    const fresh = changed.length === 0 ? [] : (await this.#database.read(VALUES, [changed.join(" ")])).rows;
    const next = new Map([...this.#known].filter(([name]) => digests.has(name)));
    for (const [name, value, digest] of fresh) next.set(name ?? "", { digest: digest ?? "", value: value ?? "" });
    this.#known = next;
    return new Map([...next].map(([name, { value }]) => [name, value]));
  }

  async write(name: string, value: string | undefined, ms = 0): Promise<void> {
    checkName(name);
    if (value === undefined) await this.#database.durable(REMOVE, [name]);
    else await this.#database.durable(WRITE, [this.#database.clock, name, value, ms]);
  }

  async lease(ms: number): Promise<boolean> {
    if (ms === 0) {
      await this.#database.durable(LET_GO, [this.#holder]);
      return true;
    }
    const { rows } = await this.#database.durable(HOLD, [this.#database.clock, this.#holder, ms]);
    if (rows.length > 0) await this.#database.durable(FORGET, [this.#database.clock]);
    return rows.length > 0;
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
