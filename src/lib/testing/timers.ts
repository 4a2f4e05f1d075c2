import { spyOn } from "bun:test";

/** The timers of this process while it is watched. */
export interface WatchedTimers extends Disposable {
  /** Timers of so many milliseconds that were started, and neither ran out nor were cleared. */
  pending(ms: number): number;
}

/** Watches `setTimeout`. `hasten` gives the milliseconds that a timer takes in place of its own. */
export function watchTimers(hasten: (ms: number) => number = (ms) => ms): WatchedTimers {
  const running = new Map<unknown, number>();
  const [realSet, realClear] = [setTimeout, clearTimeout];
  const start = (callback: (...values: unknown[]) => void, ms = 0, ...values: unknown[]): NodeJS.Timeout => {
    const run = (): void => {
      running.delete(timer);
      callback(...values);
    };
    const timer = realSet(run, hasten(ms));
    running.set(timer, ms);
    return timer;
  };
  // The overloads of setTimeout are of no interest here.
  const set = spyOn(globalThis, "setTimeout").mockImplementation(start as typeof setTimeout);
  const clear = spyOn(globalThis, "clearTimeout").mockImplementation((timer) => {
    running.delete(timer);
    realClear(timer as NodeJS.Timeout);
  });
  return {
    pending: (ms) => [...running.values()].filter((own) => own === ms).length,
    [Symbol.dispose]() {
      set.mockRestore();
      clear.mockRestore();
    },
  };
}
