/**
 * The burst of events of one kind that pass, and the events that pass per second after it. Other events are dropped and
 * counted. @bound
 */
const BURST = 200;
const PER_SECOND = 20;
/** Milliseconds until the number of dropped events is reported. */
const TELL_MS = 1000;

interface Kind {
  tokens: number;
  at: number;
  leftOut: number;
}

/**
 * Lets a bounded number of events of each kind pass, so that a storm of events takes no noticeable time.
 */
export class EventGate {
  readonly #now: () => number;
  readonly #onLeftOut: (kind: string, count: number) => void;
  readonly #kinds = new Map<string, Kind>();
  #telling: ReturnType<typeof setTimeout> | undefined;

  /** `onLeftOut` gets the number of events that did not pass, at most once a second a kind. `now` is in ms. */
  constructor(onLeftOut: (kind: string, count: number) => void, now: () => number = () => performance.now()) {
    this.#onLeftOut = onLeftOut;
    this.#now = now;
  }

  /** False: the event is left out. `kind` is one of a fixed list. */
  passes(kind: string): boolean {
    const now = this.#now();
    const known = this.#kinds.get(kind) ?? { tokens: BURST, at: now, leftOut: 0 };
    this.#kinds.set(kind, known);
    known.tokens = Math.min(BURST, known.tokens + ((now - known.at) * PER_SECOND) / 1000);
    known.at = now;
    if (known.tokens >= 1) {
      known.tokens -= 1;
      return true;
    }
    known.leftOut += 1;
    if (this.#telling === undefined) this.#telling = setTimeout(() => this.#tell(), TELL_MS).unref();
    return false;
  }

  #tell(): void {
    this.#telling = undefined;
    for (const [kind, known] of this.#kinds) {
      if (known.leftOut === 0) continue;
      const count = known.leftOut;
      known.leftOut = 0;
      this.#onLeftOut(kind, count);
    }
  }
}
