import { type Store } from "../store.ts";

/** Start of the test clock, in Unix milliseconds. */
export const START = 1_800_000_000_000;

export interface Opened extends AsyncDisposable {
  readonly clock: { now: number };
  readonly store: Store;
  /** Opens the same database again, as another process would. */
  another(): Promise<Store>;
}

export type NewDatabase = () => Promise<(now: () => number) => Promise<Store>>;

/**
 * For tests only: opens an empty database with a clock that stands still. Use it with `await using`, which closes it.
 */
export async function openFresh(newDatabase: NewDatabase): Promise<Opened> {
  const open = await newDatabase();
  const clock = { now: START };
  const stores: Store[] = [];
  async function another(): Promise<Store> {
    const store = await open(() => clock.now);
    stores.push(store);
    return store;
  }
  return {
    clock,
    store: await another(),
    another,
    async [Symbol.asyncDispose]() {
      for (const store of stores) await store.close();
    },
  };
}
