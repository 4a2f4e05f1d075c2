/** Milliseconds between two questions to a worker whether it still handles events. @bound */
const QUESTION_MS = 5000;
/** Questions without any message in between, after which a worker counts as stuck. */
const MAX_UNANSWERED = 6;

export interface PulseOptions {
  /** Asks the worker, which replies from its event loop. */
  readonly ask: () => void;
  /** Called once, when the worker is stuck. */
  readonly stuck: () => void;
  /** Default: 5 s. */
  readonly everyMs?: number;
}

/**
 * Notices a worker that handles no events: its process is stopped, or its code does not return. Its clients would wait, and so
 * would every reload. Questions are counted instead of time: if the whole gateway is suspended, no question is asked.
 */
export class Pulse {
  readonly #options: PulseOptions;
  #timer: ReturnType<typeof setInterval> | undefined;
  #unanswered = 0;

  constructor(options: PulseOptions) {
    this.#options = options;
  }

  begin(): void {
    this.#timer ??= setInterval(() => this.#beat(), this.#options.everyMs ?? QUESTION_MS).unref();
  }

  /** The worker has sent a message. */
  heard(): void {
    this.#unanswered = 0;
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #beat(): void {
    if (this.#unanswered >= MAX_UNANSWERED) {
      this.end();
      this.#options.stuck();
      return;
    }
    this.#unanswered++;
    this.#options.ask();
  }
}
