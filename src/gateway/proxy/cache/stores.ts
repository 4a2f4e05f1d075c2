import { type CacheStore } from "./store.ts";

/** The stored responses of all routes, by the path prefixes of the routes. */
export class Stores {
  readonly #byPrefix = new Map<string, CacheStore[]>();
  readonly #lengths: readonly number[];

  constructor(stores: Iterable<readonly [prefix: string, store: CacheStore]>) {
    for (const [prefix, store] of stores) {
      this.#byPrefix.getOrInsertComputed(prefix, () => []).push(store);
    }
    this.#lengths = [...new Set(Array.from(this.#byPrefix.keys(), ({ length }) => length))];
  }

  /** Removes the responses of a URI with this path from every route that may serve it. */
  invalidate(uri: string, path: string): void {
    for (const length of this.#lengths) {
      for (const store of this.#byPrefix.get(path.slice(0, length)) ?? []) store.invalidate(uri);
    }
  }
}
