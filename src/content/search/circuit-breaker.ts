/** `half-open`: a probe shows whether it works again. */
export type BreakerState = "closed" | "open" | "half-open";

/** Failed requests in a row after which a probe decides whether the breaker opens. */
const MAX_FAILURES = 3;
/** Milliseconds after a successful probe in which failed requests cause no other probe. @bound */
const TRUST_MS = 10_000;
/** Milliseconds that a breaker stays open. The time doubles with each failed probe, up to the maximum. @bound */
const OPEN_MS = 30_000;
const MAX_OPEN_MS = 600_000;

/** The clock of a breaker, and its way to test the provider. */
export interface ProviderBreakerDeps {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Sends a request that no caller has influence on. Returns the reason if it fails. */
  readonly probe: () => Promise<string | undefined>;
  readonly onChange: (from: BreakerState, to: BreakerState, reason: string | undefined) => void;
}

/**
 * Stops requests to a provider that keeps failing. A request may fail because of its query, so only probes change the
 * state:
 *
 *   closed --3 failures in a row, then a failed probe--> open --time--> half-open --successful probe--> closed
 *                                                         ^                 |
 *                                                         +---failed probe--+
 */
export class ProviderBreaker {
  readonly #deps: ProviderBreakerDeps;
  #failures = 0;
  #openMs = OPEN_MS;
  /** The time at which a probe is allowed again. Undefined while closed. */
  #openUntil: number | undefined;
  #trustedUntil = 0;
  #probing: Promise<void> | undefined;

  constructor(deps: ProviderBreakerDeps) {
    this.#deps = deps;
  }

  get state(): BreakerState {
    if (this.#openUntil === undefined) return "closed";
    return this.#deps.now() < this.#openUntil ? "open" : "half-open";
  }

  /** Whether requests may be sent. A half-open breaker sends a probe first, one for all callers. */
  async allows(): Promise<boolean> {
    if (this.state === "half-open") await this.#decide();
    return this.state === "closed";
  }

  record(succeeded: boolean): void {
    this.#failures = succeeded ? 0 : this.#failures + 1;
    const isSuspect = this.#failures >= MAX_FAILURES && this.#deps.now() >= this.#trustedUntil;
    if (isSuspect && this.state === "closed") void this.#decide();
  }

  #decide(): Promise<void> {
    return (this.#probing ??= this.#test().finally(() => (this.#probing = undefined)));
  }

  async #test(): Promise<void> {
    const from = this.state;
    const reason = await this.#deps.probe();
    const now = this.#deps.now();
    this.#failures = 0;
    if (reason === undefined) {
      this.#trustedUntil = now + TRUST_MS;
      this.#openUntil = undefined;
      this.#openMs = OPEN_MS;
    } else {
      if (from !== "closed") this.#openMs = Math.min(this.#openMs * 2, MAX_OPEN_MS);
      this.#openUntil = now + this.#openMs;
    }
    if (this.state !== from) this.#deps.onChange(from, this.state, reason);
  }
}
