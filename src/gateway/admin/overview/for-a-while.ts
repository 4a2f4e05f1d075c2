/** A slow response is reused for this many times its duration, so that requests take at most a tenth of the time. */
const REST = 10;
/** Maximum milliseconds for which a response is reused. */
const MOST_MS = 30_000;

/** Calls `read` at most once within `ms` milliseconds, and returns its value to all callers in that time. */
export function forAWhile<T>(ms: number, read: () => T, now: () => number = () => performance.now()): () => T {
  let kept: { readonly at: number; readonly value: T } | undefined;
  return () => {
    if (kept === undefined || now() - kept.at >= ms) kept = { at: now(), value: read() };
    return kept.value;
  };
}

/** The same for an asynchronous `ask`: one call at a time, whose response is reused for `ms`, longer if slow. */
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
