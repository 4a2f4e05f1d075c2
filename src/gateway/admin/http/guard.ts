import { TurnpikeError } from "../../../lib/errors.ts";
import { type Actor, type OnEvent } from "../../telemetry/event.ts";
import { type Connection } from "./connection.ts";
import { type Access, accessOf, type AdminKeys, sameKeys } from "./keys.ts";
import { rawProblem } from "./problem.ts";
import { hasCsrfToken, type Session, Sessions, sessionToken } from "./sessions.ts";
import { Throttle } from "./throttle.ts";

/** Events of slowed down addresses in a minute: a flood from many must not push everything else out of the log. */
const MAX_EVENTS = 6;
const MINUTE_MS = 60_000;

/** Who sent a request, and what he may do. */
export interface Caller {
  readonly access: Access;
  readonly by: Actor;
  /** Undefined where the request has a key of its own. */
  readonly session: Session | undefined;
}

/** A refusal that says when to come again. */
export class TooManyTries extends TurnpikeError {
  readonly retryAfterSeconds: number;

  constructor(waitMs: number) {
    const seconds = Math.ceil(waitMs / 1000);
    super("rate-limited", `Cannot look at the key: this address has shown too many wrong ones; wait ${seconds} s`);
    this.retryAfterSeconds = seconds;
  }
}

/** Lets in who shows a right key, or the cookie of a session that was begun by one. */
export class Guard {
  readonly sessions = new Sessions();
  readonly #throttle = new Throttle();
  readonly #onEvent: OnEvent;
  #keys: AdminKeys | undefined;
  #eventsSince = Number.NEGATIVE_INFINITY;
  #events = 0;

  constructor(onEvent: OnEvent) {
    this.#onEvent = onEvent;
  }

  /** Other keys from now on, or none at all; sessions that were begun by others end. */
  set keys(keys: AdminKeys | undefined) {
    if (keys !== undefined && this.#keys !== undefined && sameKeys(keys, this.#keys)) return;
    this.#keys = keys;
    this.sessions.endAll();
  }

  /** Throws where the request has no right to be answered. `changes`: it must not come from another site's page. */
  admit(headers: Headers, connection: Connection, changes: boolean): Caller {
    const shown = shownKey(headers);
    if (shown !== undefined) return this.#byKey(this.check(shown, connection), connection);
    const token = sessionToken(headers.get("cookie"));
    const session = token === undefined ? undefined : this.sessions.find(token);
    if (session === undefined) {
      const waitMs = this.#throttle.waitMs(connection.address);
      // Whoever has no key is not told whether one would be looked at; who has lost his session is.
      if (waitMs > 0 && token === undefined) throw new TooManyTries(waitMs);
      throw new TurnpikeError(
        "unauthorized",
        "Cannot let you in: send the key in X-API-Key, or as Authorization: Bearer",
      );
    }
    connection.isTrusted = true;
    if (changes && !hasCsrfToken(session, headers.get("x-csrf-token"))) {
      throw new TurnpikeError("missing-csrf-token", "Cannot change anything by cookie only: send X-CSRF-Token too");
    }
    const by = actor("console", session.access, connection.address);
    return { access: session.access, by, session };
  }

  /** The response to an address that floods, whatever it would ask; undefined for all others. */
  refusal(address: string): string | undefined {
    if (!this.#throttle.isFlood(address)) return undefined;
    const error = new TooManyTries(this.#throttle.waitMs(address));
    return rawProblem(error, { "Retry-After": String(error.retryAfterSeconds) });
  }

  /** What a key may do. Throws where it is wrong, and where the address has shown too many wrong ones. */
  check(key: string, connection: Connection): Access {
    const { address } = connection;
    const waitMs = this.#throttle.waitMs(address);
    if (waitMs > 0 && !this.#throttle.isKnown(address)) {
      this.#throttle.wrong(address);
      throw new TooManyTries(waitMs);
    }
    const access = this.#keys === undefined ? undefined : accessOf(this.#keys, key);
    if (access === undefined) {
      if (waitMs > 0) throw new TooManyTries(waitMs);
      if (this.#throttle.wrong(address)) this.#tellOfFlood(address);
      throw new TurnpikeError("unauthorized", "Cannot let you in: the key is wrong");
    }
    this.#throttle.right(address);
    connection.isTrusted = true;
    return access;
  }

  #byKey(access: Access, { address }: Connection): Caller {
    return {
      access,
      by: actor(access === "full" ? "operator" : "read-only operator", access, address),
      session: undefined,
    };
  }

  #tellOfFlood(address: string): void {
    const now = performance.now();
    if (now - this.#eventsSince >= MINUTE_MS) {
      this.#eventsSince = now;
      this.#events = 0;
    }
    this.#events += 1;
    if (this.#events > MAX_EVENTS) return;
    const others = this.#events === MAX_EVENTS ? "; others are not named for a minute" : "";
    const message = `${address} has shown too many wrong keys, and waits${others}`;
    this.#onEvent({ kind: "session", message, outcome: "refused", details: { address } });
  }
}

function actor(kind: Actor["kind"], access: Access, address: string): Actor {
  return { kind, key: access === "full" ? "api_key" : "read_api_key", address };
}

/** The key that a request shows; undefined where it shows none. */
function shownKey(headers: Headers): string | undefined {
  const own = headers.get("x-api-key");
  if (own !== null && own !== "") return own;
  const bearer = /^Bearer +(.*)$/i.exec(headers.get("authorization") ?? "")?.[1];
  return bearer === undefined || bearer === "" ? undefined : bearer;
}
