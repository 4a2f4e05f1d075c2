/** Long computations, which let other events of their thread run in between (decision 0102). */

/** Milliseconds of work between two opportunities for other events, such as requests. @bound */
const SLICE_MS = 4;

/** A computation that may be interrupted wherever it yields. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** The result of a computation, without interruption. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** The result of a computation, in slices. Rejects with what it throws. */
export async function inSlices<T>(steps: Steps<T>): Promise<T> {
  const slices = new Slices();
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (slices.isOver) await slices.next();
  }
}

/** The slices of a computation that is not a generator. */
export class Slices {
  #until = performance.now() + SLICE_MS;

  get isOver(): boolean {
    return performance.now() >= this.#until;
  }

  /** Resolves after other events. */
  async next(): Promise<void> {
    await new Promise(setImmediate);
    this.#until = performance.now() + SLICE_MS;
  }
}

/** Maps a list in slices. */
export function* mapSteps<T, U>(items: readonly T[], map: (item: T, index: number) => U): Steps<U[]> {
  const mapped: U[] = [];
  for (const [i, item] of items.entries()) {
    mapped.push(map(item, i));
    yield;
  }
  return mapped;
}
