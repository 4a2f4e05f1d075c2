import { MAX_SERVERS } from "../../config/max-servers.ts";
import { type ServerStates } from "../outlier-detection.ts";

/**
 * Assigns slots in the shared memory to servers. A server keeps its slot while it stays in its upstream, also over
 * reloads. A slot is given to another server only when no worker has a request in flight with it.
 */
export class Slots {
  readonly #states: ServerStates;
  readonly #taken = new Map<string, number>();
  /** Slots are taken from the front and returned at the end, so that the slot freed last is reused last. */
  #free = Array.from({ length: MAX_SERVERS }, (_, slot) => slot);

  constructor(states: ServerStates) {
    this.#states = states;
  }

  /** The slot of a server; undefined if all are taken. `key` identifies it among all upstreams' servers. */
  take(key: string): number | undefined {
    const known = this.#taken.get(key);
    if (known !== undefined) return known;
    const slot = this.#free.find((free) => this.#states.isUnused(free));
    if (slot === undefined) return undefined;
    this.#free.splice(this.#free.indexOf(slot), 1);
    this.#states.reset(slot);
    this.#taken.set(key, slot);
    return slot;
  }

  /** Frees the slots of all servers but these. */
  keep(keys: ReadonlySet<string>): void {
    for (const [key, slot] of this.#taken) {
      if (keys.has(key)) continue;
      this.#taken.delete(key);
      this.#free.push(slot);
    }
  }
}
