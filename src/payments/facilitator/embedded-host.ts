import { isDeepStrictEqual } from "node:util";
import { type Facilitator } from "../x402/facilitator.ts";

/**
 * Time for which the last facilitator stays when it is no longer configured, in milliseconds: the longest lease of a
 * payment. Afterwards it closes. @bound
 */
const RETIRE_MS = 900_000;
const NO_CHANNELS = { kind: "refused", reason: "invalid_scheme" } as const;

/** The facilitator with this process's key, across configurations: one owner assigns transaction nonces. */
export class EmbeddedHost<Settings> {
  readonly #create: (settings: Settings) => Facilitator;
  #current: Tenant<Settings> | undefined;
  #retiring: ReturnType<typeof setTimeout> | undefined;
  /** Passes calls to the current facilitator. */
  readonly facilitator: Facilitator;

  constructor(create: (settings: Settings) => Facilitator) {
    this.#create = create;
    this.facilitator = {
      supported: async () => this.#ready().facilitator.supported(),
      verify: async (payment, requirements) => this.#ready().facilitator.verify(payment, requirements),
      find: async (payment, requirements) => this.#ready().facilitator.find(payment, requirements),
      settle: async (payment, requirements) => {
        const tenant = this.#ready();
        return tenant.settle(() => tenant.facilitator.settle(payment, requirements));
      },
      channels: {
        verify: async (payment, requirements) =>
          this.#ready().facilitator.channels?.verify(payment, requirements) ?? NO_CHANNELS,
        settle: async (order, requirements) => {
          const tenant = this.#ready();
          const { channels } = tenant.facilitator;
          return channels === undefined ? NO_CHANNELS : tenant.settle(() => channels.settle(order, requirements));
        },
      },
      close: async () => {
        // The owner of this host closes it.
      },
    };
  }

  get settings(): Settings | undefined {
    return this.#current?.settings;
  }

  /**
   * Changes to a facilitator with these settings; equal settings keep the current one. The new one settles only after
   * the settlements of the previous one have ended. Rejects if the facilitator cannot be created; the current one
   * stays.
   */
  async use(settings: Settings | undefined): Promise<void> {
    clearTimeout(this.#retiring);
    if (settings === undefined) {
      this.#retiring = setTimeout(() => void this.close(), RETIRE_MS);
      return;
    }
    const previous = this.#current;
    if (previous !== undefined && isDeepStrictEqual(previous.settings, settings)) return;
    const facilitator = this.#create(settings);
    this.#current = new Tenant(settings, facilitator, previous?.leave());
  }

  /** Closes the current facilitator. Resolves when no settlement is in progress. */
  async close(): Promise<void> {
    clearTimeout(this.#retiring);
    const last = this.#current;
    this.#current = undefined;
    await last?.leave();
  }

  #ready(): Tenant<Settings> {
    if (this.#current === undefined) throw new Error("Cannot use the embedded facilitator: it is not configured");
    return this.#current;
  }
}

/** One facilitator, and its settlements in progress. */
class Tenant<Settings> {
  readonly settings: Settings;
  readonly facilitator: Facilitator;
  readonly #before: Promise<void> | undefined;
  readonly #settling = new Set<Promise<unknown>>();

  constructor(settings: Settings, facilitator: Facilitator, before: Promise<void> | undefined) {
    this.settings = settings;
    this.facilitator = facilitator;
    this.#before = before;
  }

  async settle<T>(work: () => Promise<T>): Promise<T> {
    const settling = this.#inTurn(work);
    this.#settling.add(settling);
    try {
      return await settling;
    } finally {
      this.#settling.delete(settling);
    }
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    await this.#before;
    return await work();
  }

  async leave(): Promise<void> {
    await this.#before;
    await Promise.allSettled(this.#settling);
    await this.facilitator.close();
  }
}
