import { useEffect, useState } from "preact/hooks";

/** A value that views read and observe. */
export class Store<T> {
  #value: T;
  readonly #followers = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const follower of this.#followers) follower();
  }

  follow(follower: () => void): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }
}

/** The store's value. The view is drawn again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [, draw] = useState(0);
  useEffect(() => {
    // The value can have changed between the first drawing and the subscription.
    draw((count) => count + 1);
    return store.follow(() => draw((count) => count + 1));
  }, [store]);
  return store.value;
}
