import { TurnpikeError } from "../../lib/errors.ts";
import { type JobStore } from "../../store/jobs/job-store.ts";
import { type Session, type SessionStore, type TakenSession } from "../../store/jobs/session-store.ts";
import { hashOf, isSecret } from "../jobs/sale.ts";
import { type BrowsingState, type LeftOut } from "../page/browsing-state.ts";
import { holdLease } from "./session-lease.ts";
import { SEAL_NONCE_BYTES, sealed, unsealed } from "./sealed-state.ts";
import { type Pages } from "../page-reader/page-reader.ts";

const ID_BYTES = 16;
const SECRET_BYTES = 24;
/** A secret of the service: another one may be guessed. */
const SECRET = /^[\w-]{32}$/;

/** The time that a session lives: in all, and without use. */
export interface Lifetime {
  readonly ttlMs: number;
  readonly idleMs: number;
}

/** The settings of `Sessions`. `random` returns random bytes; `now` gives monotonic milliseconds. */
export interface SessionsOptions {
  readonly store: Pick<JobStore, "sessions" | "isFull">;
  readonly random: (bytes: number) => Uint8Array;
  readonly now: () => number;
}

/** The sessions of clients: cookies, storage and databases that pages share. Only a client that has the secret can use them. Decision 0922. */
export class Sessions {
  readonly #options: SessionsOptions;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** Adds a session with a secret of its own, or with that of other sessions. Fails with `overloaded` if there is no room. */
  async add(
    { ttlMs, idleMs }: Lifetime,
    given: string,
  ): Promise<{ readonly session: Session; readonly secret: string }> {
    if (given !== "" && !SECRET.test(given)) {
      const message = "must be the secret of another session";
      const errors = [{ path: "session_secret", message }];
      throw new TurnpikeError("invalid-parameters", `Cannot accept the request: 'session_secret' ${message}`, errors);
    }
    const { random } = this.#options;
    const id = Buffer.from(random(ID_BYTES)).toString("hex");
    const secret = given === "" ? Buffer.from(random(SECRET_BYTES)).toString("base64url") : given;
    const secretHash = hashOf(secret).toString("hex");
    const isAdded = await this.#ask((store) => store.create({ id, secretHash, ttlMs, idleMs }));
    const session = isAdded ? await this.#ask((store) => store.find(id)) : undefined;
    if (session === undefined)
      throw new TurnpikeError("overloaded", "Cannot add a session: there are too many; end others, or try again later");
    return { session, secret };
  }

  async list(secret: string): Promise<readonly Session[]> {
    return await this.#ask((store) => store.withSecret(hashOf(secret).toString("hex")));
  }

  /** Throws `not-found` if there is no such session, or the secret is another one. */
  async find(id: string, secret: string): Promise<Session> {
    const session = await this.#ask((store) => store.find(id));
    if (session === undefined || !isSecret(secret, session.secretHash)) throw notFound();
    return session;
  }

  /** The data that a session has not kept. Throws as `find` does. */
  async leftOut(id: string, secret: string): Promise<readonly LeftOut[]> {
    await this.find(id, secret);
    return unsealed(await this.#ask((store) => store.stateOf(id)), { id, secret }).leftOut;
  }

  /** Ends a session, also while it is in use. */
  async end(id: string, secret: string): Promise<void> {
    await this.find(id, secret);
    await this.#ask((store) => store.remove(id));
  }

  /**
   * Passes the state of a session to `use`, and stores the changed state, also if `use` fails. Fails with `session-busy` if
   * the session is in use. `lost` is aborted when the session no longer belongs to this use: nothing of it is kept then.
   */
  async using<T>(id: string, secret: string, use: (state: BrowsingState, lost: AbortSignal) => Promise<T>): Promise<T> {
    await this.find(id, secret);
    const { store, random, now } = this.#options;
    const since = now();
    const taken = await this.#ask((sessions) => sessions.take(id));
    if (taken === undefined) throw notFound();
    if (taken === "busy") throw new TurnpikeError("session-busy", "Cannot use the session: another request uses it");
    const opener = { id, secret };
    const state = unsealed(taken.state, opener);
    const lease = holdLease(store.sessions, taken, { since, now });
    try {
      return await use(state, lease.lost);
    } catch (error) {
      throw lease.lost.aborted ? unavailable() : error;
    } finally {
      lease.end();
      await this.#keep(taken, sealed(state, opener, random(SEAL_NONCE_BYTES)));
    }
  }

  async #keep(taken: TakenSession, state: Uint8Array): Promise<void> {
    if (await this.#ask((store) => store.leave(taken, state))) return;
    throw new TurnpikeError(
      "session-busy",
      "Cannot keep what the page changed: the session was ended, or another request uses it",
    );
  }

  /** Uses the store. Fails with an error for clients. */
  async #ask<T>(use: (store: SessionStore) => Promise<T>): Promise<T> {
    const { store } = this.#options;
    try {
      return await use(store.sessions);
    } catch (error) {
      if (store.isFull(error)) throw new TurnpikeError("overloaded", "The store of sessions is full; try again later");
      throw unavailable();
    }
  }
}

function unavailable(): TurnpikeError {
  return new TurnpikeError("store-unavailable", "The store of sessions cannot be used; try again later");
}

function notFound(): TurnpikeError {
  return new TurnpikeError("not-found", "There is no such session, or the secret is not its secret");
}

/** Loads pages with the cookies and the storage of a session, and keeps theirs in it. */
export function inSession(pages: Pages, session: BrowsingState): Pages {
  return {
    read: (request, task) => pages.read({ ...request, session }, task),
    open: (request, use) => pages.open({ ...request, session }, use),
    show: (request, use, other) => pages.show({ ...request, session }, use, other),
  };
}
