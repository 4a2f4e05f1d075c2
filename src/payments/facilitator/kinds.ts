import { type Facilitator, type Kind } from "./facilitator.ts";

/** What a facilitator takes, as it was last heard to say: to make challenges of, which cannot wait for an answer. */
export interface KindsSource {
  /** Undefined before the first answer. */
  readonly current: readonly Kind[] | undefined;
}

export interface KindsOptions {
  /** Milliseconds between two looks, give or take a tenth. */
  readonly refreshMs: number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Told once when a look after the first one fails, and once when one succeeds again. Names no address. */
  readonly log: (message: string) => void;
}

/** Milliseconds after which a look that failed is made again, where `refreshMs` is longer. @bound */
const RETRY_MS = 10_000;
/** Part of the time by which looks are early or late, so that the workers of many gateways do not ask at once. */
const JITTER = 0.1;

/** Keeps what a facilitator supports: looks at once, then again and again. What was heard stays while looks fail. */
export class KindsWatch implements KindsSource {
  readonly #facilitator: Pick<Facilitator, "supported">;
  readonly #options: KindsOptions;
  #current: readonly Kind[] | undefined;
  #text = "";
  #failure: string | undefined;
  #isFirst = true;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;
  #looking: Promise<void> | undefined;
  /** Resolves after the first look, however it went. */
  readonly ready: Promise<void>;

  constructor(facilitator: Pick<Facilitator, "supported">, options: KindsOptions) {
    this.#facilitator = facilitator;
    this.#options = options;
    this.ready = this.#start();
  }

  get current(): readonly Kind[] | undefined {
    return this.#current;
  }

  /** Why the last look failed, for the log; undefined where it did not, or is not over. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Resolves when a look is over that is under way, or, where the last one failed, another one. */
  async renew(): Promise<void> {
    await (this.#looking ?? (this.#failure === undefined ? undefined : this.#start()));
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #start(): Promise<void> {
    clearTimeout(this.#timer);
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const isHeard = await this.#facilitator.supported().then(
      (kinds) => this.#heard(kinds),
      (error: unknown) => this.#failed(error),
    );
    if (this.#closed) return;
    this.#isFirst = false;
    const { refreshMs, random } = this.#options;
    const wait = isHeard ? refreshMs : Math.min(refreshMs, RETRY_MS);
    this.#timer = setTimeout(() => void this.#start(), wait * (1 - JITTER + 2 * JITTER * random()));
    this.#timer.unref();
  }

  #heard(kinds: readonly Kind[]): boolean {
    if (this.#failure !== undefined && !this.#closed) this.#options.log("the facilitator is there again");
    this.#failure = undefined;
    this.#take(kinds);
    return true;
  }

  #take(kinds: readonly Kind[]): void {
    const text = JSON.stringify(kinds);
    // The same object while nothing changes, so that nobody makes his challenges anew.
    if (text !== this.#text) this.#current = kinds;
    this.#text = text;
  }

  #failed(error: unknown): boolean {
    const isNews = this.#failure === undefined && !this.#isFirst && !this.#closed;
    // Other errors are not a facilitator's, and may name what must not be told.
    this.#failure = error instanceof UnsupportedError ? error.message : "Cannot learn what the facilitator supports";
    if (isNews) this.#options.log(this.#failure);
    // What can be sold is sold; what was heard of the rest before stays as it was.
    if (error instanceof UnsupportedError && error.kinds.length > 0)
      this.#take(joined(error.kinds, this.#current ?? []));
    return false;
  }
}

/** `kinds`, and those of `before` that say something of another scheme or network. */
function joined(kinds: readonly Kind[], before: readonly Kind[]): readonly Kind[] {
  const known = new Set(kinds.map(({ scheme, network }) => `${scheme} ${network}`));
  return [...kinds, ...before.filter(({ scheme, network }) => !known.has(`${scheme} ${network}`))];
}

/**
 * What a facilitator supports could not be learned, or not all of it: `kinds` is what could. The message names neither its
 * address nor its words.
 */
export class UnsupportedError extends Error {
  readonly kinds: readonly Kind[];

  constructor(cause: string, kinds: readonly Kind[] = []) {
    super(`Cannot learn what the facilitator supports: ${cause}`);
    this.name = "UnsupportedError";
    this.kinds = kinds;
  }
}
