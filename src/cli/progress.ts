const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/** Milliseconds between two frames. */
const FRAME_MS = 100;
/** What is answered sooner shows nothing. */
const DELAY_MS = 400;

/** Where progress is shown: standard error, where it is a terminal. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** A line that says what is under way. */
export interface Progress {
  /** Makes room for another line; the progress comes back below it. */
  clear(): void;
  stop(): void;
}

/**
 * Shows on a terminal that something is under way, and for how long. `what` is one line without its end, or gives it anew
 * for each drawing.
 */
export function showProgress(what: string | (() => string), stream: ProgressStream = process.stderr): Progress {
  if (stream.isTTY !== true || process.env["TERM"] === "dumb") return { clear() {}, stop() {} };
  const startedAt = performance.now();
  let frame = 0;
  const draw = () => {
    const elapsed = performance.now() - startedAt;
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
