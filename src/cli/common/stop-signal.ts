/** Milliseconds within which one Ctrl-C can arrive several times: from the terminal, npm, and Bun's launcher. */
const ECHO_MS = 1000;

/** Resolves at the first SIGINT or SIGTERM. A later one ends the process at once. */
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

/** Milliseconds that an unfinished start may continue after a signal to stop. Beyond them the process ends. @bound */
const GIVE_UP_MS = 5000;

/**
 * Returns the result of `start`. If a signal arrives meanwhile, the start is completed first, so that the caller can stop
 * everything in order. If that takes too long, the process ends here with exit code 1.
 */
export async function finishStart<T>(stopped: Promise<unknown>, start: () => Promise<T>): Promise<T> {
  const starting: Starting = { hasEnded: false, giveUp: undefined };
  void giveUpLater(stopped, starting);
  try {
    return await start();
  } finally {
    starting.hasEnded = true;
    clearTimeout(starting.giveUp);
  }
}

interface Starting {
  hasEnded: boolean;
  giveUp: ReturnType<typeof setTimeout> | undefined;
}

/** Outside `finishStart`, because it waits as long as the process runs, and would keep all that `start` refers to. */
async function giveUpLater(stopped: Promise<unknown>, starting: Starting): Promise<void> {
  await stopped;
  if (!starting.hasEnded) starting.giveUp = setTimeout(() => process.exit(1), GIVE_UP_MS);
}
