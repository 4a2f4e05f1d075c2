import { ProviderError } from "../web/provider.ts";
import { type FoundPage, type IndexQuery } from "./page-index.ts";
import { type QueryResponse, type QueryMessage } from "./query-worker.ts";

/** Queries of the search index that wait for a result. A further one is refused. */
const MAX_PENDING = 64;

interface Pending {
  readonly resolve: (pages: readonly FoundPage[]) => void;
  readonly reject: (error: ProviderError) => void;
}

/** Queries an index in its own thread, since a query for the commonest words of a large index takes long. */
export class IndexQueries {
  readonly #path: string;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #nextId = 1;

  constructor(path: string) {
    this.#path = path;
  }

  /** Fails with a ProviderError. An aborted call rejects at once, also while its query runs. */
  async search(query: IndexQuery, signal: AbortSignal): Promise<readonly FoundPage[]> {
    if (this.#pending.size >= MAX_PENDING) throw new ProviderError("limited", "too many queries wait for the index");
    const id = this.#nextId;
    this.#nextId += 1;
    const { promise, resolve, reject } = Promise.withResolvers<readonly FoundPage[]>();
    this.#pending.set(id, { resolve, reject });
    const abort = () => reject(new ProviderError("timeout", "it did not respond in time"));
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    this.#worker ??= this.#start();
    const message: QueryMessage = { id, path: this.#path, query };
    this.#worker.postMessage(message);
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  close(): void {
    this.#end("the service stops");
  }

  #start(): Worker {
    const worker = new Worker(new URL("./query-worker.ts", import.meta.url).href, { env: {} });
    worker.unref();
    worker.addEventListener("message", (event: MessageEvent<QueryResponse>) => {
      const { id } = event.data;
      const pending = this.#pending.get(id);
      // An aborted query counts until its result arrives, since the thread still works on it.
      this.#pending.delete(id);
      if ("pages" in event.data) pending?.resolve(event.data.pages);
      else pending?.reject(new ProviderError("unreadable", "its index cannot be read"));
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#end("its thread ended");
    });
    return worker;
  }

  #end(reason: string): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject } of this.#pending.values()) reject(new ProviderError("unreachable", reason));
    this.#pending.clear();
  }
}
