/** The retry settings of a route, compiled when the configuration is loaded. Times in milliseconds. */
export interface RetrySettings {
  readonly maxRetries: number;
  /** Requests of any method are retried if no connection could be opened. */
  readonly connectAnyMethod: boolean;
  /** Requests of any method are retried, if their body was kept. */
  readonly anyMethod: boolean;
  readonly statuses: ReadonlySet<number>;
  /** From the beginning of a try to the head of its response. Infinity: only the other limits apply. */
  readonly tryTimeoutMs: number;
  /** The pause before the first retry, doubled for each further retry up to the maximum. 0: no pause. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** From 0 to less than 1. */
  readonly random: () => number;
}

/**
 * The pause before the next retry, after `retries` retries. Half of it is random, so that clients that failed together do
 * not return together.
 */
export function pauseMs({ backoffMs, maxBackoffMs, random }: RetrySettings, retries: number): number {
  const whole = Math.min(backoffMs * 2 ** retries, maxBackoffMs);
  return whole * (1 - random() / 2);
}
