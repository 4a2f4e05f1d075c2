import { type WheelClock } from "../timer-wheel.ts";

/** A wheel's clock that moves when it is told to. */
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
  /** Moves in steps of what whoever asked for ticks asked for. */
  advance(ms: number): void {
    for (const end = this.time + ms; this.time < end; ) {
      this.time = Math.min(end, this.time + this.#tickMs);
      this.tick?.();
    }
  }
}
