/** A response that took long is told this many times longer than that, so that asking takes a tenth of the time at most. */
const REST = 10;
/** Milliseconds for which a response is told at most. */
const MOST_MS = 30_000;

/** What `read` gives, told again to all who ask within `ms`: however many ask, it is read once in that time. */
export function forAWhile<T>(ms: number, read: () => T, now: () => number = () => performance.now()): () => T {
  let kept: { readonly at: number; readonly value: T } | undefined;
  return () => {
    if (kept === undefined || now() - kept.at >= ms) kept = { at: now(), value: read() };
    return kept.value;
  };
}

/** The same for a response that takes time: it is asked for once at a time, and told for `ms` from when it came, longer where it took long. */
export function hasResponseFor<T>(
  ms: number,
  ask: () => Promise<T>,
  now: () => number = () => performance.now(),
): () => Promise<T> {
  let response: Promise<T> | undefined;
  let until = 0;
  return () => {
    if (response !== undefined && now() < until) return response;
    const began = now();
    until = Number.POSITIVE_INFINITY;
    response = ask().finally(() => {
      const ended = now();
      until = ended + Math.min(MOST_MS, Math.max(ms, REST * (ended - began)));
    });
    return response;
  };
}
