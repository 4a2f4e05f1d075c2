import { patient } from "../../src/lib/testing/patience.ts";

/** Waits for conditions that other parts fulfil: probes are called again after each event. */
export class Waiters {
  readonly #checks = new Set<() => void>();

  /** An event has happened. */
  wake(): void {
    for (const check of this.#checks) check();
  }

  /**
   * The first value that `probe` returns. Undefined after `patienceMs` (longer on a busy machine), or if `isOver`
   * returns true.
   */
  until<T>(
    probe: () => T | undefined,
    patienceMs: number,
    isOver: () => boolean = () => false,
  ): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        clearTimeout(timer);
        this.#checks.delete(check);
        act();
      };
      const check = (): void => {
        try {
          const result = probe();
          if (result !== undefined || isOver()) settle(() => resolve(result));
        } catch (error) {
          settle(() => reject(error instanceof Error ? error : new Error(String(error))));
        }
      };
      const timer = setTimeout(() => settle(() => resolve(undefined)), patient(patienceMs));
      this.#checks.add(check);
      check();
    });
  }
}
