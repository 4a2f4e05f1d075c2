import {
  MAX_OWN_SESSIONS,
  MAX_SESSIONS,
  type NewSession,
  type Session,
  SESSION_LEASE_MS,
  type SessionStore,
  type TakenSession,
} from "../jobs/session-store.ts";
import { Columns, each, asNumber, asText } from "./columns.ts";
import { statement } from "./connection.ts";
import { type Database, NOW } from "./database.ts";
import { SESSIONS } from "./jobs-schema.ts";

/** A killed use blocks its session until its lease ends. The time without use begins then. */
const ALIVE = `expires_at > ${NOW} AND greatest(used_at, leased_until) + idle_ms > ${NOW}`;
/** A number for the advisory lock of new sessions that no other program is likely to use: "turnpik3" in ASCII. */
const LOCK = "8391737060846725683";

const EXPIRE = statement(`DELETE FROM ${SESSIONS} WHERE NOT (${ALIVE}) AND leased_until <= ${NOW}`);
const CREATE = `INSERT INTO ${SESSIONS} (id, secret_hash, idle_ms, created_at, used_at, expires_at)
  SELECT $2, $3, $4::bigint, ${NOW}, ${NOW}, ${NOW} + $5::bigint
  WHERE (SELECT count(*) FROM ${SESSIONS}) < ${MAX_SESSIONS}
    AND (SELECT count(*) FROM ${SESSIONS} WHERE secret_hash = $3) < ${MAX_OWN_SESSIONS}
  RETURNING id`;
const COLUMNS = new Columns<Session>({
  ...each(asText, "id", "secretHash"),
  ...each(asNumber, "idleMs", "createdAt", "usedAt", "expiresAt", "uses", "bytes"),
});
const SESSION = `
  SELECT ${COLUMNS.of("s")} FROM (SELECT *, length(state) AS bytes FROM ${SESSIONS}) AS s WHERE ${ALIVE}`;
const FIND = statement(`${SESSION} AND id = $2`);
const OWN = statement(`${SESSION} AND secret_hash = $2 ORDER BY created_at, id`);
const STATE = statement(`SELECT encode(state, 'base64') FROM ${SESSIONS} WHERE id = $1`);
const LEASED = `leased_until = ${NOW} + ${SESSION_LEASE_MS}`;
const TAKE = statement(`UPDATE ${SESSIONS} SET turn = turn + 1, ${LEASED}
  WHERE id = $2 AND leased_until <= ${NOW} AND ${ALIVE} RETURNING turn, encode(state, 'base64')`);
const HELD = "id = $2 AND turn = $3::bigint AND leased_until > 0";
const RENEW = statement(`UPDATE ${SESSIONS} SET ${LEASED} WHERE ${HELD}`);
const LATEST = `${NOW} + ${SESSION_LEASE_MS}`;
/** After the clock was set back, the time without use and a lease count from now. */
const REWIND = `UPDATE ${SESSIONS} SET used_at = least(used_at, ${NOW}), leased_until = least(leased_until, ${LATEST})
  WHERE (used_at > ${NOW} OR leased_until > ${LATEST})`;
const REWIND_ALL = statement(REWIND);
const REWIND_ONE = statement(`${REWIND} AND id = $2`);
const LEAVE = statement(`UPDATE ${SESSIONS} SET leased_until = 0, used_at = ${NOW} WHERE ${HELD}`);
const KEEP = statement(`UPDATE ${SESSIONS}
  SET leased_until = 0, used_at = ${NOW}, uses = uses + 1, state = decode($4, 'base64') WHERE ${HELD}`);
const REMOVE = statement(`DELETE FROM ${SESSIONS} WHERE id = $1`);

/** Sessions in PostgreSQL, which all content services of a fleet share. Times are those of the database's clock. */
export class PostgresSessions implements SessionStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async create({ id, secretHash, idleMs, ttlMs }: NewSession): Promise<boolean> {
    await this.removeExpired();
    const values = [this.#database.clock, id, secretHash, idleMs, ttlMs];
    // Statements that run at once would not count each other's sessions.
    return await this.#database.transaction("", async (run) => {
      await run(`SELECT pg_advisory_xact_lock(${LOCK})`);
      return (await run(CREATE, values)).length > 0;
    });
  }

  async find(id: string): Promise<Session | undefined> {
    return (await this.#database.read(FIND, [this.#database.clock, id])).rows.map(COLUMNS.read)[0];
  }

  async stateOf(id: string): Promise<Uint8Array> {
    const [row] = (await this.#database.read(STATE, [id])).rows;
    return Buffer.from(row?.[0] ?? "", "base64");
  }

  async withSecret(secretHash: string): Promise<readonly Session[]> {
    return (await this.#database.read(OWN, [this.#database.clock, secretHash])).rows.map(COLUMNS.read);
  }

  async take(id: string): Promise<TakenSession | "busy" | undefined> {
    const [row] = (await this.#database.durable(TAKE, [this.#database.clock, id])).rows;
    if (row !== undefined) return { id, turn: Number(row[0]), state: Buffer.from(row[1] ?? "", "base64") };
    await this.#database.quick(REWIND_ONE, [this.#database.clock, id]);
    return (await this.find(id)) === undefined ? undefined : "busy";
  }

  async renew({ id, turn }: TakenSession): Promise<boolean> {
    return (await this.#database.quick(RENEW, [this.#database.clock, id, turn])).count > 0;
  }

  async leave({ id, turn }: TakenSession, state?: Uint8Array): Promise<boolean> {
    const values = [this.#database.clock, id, turn];
    const { count } = await (state === undefined
      ? this.#database.durable(LEAVE, values)
      : this.#database.durable(KEEP, [...values, Buffer.from(state).toString("base64")]));
    return count > 0;
  }

  async remove(id: string): Promise<boolean> {
    return (await this.#database.durable(REMOVE, [id])).count > 0;
  }

  async removeExpired(): Promise<void> {
    await this.#database.quick(REWIND_ALL, [this.#database.clock]);
    await this.#database.quick(EXPIRE, [this.#database.clock]);
  }
}
