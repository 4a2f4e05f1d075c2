/**
 * Waits for `work`, but no longer than `ms` milliseconds. After that the work continues by itself, and the result is
 * that of `late`, which may also throw; without `late` it is undefined. Rejects if `work` rejects in time.
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined>;
export async function within<T, L>(ms: number, work: Promise<T>, late: () => L | Promise<L>): Promise<T | L>;
export async function within<T>(ms: number, work: Promise<T>, late: () => unknown = () => undefined): Promise<unknown> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(() => over.resolve(), ms);
  try {
    return await Promise.race([work, over.promise.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
