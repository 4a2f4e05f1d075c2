/** Milliseconds within which one Ctrl-C can arrive more than once: from the terminal, from npm, from the Node that started Bun. */
const ECHO_MS = 1000;

/** Resolves when the process is told to stop. Told again later, it ends at once. */
export async function stopSignal(): Promise<void> {
  await new Promise<void>((resolve) => {
    let toldAt: number | undefined;
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.on(signal, () => {
        if (toldAt !== undefined && performance.now() - toldAt > ECHO_MS) process.exit(1);
        toldAt ??= performance.now();
        resolve();
      });
    }
  });
}
