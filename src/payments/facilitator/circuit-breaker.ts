/** So many calls in a row that nobody answered open the breaker. */
export const MAX_FAILURES_IN_A_ROW = 5;
/** Milliseconds for which an open breaker lets nobody through, before and after each probe. @bound */
export const OPEN_MS = 5000;

export interface BreakerDeps {
  /** Milliseconds that only grow. */
  readonly now: () => number;
  readonly onChange: (isOpen: boolean) => void;
}

/**
 *            MAX_FAILURES_IN_A_ROW            OPEN_MS
 *   closed ───────────────────────▶ open ───────────────▶ one call goes through
 *     ▲                              ▲                       │           │
 *     │                              └──── it fails, too ────┘           │
 *     └──────────────────────────── any call succeeds ───────────────────┘
 */
export class CircuitBreaker {
  readonly #deps: BreakerDeps;
  #failures = 0;
  /** When the next probe may go; undefined while it is closed. */
  #probeAt: number | undefined;

  constructor(deps: BreakerDeps) {
    this.#deps = deps;
  }

  get isOpen(): boolean {
    return this.#probeAt !== undefined;
  }

  /** False: do not call. Who asks while a probe is due is the probe; one that is never heard of again holds up nobody longer. */
  admits(): boolean {
    if (this.#probeAt === undefined) return true;
    const now = this.#deps.now();
    if (now < this.#probeAt) return false;
    this.#probeAt = now + OPEN_MS;
    return true;
  }

  /** A call was answered, whatever the answer was. */
  succeeded(): void {
    this.#failures = 0;
    if (this.#probeAt === undefined) return;
    this.#probeAt = undefined;
    this.#deps.onChange(false);
  }

  /** Nobody answered a call. */
  failed(): void {
    this.#failures += 1;
    if (this.#failures < MAX_FAILURES_IN_A_ROW) return;
    const wasOpen = this.isOpen;
    this.#probeAt = this.#deps.now() + OPEN_MS;
    if (!wasOpen) this.#deps.onChange(true);
  }
}
