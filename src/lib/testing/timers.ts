import { spyOn } from "bun:test";

/** The timers of this process while they are watched. */
export interface WatchedTimers extends Disposable {
  /** Running timers of `ms` milliseconds: they have neither fired nor been cleared. */
  pending(ms: number): number;
}

/** Watches `setTimeout`. `hasten` returns the milliseconds that a timer takes instead of its own. */
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
  // The overloads of setTimeout do not matter here.
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
