/**
 * Milliseconds by which a timer may be late. If it is later, the process was suspended, or the machine had no time for it,
 * and the response may have arrived in time.
 */
const LATE_MS = 100;
/** Milliseconds in which a response that arrived in time is read after such a pause. */
const GRACE_MS = 1000;

/**
 * A signal that aborts with a TimeoutError after `ms` milliseconds. Unlike `AbortSignal.timeout`, it lets data that arrived
 * during a pause of the process be read first: after SIGSTOP and SIGCONT, timers fire before waiting data is read. `now`
 * returns monotonic milliseconds.
 */
export function timeoutSignal(ms: number, now: () => number = () => performance.now()): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => controller.abort(new DOMException("The operation timed out.", "TimeoutError"));
  const due = now() + ms;
  const timer = setTimeout(() => {
    if (now() - due <= LATE_MS) abort();
    else setTimeout(abort, GRACE_MS).unref();
  }, ms);
  timer.unref();
  return controller.signal;
}
