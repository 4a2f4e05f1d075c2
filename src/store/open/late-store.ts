import { messageOf } from "../../lib/caught.ts";
import { type Store } from "../store.ts";

/** Milliseconds between two attempts to open the store. */
const RETRY_MS = 2000;

/** The function that opens the store of a `LateStore`, and those that receive the result. */
export interface LateStoreOptions {
  /** Opens the store, or throws the reason why it cannot be opened now. */
  readonly open: () => Store;
  /** Why the first attempt failed. */
  readonly reason: Error;
  /** Called when the store is open, and when an attempt fails for another reason than the one before. */
  readonly onOpen: () => void;
  readonly onReason: (reason: string) => void;
}

/** A store that cannot be opened yet, because its disk is full. Until it is open, every call fails with the reason. */
export class LateStore implements Store {
  readonly ledger = this.#late("ledger");
  readonly view = this.#late("view");
  readonly outbox = this.#late("outbox");
  readonly refunds = this.#late("refunds");
  readonly paymentIds = this.#late("paymentIds");
  readonly credits = this.#late("credits");
  readonly channels = this.#late("channels");
  readonly simulatedTransfers = this.#late("simulatedTransfers");
  readonly usage = this.#late("usage");
  readonly responses = undefined;
  readonly #options: LateStoreOptions;
  #reason: Error;
  #store: Store | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LateStoreOptions) {
    this.#options = options;
    this.#reason = options.reason;
    this.#retryLater();
  }

  /** False until the store could be opened. */
  get isOpen(): boolean {
    return this.#store !== undefined;
  }

  /** The gateway serves its free routes before the store is open. */
  async ready(): Promise<void> {
    await this.#store?.ready();
  }

  async forget(before: number, limit: number): Promise<number> {
    return await this.#opened().forget(before, limit);
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#store?.close();
  }

  #opened(): Store {
    if (this.#store === undefined) throw this.#reason;
    return this.#store;
  }

  /** A part of the store whose methods fail until the store is open. */
  #late<Part extends Exclude<keyof Store, "responses" | "ready" | "forget" | "close">>(part: Part): Store[Part] {
    const methodOf = (_target: object, name: string | symbol) => {
      return async (...args: unknown[]): Promise<unknown> => {
        const opened = this.#opened()[part];
        // Every member of these interfaces is a method that returns a promise.
        const method = Reflect.get(opened, name) as (...given: unknown[]) => Promise<unknown>;
        return method.apply(opened, args);
      };
    };
    // The proxy has every method of the part.
    return new Proxy({}, { get: methodOf }) as Store[Part];
  }

  #retryLater(): void {
    this.#timer = setTimeout(() => this.#retry(), RETRY_MS);
    this.#timer.unref();
  }

  #retry(): void {
    try {
      this.#store = this.#options.open();
      this.#options.onOpen();
    } catch (error) {
      const reason = error instanceof Error ? error : new Error(messageOf(error));
      if (reason.message !== this.#reason.message) this.#options.onReason(reason.message);
      this.#reason = reason;
      this.#retryLater();
    }
  }
}
