import { type WheelClock } from "../timer-wheel.ts";

/** A wheel's clock that a test moves. */
export class FakeClock implements WheelClock {
  time = 0;
  tick: (() => void) | undefined;
  now(): number {
    return this.time;
  }
  #tickMs = 1;
  every(ms: number, tick: () => void): () => void {
    this.tick = tick;
    this.#tickMs = ms;
    return () => {
      this.tick = undefined;
    };
  }
  /** Moves the clock in steps of the wheel's tick, and calls the tick each time. */
  advance(ms: number): void {
    for (const end = this.time + ms; this.time < end; ) {
      this.time = Math.min(end, this.time + this.#tickMs);
      this.tick?.();
    }
  }
}
