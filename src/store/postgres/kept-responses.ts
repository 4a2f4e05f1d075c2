import { createHash } from "node:crypto";
import { type KeptResponses } from "../kept-responses.ts";
import { statement } from "./connection.ts";
import { type Database, NOW } from "./database.ts";
import { RESPONSES } from "./schema.ts";

/** Bytes of one response in the database. A longer one is kept only by its own gateway. In Base64 it fits into one message. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
/** Bytes of all responses that one process sends to the database at a time. Beyond them a response is not shared. */
const MAX_SENDING_BYTES = 32 * 1024 * 1024;

const KEEP = statement(`
  INSERT INTO ${RESPONSES} (name, until, size, response)
  SELECT $2, ${NOW} + $3::bigint, $4::integer, decode($5, 'base64')
  ON CONFLICT (name) DO UPDATE SET until = excluded.until, size = excluded.size, response = excluded.response`);
const HAS = statement(`SELECT 1 FROM ${RESPONSES} WHERE name = $2 AND until > ${NOW}`);
const FIND = statement(`SELECT encode(response, 'base64') FROM ${RESPONSES} WHERE name = $2 AND until > ${NOW}`);
const SWEEP = statement(`
  WITH old AS MATERIALIZED (
    SELECT name FROM ${RESPONSES} WHERE until <= ${NOW} ORDER BY until LIMIT $2::integer FOR UPDATE SKIP LOCKED)
  DELETE FROM ${RESPONSES} AS r USING old WHERE r.name = old.name`);
const SPACE = statement(`SELECT coalesce(sum(size), 0) FROM ${RESPONSES}`);

/**
 * Responses in PostgreSQL. A crash of the database's machine may lose those of its last second. The limit on space is
 * checked against the last count, so that a keep reads no other row: all processes together may exceed it by what they
 * keep between two sweeps.
 */
export class PostgresResponses implements KeptResponses {
  readonly #database: Database;
  readonly #maxBytes: number;
  #usedBytes = 0;
  #sendingBytes = 0;

  /** `maxBytes` is the limit of all responses together. */
  constructor(database: Database, maxBytes: number) {
    this.#database = database;
    this.#maxBytes = maxBytes;
  }

  async keep(key: string, response: Uint8Array, ms: number): Promise<boolean> {
    const { length } = response;
    const fits = length <= MAX_RESPONSE_BYTES && this.#sendingBytes + length <= MAX_SENDING_BYTES;
    if (!fits || this.#usedBytes + length > this.#maxBytes) return false;
    this.#sendingBytes += length;
    this.#usedBytes += length;
    try {
      const base64 = Buffer.from(response.buffer, response.byteOffset, length).toString("base64");
      await this.#database.quick(KEEP, [this.#database.clock, responseNameOf(key), Math.ceil(ms), length, base64]);
      return true;
    } finally {
      this.#sendingBytes -= length;
    }
  }

  async has(key: string): Promise<boolean> {
    return (await this.#database.read(HAS, [this.#database.clock, responseNameOf(key)])).rows.length > 0;
  }

  async find(key: string): Promise<Buffer | undefined> {
    const { rows } = await this.#database.read(FIND, [this.#database.clock, responseNameOf(key)]);
    const base64 = rows[0]?.[0];
    return typeof base64 === "string" ? Buffer.from(base64, "base64") : undefined;
  }

  async sweep(limit: number): Promise<number> {
    const { count } = await this.#database.quick(SWEEP, [this.#database.clock, limit]);
    const { rows } = await this.#database.read(SPACE, []);
    this.#usedBytes = Number(rows[0]?.[0]);
    return count;
  }
}

/** Keys contain a payment's hash, so the names do not repeat them. */
function responseNameOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
