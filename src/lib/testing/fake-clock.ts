import { type WheelClock } from "../time/timer-wheel.ts";

/** A wheel's clock that a test moves. */
export class FakeClock implements WheelClock {
  time = 0;
  /** The call that the wheel waits for; undefined: none. */
  tick: (() => void) | undefined;
  /** The number of calls so far. */
  wakes = 0;
  #due = Number.POSITIVE_INFINITY;
  now(): number {
    return this.time;
  }
  after(ms: number, wake: () => void): () => void {
    const tick = (): void => {
      stop();
      this.wakes++;
      wake();
    };
    const stop = (): void => {
      if (this.tick !== tick) return;
      this.tick = undefined;
      this.#due = Number.POSITIVE_INFINITY;
    };
    this.tick = tick;
    this.#due = this.time + ms;
    return stop;
  }
  /** Moves the clock, and wakes the wheel each time that it asked for. */
  advance(ms: number): void {
    const end = this.time + ms;
    while (this.#due <= end) {
      this.time = Math.max(this.time, this.#due);
      this.tick?.();
    }
    this.time = end;
  }
}
