/** Servers whose last session is kept, for each trust. */
const MAX_SESSIONS = 256;
/** Milliseconds after which a server shows its certificate anew. @bound */
const SESSION_MS = 10 * 60_000;

/** Sessions of TLS that clients may take up again, by what was verified when they began. */
export class TlsSessions {
  readonly #sessions = new Map<string, { readonly session: Buffer; readonly began: number }>();

  get(key: string): Buffer | undefined {
    const kept = this.#sessions.get(key);
    if (kept === undefined) return undefined;
    if (Date.now() - kept.began < SESSION_MS) return kept.session;
    this.#sessions.delete(key);
    return undefined;
  }

  /** `began`: when the certificate was shown (ms), which a session taken up again has from the one before. */
  set(key: string, session: Buffer, began: number): void {
    this.#sessions.delete(key);
    this.#sessions.set(key, { session, began });
    for (const oldest of this.#sessions.keys()) {
      if (this.#sessions.size <= MAX_SESSIONS) break;
      this.#sessions.delete(oldest);
    }
  }

  /** When the server of the kept session showed its certificate; now where there is none. */
  beganAt(key: string): number {
    return this.#sessions.get(key)?.began ?? Date.now();
  }

  delete(key: string): void {
    this.#sessions.delete(key);
  }
}
