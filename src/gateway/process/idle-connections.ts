import { type Roster } from "../../lib/roster.ts";
import { type TimerWheel } from "../../lib/timer-wheel.ts";
import { type ConnectionPermit } from "../server-host.ts";

/** Milliseconds without a request after which a connection may be closed for another: a shorter pause is a client at work. */
const MIN_IDLE_MS = 1000;
/** Connections that one look through all finds. @bound */
const BATCH = 64;
/** Milliseconds until it is looked again after none was found, so that a flood does not pay a look for each connection. */
const LOOK_AGAIN_MS = 100;
/** Addresses whose oldest connections are remembered. */
const MAX_REMEMBERED = 64;

/** A place whose connection may become idle, of an address. */
export interface IdleConnection extends ConnectionPermit {
  readonly key: string;
}

interface Found<T> {
  readonly places: Seen<T>[];
  /** Wheel time until when there is nothing. */
  readonly noneUntil: number;
}

interface Seen<T> {
  readonly place: T;
  readonly idleSince: number;
}

/**
 * Finds the connections that have been idle for longest. Requests do not pay for it: nothing is noted while connections work, and
 * they are looked through when places have run out, for 64 of them at a time.
 */
export class IdleConnections<T extends IdleConnection> {
  readonly #all: Roster<T>;
  readonly #wheel: TimerWheel;
  #found = new Map<string | undefined, Found<T>>();

  constructor(all: Roster<T>, wheel: TimerWheel) {
    this.#all = all;
    this.#wheel = wheel;
  }

  /** The one that has been idle for longest, of `key` where that is given; undefined where none has been for long enough. */
  take(key: string | undefined): T | undefined {
    const before = this.#found.get(key);
    const now = this.#wheel.now();
    const next = before === undefined ? undefined : takeStill(before);
    if (next !== undefined) return next;
    if (before !== undefined && now < before.noneUntil) return undefined;
    const found = { places: this.#look(key, now), noneUntil: now + LOOK_AGAIN_MS };
    if (this.#found.size >= MAX_REMEMBERED) this.#found.clear();
    this.#found.set(key, found);
    return takeStill(found);
  }

  /** Those that have been idle for longest, the last of them first. */
  #look(key: string | undefined, now: number): Seen<T>[] {
    const oldest: Seen<T>[] = [];
    for (const place of this.#all.all()) {
      if (key !== undefined && place.key !== key) continue;
      const idleSince = place.holder?.idleSince ?? Number.POSITIVE_INFINITY;
      if (idleSince > now - MIN_IDLE_MS) continue;
      if (oldest.length >= BATCH) {
        if (idleSince >= (oldest[0]?.idleSince ?? 0)) continue;
        oldest.shift();
      }
      const at = oldest.findIndex((other) => other.idleSince <= idleSince);
      oldest.splice(at === -1 ? oldest.length : at, 0, { place, idleSince });
    }
    return oldest;
  }
}

/** The next that is still there and has had no request since. */
function takeStill<T extends IdleConnection>({ places }: Found<T>): T | undefined {
  for (let next = places.pop(); next !== undefined; next = places.pop()) {
    const { place, idleSince } = next;
    if (place.rosterIndex !== -1 && place.holder?.idleSince === idleSince) return place;
  }
  return undefined;
}
