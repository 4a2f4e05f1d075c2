import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { type Access } from "./keys.ts";
import { NewestMap } from "../../../lib/memory/newest-map.ts";

const SESSION_COOKIE = "turnpike_session";
/** Concurrent sessions. If there are more, a new session replaces the one that was unused for longest. @operator */
const MAX_SESSIONS = 256;
const LIFE_MS = 12 * 60 * 60 * 1000;
const IDLE_MS = 60 * 60 * 1000;
/** Bytes of a session's secret. */
const TOKEN_BYTES = 32;

export interface Session {
  readonly access: Access;
  /** Sent with the cookie in every request that changes something. Only the log-in returns it. */
  readonly csrfToken: string;
}

interface KeptSession extends Session {
  readonly begunAt: number;
  usedAt: number;
}

/** The sessions of users who logged in with a browser. Only a digest of each session's secret is stored. */
export class Sessions {
  /** By digest, in the order of their last use. */
  readonly #byDigest = new NewestMap<string, KeptSession>(MAX_SESSIONS);
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get size(): number {
    return this.#byDigest.size;
  }

  begin(access: Access): { readonly token: string; readonly session: Session } {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    const now = this.#now();
    const session = { access, csrfToken: randomBytes(TOKEN_BYTES).toString("base64url"), begunAt: now, usedAt: now };
    this.#byDigest.set(digest(token), session);
    return { token, session };
  }

  /** Returns the session with this secret and marks it as used; undefined if it does not exist or has ended. */
  find(token: string): Session | undefined {
    const key = digest(token);
    const session = this.#byDigest.get(key);
    if (session === undefined) return undefined;
    const now = this.#now();
    this.#byDigest.delete(key);
    if (now - session.begunAt >= LIFE_MS || now - session.usedAt >= IDLE_MS) return undefined;
    session.usedAt = now;
    this.#byDigest.set(key, session);
    return session;
  }

  end(token: string): void {
    this.#byDigest.delete(digest(token));
  }

  endAll(): void {
    this.#byDigest.clear();
  }
}

/** True if the request shows the session's CSRF token. The time does not depend on the token. */
export function hasCsrfToken({ csrfToken }: Session, shown: string | null): boolean {
  const [one, other] = [Buffer.from(csrfToken), Buffer.from(shown ?? "")];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The session's secret from a Cookie field; undefined without one. */
export function sessionToken(cookies: string | null): string | undefined {
  for (const cookie of (cookies ?? "").split(";")) {
    const [name, value] = cookie.split("=", 2);
    if (name?.trim() === SESSION_COOKIE && value !== undefined && value.trim() !== "") return value.trim();
  }
  return undefined;
}

/** The Set-Cookie field of a session; without a token, the field that ends the session. */
export function sessionCookie(token: string | undefined, isSecure: boolean): string {
  const life = token === undefined ? "; Max-Age=0" : "";
  return `${SESSION_COOKIE}=${token ?? ""}; HttpOnly; SameSite=Strict; Path=/${isSecure ? "; Secure" : ""}${life}`;
}

function digest(token: string): string {
  return createHash("sha256").update(token).digest("base64");
}
