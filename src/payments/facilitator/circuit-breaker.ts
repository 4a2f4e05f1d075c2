/** Number of calls in a row without a response that open the breaker. @internal */
export const MAX_FAILURES_IN_A_ROW = 5;
/** Milliseconds for which an open breaker lets no call through, before and after each probe. @bound @internal */
export const OPEN_MS = 5000;

export interface FacilitatorBreakerDeps {
  /** Milliseconds of a monotonic clock. */
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
export class FacilitatorBreaker {
  readonly #deps: FacilitatorBreakerDeps;
  #failures = 0;
  /** Time of the next probe; undefined while the breaker is closed. */
  #probeAt: number | undefined;

  constructor(deps: FacilitatorBreakerDeps) {
    this.#deps = deps;
  }

  get isOpen(): boolean {
    return this.#probeAt !== undefined;
  }

  /**
   * Returns false if the caller must not call. If a probe is due, the caller's call is the probe. If a probe never
   * ends, another one is due after `OPEN_MS`.
   */
  admits(): boolean {
    if (this.#probeAt === undefined) return true;
    const now = this.#deps.now();
    if (now < this.#probeAt) return false;
    this.#probeAt = now + OPEN_MS;
    return true;
  }

  /** Records a call that got a response, with any status. */
  succeeded(): void {
    this.#failures = 0;
    if (this.#probeAt === undefined) return;
    this.#probeAt = undefined;
    this.#deps.onChange(false);
  }

  /** Records a call that got no response. */
  failed(): void {
    this.#failures += 1;
    if (this.#failures < MAX_FAILURES_IN_A_ROW) return;
    const wasOpen = this.isOpen;
    this.#probeAt = this.#deps.now() + OPEN_MS;
    if (!wasOpen) this.#deps.onChange(true);
  }
}
