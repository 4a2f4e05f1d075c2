import { type MemberList } from "../../../lib/member-list.ts";
import { type TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { type ConnectionPermit } from "../../exchange/server-host.ts";

/** Milliseconds without a request until a connection may be closed for another. Busy clients pause less. */
const MIN_IDLE_MS = 1000;
/** Connections that one search finds. @bound */
const BATCH = 64;
/** Milliseconds until the next search after a vain one, so that a flood does not search for each connection. */
const LOOK_AGAIN_MS = 100;
/** Addresses whose oldest connections are remembered; one more clears the list. */
const MAX_REMEMBERED = 64;

/** A permit whose connection may become idle, with its address. */
export interface IdleConnection extends ConnectionPermit {
  readonly key: string;
}

interface Found<T> {
  readonly permits: Seen<T>[];
  /** Wheel time until which there is no other search. */
  readonly noneUntil: number;
}

interface Seen<T> {
  readonly permit: T;
  readonly idleSince: number;
}

/**
 * Finds the connections that have been idle longest. Requests do not pay for it: working connections record nothing. If
 * the permits have run out, one search through all connections finds 64.
 */
export class IdleConnections<T extends IdleConnection> {
  readonly #all: MemberList<T>;
  readonly #wheel: TimerWheel;
  #found = new Map<string | undefined, Found<T>>();

  constructor(all: MemberList<T>, wheel: TimerWheel) {
    this.#all = all;
    this.#wheel = wheel;
  }

  /** The permit of the connection (of `key`, if given) that is idle longest. Undefined if none is long enough. */
  take(key: string | undefined): T | undefined {
    const before = this.#found.get(key);
    const now = this.#wheel.now();
    const next = before === undefined ? undefined : takeStill(before);
    if (next !== undefined) return next;
    if (before !== undefined && now < before.noneUntil) return undefined;
    const found = { permits: this.#look(key, now), noneUntil: now + LOOK_AGAIN_MS };
    if (this.#found.size >= MAX_REMEMBERED) this.#found.clear();
    this.#found.set(key, found);
    return takeStill(found);
  }

  /** The permits that have been idle longest; the oldest is the last. */
  #look(key: string | undefined, now: number): Seen<T>[] {
    const oldest: Seen<T>[] = [];
    for (const permit of this.#all.all()) {
      if (key !== undefined && permit.key !== key) continue;
      const idleSince = permit.holder?.idleSince ?? Number.POSITIVE_INFINITY;
      if (idleSince > now - MIN_IDLE_MS) continue;
      if (oldest.length >= BATCH) {
        if (idleSince >= (oldest[0]?.idleSince ?? 0)) continue;
        oldest.shift();
      }
      const at = oldest.findIndex((other) => other.idleSince <= idleSince);
      oldest.splice(at === -1 ? oldest.length : at, 0, { permit, idleSince });
    }
    return oldest;
  }
}

/** The next permit that is still in use and has had no request since the search. */
function takeStill<T extends IdleConnection>({ permits }: Found<T>): T | undefined {
  for (let next = permits.pop(); next !== undefined; next = permits.pop()) {
    const { permit, idleSince } = next;
    if (permit.listIndex !== -1 && permit.holder?.idleSince === idleSince) return permit;
  }
  return undefined;
}
