/**
 * The sessions of clients: what a browser keeps for them between two calls, encrypted. Any number of content services share
 * one store. A session that one of them uses belongs to it for `SESSION_LEASE_MS` after each `take` or `renew`.
 */
export interface SessionStore {
  /** Adds a session. False if `MAX_SESSIONS` exist, or `MAX_OWN_SESSIONS` with its secret. */
  create(session: NewSession): Promise<boolean>;
  /** Undefined if it has expired. A session in use does not expire without use. */
  find(id: string): Promise<Session | undefined>;
  /** The state that its last use has kept. Empty if there is no such session. */
  stateOf(id: string): Promise<Uint8Array>;
  /** The sessions with this secret, the oldest first. */
  withSecret(secretHash: string): Promise<readonly Session[]>;
  /**
   * Takes a session for one use. "busy" while it belongs to another use; undefined if it has expired. A use does not end by
   * its lease alone: after that, the first `take` ends it. A step back of the clock adds nothing to a lease.
   */
  take(id: string): Promise<TakenSession | "busy" | undefined>;
  /** Begins the lease again. False if the session has gone, or belongs to another use. */
  renew(taken: TakenSession): Promise<boolean>;
  /**
   * Ends a use, and keeps a new state if there is one: once this has resolved, no end of a service loses it. False if the
   * session has gone, or belongs to another use: then nothing changes.
   */
  leave(taken: TakenSession, state?: Uint8Array): Promise<boolean>;
  /** False if there is no such session. */
  remove(id: string): Promise<boolean>;
}

/** Sessions at one time, and those with one secret. A further one is rejected. @operator */
export const MAX_SESSIONS = 10_000;
export const MAX_OWN_SESSIONS = 100;
/** Milliseconds for which a session belongs to a use that does not renew its lease, because its service has ended. @bound */
export const SESSION_LEASE_MS = 15_000;

/** The part of a session that never changes. */
export interface NewSession {
  /** A random name that cannot be guessed. */
  readonly id: string;
  /** The hash of the secret that its owner has. */
  readonly secretHash: string;
  /** Milliseconds until it expires: in all, and without use. */
  readonly ttlMs: number;
  readonly idleMs: number;
}

/** A session. Times are in Unix milliseconds. */
export interface Session extends Omit<NewSession, "ttlMs"> {
  readonly createdAt: number;
  readonly usedAt: number;
  readonly expiresAt: number;
  /** Uses that have ended with a new state, and bytes of the state. */
  readonly uses: number;
  readonly bytes: number;
}

export interface TakenSession {
  readonly id: string;
  /** Number of times that it was taken. */
  readonly turn: number;
  /** Empty before the first use. */
  readonly state: Uint8Array;
}
