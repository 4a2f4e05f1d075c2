/**
 * True if the times `at` and `now` are less than `ms` apart, before or after: Unix milliseconds, both by the system clock.
 * For times that outlive the process, or are compared with dates; a monotonic clock is simpler for all others. The system
 * clock can be set back. Then `at` is in the future, and `now - at < ms` is true for as long as the clock was set back.
 */
export function isWithin(at: number, ms: number, now: number): boolean {
  return Math.abs(now - at) < ms;
}
