import { NewestMap } from "../../lib/memory/newest-map.ts";

/** Servers whose last session is kept, for each trust; with more, the oldest session is removed. */
const MAX_SESSIONS = 256;
/** Milliseconds for which a session can be resumed; after that, the server must show its certificate again. @bound */
const SESSION_MS = 10 * 60_000;

/** TLS sessions that clients can resume. The key has everything that was verified when the session began. */
export class TlsSessions {
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  readonly #sessions = new NewestMap<string, { readonly session: Buffer; readonly began: number }>(MAX_SESSIONS);

  constructor(clock: () => number = () => performance.now()) {
    this.clock = clock;
  }

  get(key: string): Buffer | undefined {
    const kept = this.#sessions.get(key);
    if (kept === undefined) return undefined;
    if (this.clock() - kept.began < SESSION_MS) return kept.session;
    this.#sessions.delete(key);
    return undefined;
  }

  /**
   * `began`: the time (ms) at which the certificate was shown. A resumed session keeps the time of the session before
   * it.
   */
  set(key: string, session: Buffer, began: number): void {
    this.#sessions.set(key, { session, began });
  }

  /**
   * The time (ms) at which the server of the kept session showed its certificate. Without a session, the current time.
   */
  beganAt(key: string): number {
    return this.#sessions.get(key)?.began ?? this.clock();
  }

  delete(key: string): void {
    this.#sessions.delete(key);
  }
}
