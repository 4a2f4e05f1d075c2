import { Deadline, type TimerWheel } from "../../lib/time/timer-wheel.ts";

class Alarm extends Deadline {
  readonly onDeadline: () => void;

  constructor(onDeadline: () => void) {
    super();
    this.onDeadline = onDeadline;
  }
}

/** Resolves after `ms` milliseconds. */
export function pause(wheel: TimerWheel, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  wheel.set(new Alarm(resolve), ms);
  return promise;
}
