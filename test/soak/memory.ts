/** Memory over time, and what its trend is. */

export interface MemorySample {
  readonly minutes: number;
  readonly kib: number;
}

/** What a process has least of memory, early and late. */
export interface Troughs {
  readonly early: number;
  readonly late: number;
  /** KiB a minute between the two. */
  readonly slope: number;
}

/**
 * The lowest KiB of the earlier half of the samples and of the later one. A collector lets memory rise and fall by half of its size
 * all the time, and a line through all of that points anywhere; what leaks is there at the lowest points too.
 */
export function troughsOf(samples: readonly MemorySample[]): Troughs {
  const middle = Math.floor(samples.length / 2);
  const halves = [samples.slice(0, middle), samples.slice(middle)];
  const [early, late] = halves.map((half) => half.toSorted((a, b) => a.kib - b.kib)[0]);
  if (early === undefined || late === undefined) return { early: 0, late: 0, slope: 0 };
  return { early: early.kib, late: late.kib, slope: (late.kib - early.kib) / (late.minutes - early.minutes) };
}
