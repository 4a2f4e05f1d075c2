/** Memory over time, and what its trend is. */

export interface MemorySample {
  readonly minutes: number;
  readonly kib: number;
}

/** KiB a minute, by least squares; 0 for fewer than three samples. */
export function slopeOf(samples: readonly MemorySample[]): number {
  if (samples.length < 3) return 0;
  const mean = (pick: (sample: MemorySample) => number): number =>
    samples.reduce((sum, sample) => sum + pick(sample), 0) / samples.length;
  const [minutes, kib] = [mean((sample) => sample.minutes), mean((sample) => sample.kib)];
  let over = 0;
  let under = 0;
  for (const sample of samples) {
    over += (sample.minutes - minutes) * (sample.kib - kib);
    under += (sample.minutes - minutes) ** 2;
  }
  return under === 0 ? 0 : over / under;
}
