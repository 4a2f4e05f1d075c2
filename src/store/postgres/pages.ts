import { messageOf } from "../../lib/caught.ts";
import { MAX_PAGE_BYTES, type PageStore, type PageStoreOptions, type StoredPage } from "../page-store.ts";
import { statement } from "./connection.ts";
import { type Database } from "./database.ts";
import { type Schema } from "./schema.ts";

const PAGES = "turnpike_pages";
/** Puts of one process after which it removes what exceeds the limit. Until then the store may be that much larger. @bound */
const TRIM_EVERY = 64;

/** The tables of pages. A released migration is never edited. */
export const PAGE_SCHEMA: Schema = {
  version: "turnpike_page_schema",
  first: 1,
  migrations: [
    [
      `CREATE SEQUENCE ${PAGES}_put`,
      `CREATE TABLE ${PAGES} (
         space text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, at bigint NOT NULL, put bigint NOT NULL,
         bytes bigint NOT NULL, head text NOT NULL, body bytea NOT NULL, PRIMARY KEY (space, key, at)
       )`,
      `CREATE INDEX ${PAGES}_by_put ON ${PAGES} (space, put) INCLUDE (bytes)`,
      // The bodies are compressed already.
      `ALTER TABLE ${PAGES} ALTER COLUMN body SET STORAGE EXTERNAL`,
    ],
  ],
};

const GET = statement(`SELECT at, head, encode(body, 'base64') FROM ${PAGES}
  WHERE space = $1 AND key = $2 AND at <= $3::bigint ORDER BY at DESC LIMIT 1`);
/** The statement does not see the row that it adds. */
const PUT = statement(`
  WITH added AS (
    INSERT INTO ${PAGES} (space, key, at, bytes, head, body, put)
    VALUES ($1, $2, $3::bigint, $4::bigint, $5, decode($6, 'base64'), nextval('${PAGES}_put'))
    ON CONFLICT (space, key, at) DO UPDATE
    SET bytes = excluded.bytes, head = excluded.head, body = excluded.body, put = excluded.put)
  DELETE FROM ${PAGES} WHERE space = $1 AND key = $2 AND at IN (
    SELECT at FROM ${PAGES} WHERE space = $1 AND key = $2 AND at <> $3::bigint ORDER BY at DESC OFFSET $7::integer - 1)`);
const REMOVE = statement(`DELETE FROM ${PAGES} WHERE space = $1 AND key = $2`);
const TRIM = statement(`
  WITH sized AS (SELECT put, sum(bytes) OVER (ORDER BY put DESC) AS total FROM ${PAGES} WHERE space = $1)
  DELETE FROM ${PAGES} AS old USING sized WHERE space = $1 AND old.put = sized.put AND total > $2::bigint`);

/** Pages in PostgreSQL, which all content services of a fleet share. */
export class PostgresPages implements PageStore {
  readonly #database: Database;
  readonly #options: PageStoreOptions;
  #puts = 0;

  constructor(database: Database, options: PageStoreOptions) {
    this.#database = database;
    this.#options = options;
  }

  async get(key: string, upTo = Number.MAX_SAFE_INTEGER): Promise<StoredPage | undefined> {
    return await this.#using("read", async () => {
      const [row] = (await this.#database.read(GET, [this.#options.name, key, upTo])).rows;
      return (
        row && { at: Number(row[0]), head: row[1] ?? "", body: new Uint8Array(Buffer.from(row[2] ?? "", "base64")) }
      );
    });
  }

  async put(key: string, { at, head, body }: StoredPage): Promise<void> {
    const { name, maxBytes, versions } = this.#options;
    const bytes = body.length + head.length + key.length;
    if (bytes > MAX_PAGE_BYTES) return;
    await this.#using("write", async () => {
      const values = [name, key, at, bytes, head, Buffer.from(body).toString("base64"), versions];
      await this.#database.quick(PUT, values);
      this.#puts += 1;
      if (this.#puts % TRIM_EVERY === 0) await this.#database.quick(TRIM, [name, maxBytes]);
    });
  }

  async remove(key: string): Promise<void> {
    await this.#using("write", async () => void (await this.#database.quick(REMOVE, [this.#options.name, key])));
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async #using<T>(what: string, use: () => Promise<T>): Promise<T | undefined> {
    try {
      return await use();
    } catch (error) {
      this.#options.log(`Cannot ${what} the ${this.#options.name}: ${messageOf(error)}`);
      return undefined;
    }
  }
}
