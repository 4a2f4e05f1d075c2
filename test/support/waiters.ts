import { patient } from "../../src/lib/testing/patience.ts";

/** Waits for what somebody else brings: probes are asked again after each event. */
export class Waiters {
  readonly #checks = new Set<() => void>();

  /** Something has happened. */
  wake(): void {
    for (const check of this.#checks) check();
  }

  /** What `probe` gives, once it gives something; undefined after `patienceMs`, longer on a busy machine, or where `isOver` says that nothing more comes. */
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
