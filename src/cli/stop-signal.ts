/** Milliseconds within which one Ctrl-C can arrive more than once: from the terminal, from npm, from the Node that started Bun. */
const ECHO_MS = 1000;

/** Why a process stops: an operator wants it to, or another gateway takes over (SIGUSR2). */
export type StopReason = "stop" | "handOver";

/** Resolves when the process is told to stop. Told again later, it ends at once. `handsOver`: SIGUSR2 is for this process too. */
export async function stopSignal({ handsOver = false } = {}): Promise<StopReason> {
  return await new Promise<StopReason>((resolve) => {
    let toldAt: number | undefined;
    if (handsOver) process.on("SIGUSR2", () => resolve("handOver"));
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.on(signal, () => {
        if (toldAt !== undefined && performance.now() - toldAt > ECHO_MS) process.exit(1);
        toldAt ??= performance.now();
        resolve("stop");
      });
    }
  });
}

/** Milliseconds that a start has to come to its end once the process is told to stop. @bound */
const GIVE_UP_MS = 5000;

/**
 * What `start` gives. Where the process is told to stop meanwhile, what is begun is brought to its end first, so that it can be
 * ended in order; where that takes too long, the process ends here, with exit code 1.
 */
export async function finishStart<T>(stopped: Promise<unknown>, start: () => Promise<T>): Promise<T> {
  let starting = true;
  let giveUp: ReturnType<typeof setTimeout> | undefined;
  const watch = async (): Promise<void> => {
    await stopped;
    if (starting) giveUp = setTimeout(() => process.exit(1), GIVE_UP_MS);
  };
  void watch();
  try {
    return await start();
  } finally {
    starting = false;
    clearTimeout(giveUp);
  }
}
