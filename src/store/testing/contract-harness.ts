import { type Store } from "../store.ts";

/** Where the clock of these tests stands at first, in milliseconds. */
export const START = 1_800_000_000_000;

export interface Opened extends AsyncDisposable {
  readonly clock: { now: number };
  readonly store: Store;
  /** The same database once more, as another process has it. */
  another(): Promise<Store>;
}

export type NewDatabase = () => Promise<(now: () => number) => Promise<Store>>;

/** For tests alone: an empty database, opened, with a clock that stands still; closed by `await using`. */
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
