/**
 * Waits for `work`, but no longer than `ms` milliseconds. After that the work continues by itself. Rejects if `work`
 * rejects.
 */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(() => over.resolve(), ms);
  try {
    await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
