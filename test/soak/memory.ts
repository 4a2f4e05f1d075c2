/** Memory over time, and its trend. */

export interface MemorySample {
  readonly minutes: number;
  readonly kib: number;
}

/** The minimum memory of a process, early and late. */
export interface Troughs {
  readonly early: number;
  readonly late: number;
  /** KiB per minute between the two. */
  readonly slope: number;
}

/**
 * The lowest KiB of the earlier half of the samples and of the later half. Garbage collection makes memory rise and
 * fall by half of its size, so a line through all samples says nothing. A leak also raises the minimum.
 */
export function troughsOf(samples: readonly MemorySample[]): Troughs {
  const middle = Math.floor(samples.length / 2);
  const halves = [samples.slice(0, middle), samples.slice(middle)];
  const [early, late] = halves.map((half) => half.toSorted((a, b) => a.kib - b.kib)[0]);
  if (early === undefined || late === undefined) return { early: 0, late: 0, slope: 0 };
  return { early: early.kib, late: late.kib, slope: (late.kib - early.kib) / (late.minutes - early.minutes) };
}
