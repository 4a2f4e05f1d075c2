import {
  MAX_OWN_SESSIONS,
  MAX_SESSIONS,
  type NewSession,
  type Session,
  SESSION_LEASE_MS,
  type SessionStore,
  type TakenSession,
} from "../jobs/session-store.ts";
import { type SqliteConnection } from "./sqlite-connection.ts";

/** A killed use blocks its session until its lease ends. The time without use begins then. */
const ALIVE = "expires_at > $now AND max(used_at, leased_until) + idle_ms > $now";

const CREATE = `INSERT INTO sessions (id, secret_hash, idle_ms, created_at, used_at, expires_at)
  SELECT $id, $secretHash, $idleMs, $now, $now, $now + $ttlMs
  WHERE (SELECT count(*) FROM sessions) < ${MAX_SESSIONS}
    AND (SELECT count(*) FROM sessions WHERE secret_hash = $secretHash) < ${MAX_OWN_SESSIONS}`;
const SESSION = `SELECT id, secret_hash AS secretHash, idle_ms AS idleMs, created_at AS createdAt, used_at AS usedAt,
  expires_at AS expiresAt, uses, length(state) AS bytes FROM sessions WHERE ${ALIVE}`;
const LEASED = `leased_until = $now + ${SESSION_LEASE_MS}`;
const TAKE = `UPDATE sessions SET turn = turn + 1, ${LEASED}
  WHERE id = $id AND leased_until <= $now AND ${ALIVE} RETURNING id, turn, state`;
const HELD = "id = $id AND turn = $turn AND leased_until > 0";
const RENEW = `UPDATE sessions SET ${LEASED} WHERE ${HELD}`;
/** After the clock was set back, the time without use and a lease count from now. */
const REWIND = `UPDATE sessions SET used_at = min(used_at, $now), leased_until = min(leased_until, $now + ${SESSION_LEASE_MS})
  WHERE (used_at > $now OR leased_until > $now + ${SESSION_LEASE_MS})`;
const LEAVE = `UPDATE sessions SET leased_until = 0, used_at = $now WHERE ${HELD}`;
const KEEP = `UPDATE sessions SET leased_until = 0, used_at = $now, uses = uses + 1, state = $state WHERE ${HELD}`;
const EXPIRED = `DELETE FROM sessions WHERE NOT (${ALIVE}) AND leased_until <= $now`;

/** Sessions in an SQLite file. */
export class SqliteSessions implements SessionStore {
  readonly #file: SqliteConnection;

  constructor(file: SqliteConnection) {
    this.#file = file;
  }

  create(session: NewSession): Promise<boolean> {
    return this.#file.transaction(() => {
      this.removeExpired();
      return this.#file.run(CREATE, { ...session, now: this.#file.now() }) > 0;
    });
  }

  async find(id: string): Promise<Session | undefined> {
    return this.#file.get<Session>(`${SESSION} AND id = $id`, { id, now: this.#file.now() });
  }

  async stateOf(id: string): Promise<Uint8Array> {
    const state = "SELECT state FROM sessions WHERE id = $id";
    return this.#file.get<{ state: Uint8Array }>(state, { id })?.state ?? new Uint8Array();
  }

  async withSecret(secretHash: string): Promise<readonly Session[]> {
    const own = `${SESSION} AND secret_hash = $secretHash ORDER BY created_at, id`;
    return this.#file.all<Session>(own, { secretHash, now: this.#file.now() });
  }

  take(id: string): Promise<TakenSession | "busy" | undefined> {
    return this.#file.transaction(() => {
      const now = this.#file.now();
      const taken = this.#file.get<TakenSession>(TAKE, { id, now });
      if (taken !== undefined) return taken;
      this.#file.run(`${REWIND} AND id = $id`, { id, now });
      return this.#file.get(`${SESSION} AND id = $id`, { id, now }) === undefined ? undefined : "busy";
    });
  }

  async renew({ id, turn }: TakenSession): Promise<boolean> {
    return (await this.#file.write(RENEW, { id, turn, now: this.#file.now() })) > 0;
  }

  async leave({ id, turn }: TakenSession, state?: Uint8Array): Promise<boolean> {
    const values = { id, turn, now: this.#file.now() };
    const count = await (state === undefined
      ? this.#file.write(LEAVE, values)
      : this.#file.write(KEEP, { ...values, state }));
    return count > 0;
  }

  async remove(id: string): Promise<boolean> {
    return (await this.#file.write("DELETE FROM sessions WHERE id = $id", { id })) > 0;
  }

  /** Removes the sessions that have expired. Called within a transaction. */
  removeExpired(): void {
    const now = this.#file.now();
    this.#file.run(REWIND, { now });
    this.#file.run(EXPIRED, { now });
  }
}
