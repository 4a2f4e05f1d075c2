import { dirname, join } from "node:path";
import { type BufferPool } from "../../../../lib/memory/buffer-pool.ts";
import { messageOf } from "../../../../lib/caught.ts";
import { isDiskFull } from "../../../../lib/files/disk-full.ts";
import { type KeptResponses } from "../../../../store/kept-responses.ts";
import { type Config } from "../../../config/config.ts";
import type * as Disks from "./response-disk.ts";
import { ResponseStore } from "./response-store.ts";
import type * as Shared from "./shared-responses.ts";

/** Loaded with the first paid route (bench start). */
const shared = (): typeof Shared => require("./shared-responses.ts");
const disks = (): typeof Disks => require("./response-disk.ts");

/** Milliseconds until the folder of a full disk is opened again. */
const DISK_RETRY_MS = 2000;

/** The paid responses of a worker, in memory, on its disk and in the database of several gateways. */
export class WorkerResponses {
  readonly store: ResponseStore;
  readonly #log: (message: string) => void;
  #diskBytes: number;
  #retry: NodeJS.Timeout | undefined;

  constructor(pool: BufferPool, { x402 }: Pick<Config, "x402">, log: (message: string) => void) {
    this.store = new ResponseStore(pool);
    this.#log = log;
    this.#diskBytes = x402.answer_disk_bytes;
  }

  /**
   * Stores responses next to the ledger in `storePath`, unless the ledger is in memory or `answer_disk_bytes` is 0, and
   * shares them in `kept` with the other gateways of a database. If the disk is full, it tries again until there is space,
   * provided that other gateways store responses too. Throws otherwise.
   */
  use(kept: KeptResponses | undefined, storePath: string): void {
    const { store } = this;
    if (kept !== undefined)
      store.shared ??= new (shared().SharedResponses)({ store: kept, now: Date.now, log: this.#log });
    if (store.disk !== undefined || storePath === ":memory:" || this.#diskBytes === 0) return;
    clearTimeout(this.#retry);
    try {
      const folder = join(dirname(storePath), "answers");
      store.disk = new (disks().ResponseDisk)({ folder, maxBytes: this.#diskBytes, now: Date.now, log: this.#log });
    } catch (error) {
      if (store.shared === undefined || !isDiskFull(error, dirname(storePath))) throw error;
      if (this.#retry === undefined)
        this.#log(`payment: ${messageOf(error)}; until there is space, this gateway sells only short responses`);
      this.#retry = setTimeout(() => this.#useAgain(storePath), DISK_RETRY_MS);
    }
  }

  #useAgain(storePath: string): void {
    try {
      this.use(undefined, storePath);
    } catch (error) {
      this.#log(`payment: ${messageOf(error)}`);
    }
  }

  /** Applies the limit of another configuration. */
  reload({ x402 }: Pick<Config, "x402">): void {
    this.#diskBytes = x402.answer_disk_bytes;
    if (this.store.disk !== undefined) this.store.disk.maxBytes = this.#diskBytes;
  }

  async close(): Promise<void> {
    clearTimeout(this.#retry);
    await this.store.close();
  }
}
