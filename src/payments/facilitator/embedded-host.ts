import { isDeepStrictEqual } from "node:util";
import { type Facilitator, type Settlement } from "./facilitator.ts";

/** Milliseconds for which the last facilitator stays when none is wanted any more: as long as a payment can be held. @bound */
const RETIRE_MS = 900_000;

/** The facilitator with a key of this process's own, through all configurations: one key has one row of nonces. */
export class EmbeddedHost<Settings> {
  readonly #create: (settings: Settings) => Facilitator | Promise<Facilitator>;
  #current: Tenant<Settings> | undefined;
  #retiring: ReturnType<typeof setTimeout> | undefined;
  /** Goes to whichever facilitator there is now. */
  readonly facilitator: Facilitator;

  constructor(create: (settings: Settings) => Facilitator | Promise<Facilitator>) {
    this.#create = create;
    this.facilitator = {
      supported: async () => this.#ready().facilitator.supported(),
      verify: async (payment, requirements) => this.#ready().facilitator.verify(payment, requirements),
      find: async (payment, requirements) => this.#ready().facilitator.find(payment, requirements),
      settle: async (payment, requirements) => this.#ready().settle(payment, requirements),
      close: async () => {
        // Whoever made this host closes it.
      },
    };
  }

  /** What it runs by now. */
  get settings(): Settings | undefined {
    return this.#current?.settings;
  }

  /**
   * Goes on with a facilitator of these settings, the same one where they are as they were. The next one settles only when
   * the one before has no settlement under way. Rejects, with that one left in place, where there cannot be such a facilitator.
   */
  async use(settings: Settings | undefined): Promise<void> {
    clearTimeout(this.#retiring);
    if (settings === undefined) {
      this.#retiring = setTimeout(() => void this.close(), RETIRE_MS);
      this.#retiring.unref();
      return;
    }
    const previous = this.#current;
    if (previous !== undefined && isDeepStrictEqual(previous.settings, settings)) return;
    const facilitator = await this.#create(settings);
    this.#current = new Tenant(settings, facilitator, previous?.leave());
  }

  /** Resolves when no settlement is under way. */
  async close(): Promise<void> {
    clearTimeout(this.#retiring);
    const last = this.#current;
    this.#current = undefined;
    await last?.leave();
  }

  #ready(): Tenant<Settings> {
    if (this.#current === undefined) throw new Error("Cannot use the embedded facilitator: there is none");
    return this.#current;
  }
}

/** One facilitator, and the settlements that it has under way. */
class Tenant<Settings> {
  readonly settings: Settings;
  readonly facilitator: Facilitator;
  readonly #before: Promise<void> | undefined;
  readonly #settling = new Set<Promise<Settlement>>();

  constructor(settings: Settings, facilitator: Facilitator, before: Promise<void> | undefined) {
    this.settings = settings;
    this.facilitator = facilitator;
    this.#before = before;
  }

  async settle(...call: Parameters<Facilitator["settle"]>): Promise<Settlement> {
    const settling = this.#settleInTurn(...call);
    this.#settling.add(settling);
    try {
      return await settling;
    } finally {
      this.#settling.delete(settling);
    }
  }

  async #settleInTurn(...call: Parameters<Facilitator["settle"]>): Promise<Settlement> {
    await this.#before;
    return this.facilitator.settle(...call);
  }

  async leave(): Promise<void> {
    await this.#before;
    await Promise.allSettled(this.#settling);
    await this.facilitator.close();
  }
}
