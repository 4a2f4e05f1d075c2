import { type WheelClock } from "../timer-wheel.ts";

/** A wheel's clock that moves when it is told to. */
export class FakeClock implements WheelClock {
  time = 0;
  tick: (() => void) | undefined;
  now(): number {
    return this.time;
  }
  every(_ms: number, tick: () => void): () => void {
    this.tick = tick;
    return () => {
      this.tick = undefined;
    };
  }
  advance(ms: number): void {
    for (const end = this.time + ms; this.time < end; ) {
      this.time = Math.min(end, this.time + 16);
      this.tick?.();
    }
  }
}
