import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { messageOf } from "../../../lib/caught.ts";
import { isDiskFull } from "../../../lib/files/disk-full.ts";
import { openConfiguredStore } from "../../../store/open/configured-store.ts";
import { LateStore } from "../../../store/open/late-store.ts";
import { type Store } from "../../../store/store.ts";
import { type Config } from "../../config/config.ts";
import { type WorkerResponses } from "../../policy/payment/responses/worker-responses.ts";
import { type GatewayOptions } from "./gateway-interface.ts";

/** The ledger's file was deleted or moved. An empty one in its place would accept spent payments again. */
class LedgerGone extends Error {
  constructor(path: string) {
    super(
      `Cannot open the ledger "${path}": the file was moved or deleted: put it back; a restart without it begins with an empty one`,
    );
    this.name = "LedgerGone";
  }
}

type Options = Pick<GatewayOptions, "storePath" | "needsDatabase" | "log">;

/**
 * The store of a worker. It is opened when a configuration first needs it, and stays open while the process runs,
 * because payments under way keep the store that they began in.
 */
export class WorkerStore {
  readonly #options: Options;
  readonly #responses: WorkerResponses;
  #store: Store | undefined;
  #config: Config["postgres"] | undefined;
  /** True if the worker replaces one that has sold. */
  #replaces: boolean;

  constructor(options: Options, responses: WorkerResponses) {
    this.#options = options;
    this.#replaces = options.needsDatabase === false;
    this.#responses = responses;
  }

  /** The open store; undefined if it has not been needed yet. */
  get opened(): Store | undefined {
    return this.#store;
  }

  /** The settings that the store was opened with; undefined if it is not open. */
  get config(): Config["postgres"] | undefined {
    return this.#config;
  }

  /** Opens the store, or returns the open one. Throws if it cannot be opened, or if `postgres` has changed. */
  open(postgres: Config["postgres"]): Store {
    if (this.#store === undefined) {
      this.#store = this.#openFirst(postgres);
      this.#config = postgres;
      return this.#store;
    }
    if (!isDeepStrictEqual(postgres, this.#config)) {
      throw new Error("postgres has changed, which takes a restart");
    }
    if (!(this.#store instanceof LateStore) || this.#store.isOpen) this.#useResponses(this.#store);
    return this.#store;
  }

  /** Waits until the open store is ready. Rejects if it cannot be reached, unless the process starts without it. */
  async ready(): Promise<void> {
    const { needsDatabase = true, log } = this.#options;
    // A later configuration may be the first one that sells.
    this.#replaces = false;
    const ready = this.#store?.ready();
    await (needsDatabase ? ready : ready?.catch((error: unknown) => log(messageOf(error))));
  }

  async close(): Promise<void> {
    await this.#store?.close();
  }

  /** While the disk of an SQLite ledger is full, or its file is gone, payments are refused and other requests are served. */
  #openFirst(postgres: Config["postgres"]): Store {
    const { storePath, log } = this.#options;
    const mustExist = this.#replaces && (postgres.url ?? "") === "" && storePath !== ":memory:";
    const open = (): Store => {
      if (mustExist && !existsSync(storePath)) throw new LedgerGone(storePath);
      const store = openConfiguredStore(postgres, storePath);
      try {
        this.#useResponses(store);
        return store;
      } catch (error) {
        void store.close();
        throw error;
      }
    };
    try {
      return open();
    } catch (error) {
      const isGone = error instanceof LedgerGone;
      if (!(error instanceof Error) || !(isGone || isDiskFull(error, dirname(storePath)))) throw error;
      const event = isGone ? "the ledger is back" : "there is space for the ledger";
      const refusal = `payments are refused until ${event}`;
      log(`payment: ${error.message}; ${refusal}`);
      return new LateStore({
        open,
        reason: error,
        onOpen: () => log(`payment: ${event} again; payments are accepted`),
        onReason: (reason) => log(`payment: ${reason}; ${refusal}`),
      });
    }
  }

  #useResponses(store: Store): void {
    this.#responses.use(store.responses, this.#options.storePath);
  }
}
