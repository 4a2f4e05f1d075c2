import { MAX_SERVERS } from "../../config/max-servers.ts";
import { type ServerStates } from "../server-states.ts";

/**
 * Which server has which place in the shared memory. A server keeps its place while it stays in its upstream, over reloads
 * too; a place is given to another server only when no worker has a request there.
 */
export class Slots {
  readonly #states: ServerStates;
  readonly #taken = new Map<string, number>();
  /** Given out from the front and given back at the end: what was used last rests longest. */
  #free = Array.from({ length: MAX_SERVERS }, (_, slot) => slot);

  constructor(states: ServerStates) {
    this.#states = states;
  }

  /** The place of a server; undefined where all are taken. `key` tells it from the other servers of all upstreams. */
  take(key: string): number | undefined {
    const known = this.#taken.get(key);
    if (known !== undefined) return known;
    const index = this.#free.findIndex((slot) => this.#states.isUnused(slot));
    const [slot] = index === -1 ? [] : this.#free.splice(index, 1);
    if (slot === undefined) return undefined;
    this.#states.reset(slot);
    this.#taken.set(key, slot);
    return slot;
  }

  /** Gives back the places of all servers but these. */
  keep(keys: ReadonlySet<string>): void {
    for (const [key, slot] of this.#taken) {
      if (keys.has(key)) continue;
      this.#taken.delete(key);
      this.#free.push(slot);
    }
  }
}
