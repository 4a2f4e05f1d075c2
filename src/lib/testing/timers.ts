import { AsyncLocalStorage } from "node:async_hooks";
import { spyOn } from "bun:test";

const watcher = new AsyncLocalStorage<object>();

/** The timers of this process while they are watched. */
export interface WatchedTimers extends Disposable {
  /** Running timers of `ms` milliseconds: they have neither fired nor been cleared. */
  pending(ms: number): number;
}

/**
 * Watches `setTimeout`. `hasten` returns the milliseconds that a timer takes instead of its own. With `which: "own"`, only timers of the code
 * that the caller calls afterwards are watched, and not those of programs that earlier test files left in this process. Callbacks of sockets
 * do not count as called by it.
 */
export function watchTimers(hasten: (ms: number) => number = (ms) => ms, which: "all" | "own" = "all"): WatchedTimers {
  const running = new Map<unknown, number>();
  if (which === "own") watcher.enterWith(running);
  const [realSet, realClear] = [setTimeout, clearTimeout];
  const start = (callback: (...values: unknown[]) => void, ms = 0, ...values: unknown[]): NodeJS.Timeout => {
    if (which === "own" && watcher.getStore() !== running) return realSet(callback, ms, ...values);
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
