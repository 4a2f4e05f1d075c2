import { Deadline, type TimerWheel } from "../../lib/timer-wheel.ts";

/** A route's retries; compiled when the configuration is loaded. Times in milliseconds. */
export interface RetrySettings {
  readonly maxRetries: number;
  /** Tries of any method where no connection was had. */
  readonly connectAnyMethod: boolean;
  /** Answers that another try follows. */
  readonly statuses: ReadonlySet<number>;
  /** From the begin of a try to the head of its answer; Infinity: the other limits alone hold. */
  readonly tryTimeoutMs: number;
  /** Before the first retry, doubled for each one more up to the most; 0: none. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** From 0 to less than 1. */
  readonly random: () => number;
}

/** The pause before a retry, of which `retries` have been made: half of it at random, so that clients that failed together come back apart. */
export function pauseMs({ backoffMs, maxBackoffMs, random }: RetrySettings, retries: number): number {
  const whole = Math.min(backoffMs * 2 ** retries, maxBackoffMs);
  return whole * (1 - random() / 2);
}

/** Waits for the next try. */
export class RetryPause extends Deadline {
  readonly #wheel: TimerWheel;
  readonly #then: () => void;

  constructor(wheel: TimerWheel, ms: number, then: () => void) {
    super();
    this.#wheel = wheel;
    this.#then = then;
    wheel.set(this, ms);
  }

  stop(): void {
    this.#wheel.remove(this);
  }

  override onDeadline(): void {
    this.#then();
  }
}
