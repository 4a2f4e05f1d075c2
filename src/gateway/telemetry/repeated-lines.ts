/** Causes whose lines are counted apart. Lines of further causes share one count, and their text is left out. @internal */
export const MAX_CAUSES = 256;
/** Characters of a line that tell its cause from others. */
const MAX_CAUSE = 300;
/** Milliseconds for which repeats of a new line are counted. Each repeat doubles them, up to the maximum. @bound */
const FIRST_WINDOW_MS = 5000;
const LONGEST_WINDOW_MS = 60_000;

/** Parts of a line that differ from request to request: ids, hashes, and the counts of an outage. */
const VARYING = /\b(?:0x)?[0-9a-f-]{16,}\b|\d+ failures? in \d+ s/g;
const OTHERS = "lines of further causes are left out";

interface Cause {
  text: string;
  worker: number;
  count: number;
  windowMs: number;
  readonly since: number;
}

/** Takes a line, and how often it was repeated within `ms` milliseconds. A count of 0 is the first line of a cause. */
export type Emit = (text: string, repeats: { readonly count: number; readonly ms: number; worker: number }) => void;

/**
 * Passes the first line of a cause at once and counts its repeats: one line at the end of each window has their number.
 * A cause without repeats in a window is forgotten. Time and memory are bounded for any number of lines.
 */
export class RepeatedLines {
  readonly #emit: Emit;
  readonly #now: () => number;
  readonly #firstMs: number;
  readonly #longestMs: number;
  readonly #causes = new Map<string, Cause>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `now` returns monotonic milliseconds. */
  constructor(
    emit: Emit,
    { firstMs = FIRST_WINDOW_MS, longestMs = LONGEST_WINDOW_MS, now = (): number => performance.now() } = {},
  ) {
    this.#emit = emit;
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
    this.#now = now;
  }

  /** Adds a line that occurred `count` times; `worker` is the row of the worker that wrote it. */
  add(text: string, count = 1, worker = 0): void {
    const wanted = text.slice(0, MAX_CAUSE).replaceAll(VARYING, "#");
    const isOther = !this.#causes.has(wanted) && this.#causes.size >= MAX_CAUSES;
    const key = isOther ? OTHERS : wanted;
    const shown = isOther ? OTHERS : text;
    const known = this.#causes.get(key);
    if (known !== undefined) {
      Object.assign(known, { text: shown, worker, count: known.count + count });
      return;
    }
    this.#causes.set(key, { text: shown, worker, count: count - 1, windowMs: this.#firstMs, since: this.#now() });
    this.#emit(shown, { count: 0, ms: 0, worker });
    this.#wait();
  }

  /** Writes the counts of all windows that have ended. */
  tick(): void {
    const now = this.#now();
    for (const [key, cause] of this.#causes) {
      if (now - cause.since < cause.windowMs) continue;
      this.#causes.delete(key);
      if (cause.count === 0) continue;
      const windowMs = Math.min(2 * cause.windowMs, this.#longestMs);
      this.#causes.set(key, { ...cause, count: 0, windowMs, since: now });
      this.#emit(cause.text, { count: cause.count, ms: now - cause.since, worker: cause.worker });
    }
  }

  /** Writes all counts now. */
  flush(): void {
    clearTimeout(this.#timer);
    const now = this.#now();
    for (const { text, count, since, worker } of this.#causes.values()) {
      if (count > 0) this.#emit(text, { count, ms: now - since, worker });
    }
    this.#causes.clear();
  }

  #wait(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.tick();
      if (this.#causes.size > 0) this.#wait();
    }, this.#firstMs).unref();
  }
}

/** The line as operators see it. */
export function countedLine(text: string, { count, ms }: { readonly count: number; readonly ms: number }): string {
  if (count === 0) return text;
  return `${text} (${count === 1 ? "once more" : `${count} more times`} in ${Math.max(1, Math.round(ms / 1000))} s)`;
}
