import { type Facilitator, type Kind } from "./facilitator.ts";

/** The interval and the services of the checks of a facilitator's supported kinds. */
export interface KindsOptions {
  /** Time between two checks, in milliseconds, plus or minus a tenth. */
  readonly refreshMs: number;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  /** Called if a check after the first fails, and if a later one succeeds. The message has no address. */
  readonly log: (message: string) => void;
}

/** The warning of a facilitator that says so. */
export const SIMULATES =
  "the facilitator is in test mode and settles nothing: clients get responses for payments that move no money";
/**
 * Time after which a failed check of a facilitator's kinds is repeated, in milliseconds, if `refreshMs` is longer.
 * @bound
 */
const RETRY_MS = 10_000;
/** Random part of the time between checks, so that the workers of many gateways do not call at the same time. */
const JITTER = 0.1;

/**
 * Watches the kinds of a facilitator, because a challenge cannot wait for them. It checks at once, and then repeatedly.
 * The last list stays while checks fail.
 */
export class KindsWatch {
  readonly #facilitator: Pick<Facilitator, "supported">;
  readonly #options: KindsOptions;
  #current: readonly Kind[] | undefined;
  #text = "";
  #failure: string | undefined;
  #isFirst = true;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;
  #looking: Promise<void> | undefined;
  /** Resolves after the first check, also if it fails. */
  readonly ready: Promise<void>;

  constructor(facilitator: Pick<Facilitator, "supported">, options: KindsOptions) {
    this.#facilitator = facilitator;
    this.#options = options;
    this.ready = this.#start();
  }

  /** The kinds that were listed last; undefined before the first response. */
  get current(): readonly Kind[] | undefined {
    return this.#current;
  }

  /** The reason why the last check failed, for the log; undefined if it succeeded or has not ended. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Resolves when the current check has ended. If none runs and the last one failed, starts another one. */
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
  }

  #heard(kinds: readonly Kind[]): boolean {
    if (this.#failure !== undefined && !this.#closed) this.#options.log("the facilitator responds again");
    this.#failure = undefined;
    // The check of a new configuration tells of the first list.
    const isNews = !this.#isFirst && !this.#closed && kinds.some(simulates) && this.#current?.some(simulates) !== true;
    if (isNews) this.#options.log(SIMULATES);
    this.#take(kinds);
    return true;
  }

  #take(kinds: readonly Kind[]): void {
    const text = JSON.stringify(kinds);
    // The object stays the same while nothing changes, so that callers need not rebuild their challenges.
    if (text !== this.#text) this.#current = kinds;
    this.#text = text;
  }

  #failed(error: unknown): boolean {
    const isNews = this.#failure === undefined && !this.#isFirst && !this.#closed;
    // Other errors do not come from a facilitator, and may contain secrets.
    this.#failure = error instanceof UnsupportedError ? error.message : "Cannot query what the facilitator supports";
    if (isNews) this.#options.log(this.#failure);
    // The available kinds are used at once. The other ones stay as they were.
    if (error instanceof UnsupportedError && error.kinds.length > 0)
      this.#take(joined(error.kinds, this.#current ?? []));
    return false;
  }
}

function simulates(kind: Kind): boolean {
  return kind.isSimulated === true;
}

/** `kinds`, and those of `before` with another scheme or network. */
function joined(kinds: readonly Kind[], before: readonly Kind[]): readonly Kind[] {
  const known = new Set(kinds.map(({ scheme, network }) => `${scheme} ${network}`));
  return [...kinds, ...before.filter(({ scheme, network }) => !known.has(`${scheme} ${network}`))];
}

/**
 * The kinds of a facilitator could not be read, or not completely: `kinds` contains those that could. The message
 * contains neither the facilitator's address nor its text.
 */
export class UnsupportedError extends Error {
  readonly kinds: readonly Kind[];
  /** Why the others are missing. */
  readonly why: string;

  constructor(cause: string, kinds: readonly Kind[] = []) {
    super(`Cannot query what the facilitator supports: ${cause}`);
    this.why = cause;
    this.name = "UnsupportedError";
    this.kinds = kinds;
  }
}
