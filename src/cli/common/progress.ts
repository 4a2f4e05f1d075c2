const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/** Milliseconds between two frames. */
const FRAME_MS = 100;
/** Milliseconds before the first frame. A faster response shows no progress. */
const DELAY_MS = 400;

/** The output for progress: standard error, if it is a terminal. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface Progress {
  /** Removes the progress line so that another line can be printed. The next frame draws it again below. */
  clear(): void;
  stop(): void;
}

/**
 * Shows on a terminal that work is in progress, and for how long. `what` is one line without its end, or a function that
 * returns such a line for each frame. `clock` returns monotonic milliseconds.
 */
export function showProgress(
  what: string | (() => string),
  stream: ProgressStream = process.stderr,
  clock: () => number = () => performance.now(),
): Progress {
  if (stream.isTTY !== true || process.env["TERM"] === "dumb") return { clear() {}, stop() {} };
  const startedAt = clock();
  let frame = 0;
  const draw = () => {
    const elapsed = clock() - startedAt;
    if (elapsed < DELAY_MS) return;
    stream.write(
      `\r\u001b[K${FRAMES[frame % FRAMES.length] ?? ""} ${typeof what === "string" ? what : what()}, ${Math.floor(elapsed / 1000)} s`,
    );
    frame += 1;
  };
  const clear = () => void (frame > 0 && stream.write("\r\u001b[K"));
  const timer = setInterval(draw, FRAME_MS);
  timer.unref();
  return {
    clear,
    stop() {
      clearInterval(timer);
      clear();
      frame = 0;
    },
  };
}
