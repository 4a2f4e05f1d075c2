import { TurnpikeError } from "../../../lib/errors.ts";
import { type Actor, type OnEvent } from "../../telemetry/event.ts";
import { type Connection } from "./connection.ts";
import { type Access, accessOf, type AdminKeys, sameKeys } from "./keys.ts";
import { rawProblem } from "./problem.ts";
import { hasCsrfToken, type Session, Sessions, sessionToken } from "./sessions.ts";
import { Throttle } from "./throttle.ts";

/** Events about slowed addresses in one minute: a flood from many addresses must not push out all others. */
const MAX_EVENTS = 6;
const MINUTE_MS = 60_000;

export interface Caller {
  readonly access: Access;
  readonly by: Actor;
  /** Undefined if the request has its own key. */
  readonly session: Session | undefined;
}

/** A refusal that says when to try again. */
export class TooManyTries extends TurnpikeError {
  readonly retryAfterSeconds: number;

  constructor(waitMs: number) {
    const seconds = Math.ceil(waitMs / 1000);
    super("rate-limited", `Cannot check the key: this address has sent too many wrong keys; wait ${seconds} s`);
    this.retryAfterSeconds = seconds;
  }
}

/** Admits requests that have a valid key, or the cookie of a session that was opened with one. */
export class Guard {
  readonly sessions: Sessions;
  readonly #throttle: Throttle;
  readonly #clock: () => number;
  readonly #onEvent: OnEvent;
  #keys: AdminKeys | undefined;
  #eventsSince = Number.NEGATIVE_INFINITY;
  #events = 0;

  /** `clock` returns monotonic milliseconds. */
  constructor(onEvent: OnEvent, clock: () => number = () => performance.now()) {
    this.sessions = new Sessions(clock);
    this.#throttle = new Throttle(clock);
    this.#clock = clock;
    this.#onEvent = onEvent;
  }

  /** Replaces the keys; undefined removes them. If the keys change, all sessions end. */
  set keys(keys: AdminKeys | undefined) {
    if (keys !== undefined && this.#keys !== undefined && sameKeys(keys, this.#keys)) return;
    this.#keys = keys;
    this.sessions.endAll();
  }

  /**
   * Throws if the request has no access. `changes`: the request changes something, so a session must also send its CSRF
   * token, which pages of other sites do not have.
   */
  admit(headers: Headers, connection: Connection, changes: boolean): Caller {
    const shown = shownKey(headers);
    if (shown !== undefined) return this.#byKey(this.check(shown, connection), connection);
    const token = sessionToken(headers.get("cookie"));
    const session = token === undefined ? undefined : this.sessions.find(token);
    if (session === undefined) {
      const waitMs = this.#throttle.waitMs(connection.address);
      // A request without a key must not learn whether a key would be checked. A request with the cookie of an ended
      // session learns that the session has ended.
      if (waitMs > 0 && token === undefined) throw new TooManyTries(waitMs);
      throw new TurnpikeError(
        "unauthorized",
        "Cannot authenticate the request: send the key in X-API-Key, or as Authorization: Bearer",
      );
    }
    if (this.#keys !== undefined) connection.trust = { access: session.access, keys: this.#keys };
    if (changes && !hasCsrfToken(session, headers.get("x-csrf-token"))) {
      throw new TurnpikeError(
        "missing-csrf-token",
        "Cannot make changes with the cookie alone: also send X-CSRF-Token",
      );
    }
    const by = actorOf("console", session.access, connection.address);
    return { access: session.access, by, session };
  }

  /** The response to an address that floods, for any request; undefined for all other addresses. */
  refusal(address: string): string | undefined {
    if (!this.#throttle.isFlood(address)) return undefined;
    const error = new TooManyTries(this.#throttle.waitMs(address));
    return rawProblem(error, { "Retry-After": String(error.retryAfterSeconds) });
  }

  /**
   * The access of a key. Throws if the key is wrong. Throws too if the address has sent too many wrong keys, unless
   * this connection has shown the same key before: its client learns nothing from the response.
   */
  check(key: string, connection: Pick<Connection, "address" | "trust">): Access {
    const { address, trust } = connection;
    const waitMs = this.#throttle.waitMs(address);
    const access = this.#keys === undefined ? undefined : accessOf(this.#keys, key);
    const isProved = access !== undefined && trust?.access === access && trust.keys === this.#keys;
    if (waitMs > 0 && !isProved) {
      this.#throttle.wrong(address);
      throw new TooManyTries(waitMs);
    }
    if (access === undefined || this.#keys === undefined) {
      if (this.#throttle.wrong(address)) this.#tellOfFlood(address);
      throw new TurnpikeError("unauthorized", "Cannot authenticate the request: the key is wrong");
    }
    this.#throttle.right(address);
    connection.trust = { access, keys: this.#keys };
    return access;
  }

  #byKey(access: Access, { address }: Connection): Caller {
    return {
      access,
      by: actorOf(access === "full" ? "operator" : "read-only operator", access, address),
      session: undefined,
    };
  }

  #tellOfFlood(address: string): void {
    const now = this.#clock();
    if (now - this.#eventsSince >= MINUTE_MS) {
      this.#eventsSince = now;
      this.#events = 0;
    }
    this.#events += 1;
    if (this.#events > MAX_EVENTS) return;
    const others = this.#events === MAX_EVENTS ? "; further addresses are not logged for a minute" : "";
    const message = `${address} has sent too many wrong keys, and must wait${others}`;
    this.#onEvent({ kind: "session", message, outcome: "refused", details: { address } });
  }
}

/** The sender of a request with this access. */
export function actorOf(kind: Actor["kind"], access: Access, address: string): Actor {
  return { kind, key: access === "full" ? "api_key" : "read_api_key", address };
}

function shownKey(headers: Headers): string | undefined {
  const own = headers.get("x-api-key");
  if (own !== null && own !== "") return own;
  return /^Bearer +(\S.*)$/i.exec(headers.get("authorization") ?? "")?.[1];
}
