/** The numbers of probe results in a row that change the state of a server. */
export interface HealthThresholds {
  readonly healthyThreshold: number;
  readonly unhealthyThreshold: number;
}

/**
 * The health of a server as its probes show it. A server is healthy at first.
 *
 *   healthy ── unhealthyThreshold failures in a row ──▶ unhealthy
 *      ▲                                                   │
 *      └──────── healthyThreshold successes in a row ──────┘
 */
export class HealthState {
  healthy: boolean;
  readonly #thresholds: HealthThresholds;
  /** The number of results in a row that contradict the state. */
  #against = 0;

  constructor(thresholds: HealthThresholds, healthy = true) {
    this.#thresholds = thresholds;
    this.healthy = healthy;
  }

  /** Takes the result of a probe. Returns true if it changes the state. */
  record(success: boolean): boolean {
    if (success === this.healthy) {
      this.#against = 0;
      return false;
    }
    const { healthyThreshold, unhealthyThreshold } = this.#thresholds;
    if (++this.#against < (success ? healthyThreshold : unhealthyThreshold)) return false;
    this.#against = 0;
    this.healthy = success;
    return true;
  }
}
