import { Roster } from "../../lib/roster.ts";
import { Deadline, type TimerWheel } from "../../lib/timer-wheel.ts";
import { addressKey } from "../../lib/address-key.ts";
import { type ClientPlace, type ServerConnection } from "../server-host.ts";
import { type Transport } from "../telemetry/connection-metrics.ts";
import { type AddressShares } from "./address-shares.ts";
import { IdlePlaces } from "./idle-places.ts";
import { Phase } from "./phase.ts";
import { type Places } from "./places.ts";

/** Connections over the limits that one worker takes for the gateway's own paths, and how many of them one address may have. @bound */
const RESERVED_PLACES = 16;
const RESERVED_PER_ADDRESS = 4;
/** Milliseconds that such a connection has for its request, and for everything. @bound */
const RESERVED_REQUEST_MS = 2000;
const RESERVED_MS = 10_000;
/** Bits of an IPv6 address that are one client's: who has one address has a /64 to choose from. */
const IPV6_PREFIX = 64;
/** Milliseconds between two looks at whether other workers want places that idle connections of this one have. */
const LOOK_MS = 200;

/** What bounds the connections of clients; a reload replaces it. */
export interface ConnectionLimits {
  readonly max: number;
  readonly maxPerAddress: number;
  /** True for a proxy, whose connections are those of many clients; undefined: there is none. */
  readonly isProxy: ((address: string) => boolean) | undefined;
}

export interface ClientPlacesDeps {
  readonly places: Places;
  readonly shares: AddressShares;
  readonly wheel: TimerWheel;
  readonly limits: () => ConnectionLimits;
  /** An idle connection was closed for another one's sake. */
  readonly yielded: (transport: Transport) => void;
}

interface PlaceOptions {
  readonly transport: Transport;
  readonly now: number;
  readonly expire: (place: Place) => void;
}

/** A connection's place: see `ClientPlace`. */
export class Place extends Deadline implements ClientPlace {
  rosterIndex = -1;
  isReserved: boolean;
  isReleased = false;
  stages = 0;
  holder: ServerConnection | undefined;
  /** The address whose share it is part of; empty where it is nobody's. */
  key: string;
  readonly transport: Transport;
  /** Wheel time. */
  readonly since: number;
  readonly #expire: (place: Place) => void;

  constructor(key: string, isReserved: boolean, { transport, now, expire }: PlaceOptions) {
    super();
    this.key = key;
    this.isReserved = isReserved;
    this.transport = transport;
    this.since = now;
    this.#expire = expire;
  }

  override onDeadline(): void {
    this.#expire(this);
  }
}

/**
 * Gives every connection of a client its place: one of `server.max_connections`, and of its address's share of them. When
 * none is left, the connection that has been idle for longest makes way, of the same address where its share is used up. When
 * none is idle, the newcomer gets one of a few reserved places, on which only the gateway's own paths are served: whoever
 * watches a busy server must not take it for a dead one.
 */
export class ClientPlaces {
  readonly #deps: ClientPlacesDeps;
  readonly #served = new Roster<Place>();
  readonly #reserved = new Roster<Place>();
  readonly #idle: IdlePlaces<Place>;
  readonly #expired = (place: Place): void => this.#expire(place);
  #looking: ReturnType<typeof setInterval> | undefined;
  /** What the workers had asked for in all at the last look. */
  #asked = 0;

  constructor(deps: ClientPlacesDeps) {
    this.#deps = deps;
    this.#idle = new IdlePlaces(this.#served, deps.wheel);
    if (deps.places.others > 0) this.#looking = setInterval(() => this.#makeRoomForOthers(), LOOK_MS).unref();
  }

  close(): void {
    clearInterval(this.#looking);
  }

  /** A place for a connection from `address`; undefined where not even a reserved one is left. Empty: no address is known yet. */
  admit(address: string, transport: Transport): Place | undefined {
    const key = this.#keyOf(address);
    const isReserved = !this.#claim(key);
    if (isReserved && !this.#hasReserved(key)) return undefined;
    const place = new Place(key, isReserved, { transport, now: this.#deps.wheel.now(), expire: this.#expired });
    this.#add(place);
    return place;
  }

  /** A proxy has told the connection's address; false where there is no place for it. */
  identify(place: Place, address: string): boolean {
    const key = this.#keyOf(address);
    if (key === "") return true;
    if (place.isReserved || this.#takeShare(key)) {
      place.key = key;
      return true;
    }
    this.#remove(place);
    if (!this.#hasReserved(key)) return false;
    place.isReserved = true;
    place.key = key;
    this.#add(place);
    return true;
  }

  /** A stage of a connection begins. */
  enter(place: Place, connection: ServerConnection): void {
    place.stages++;
    place.holder = connection;
    connection.place = place;
  }

  /** One stage of a connection takes over from another. */
  succeed(before: ServerConnection, connection: ServerConnection): void {
    const { place } = before;
    if (place instanceof Place) this.enter(place, connection);
  }

  /** A stage has ended; the last one gives the place back. */
  leave(connection: ServerConnection): void {
    const { place } = connection;
    if (place instanceof Place && --place.stages === 0) this.#remove(place);
  }

  #keyOf(address: string): string {
    if (address === "" || this.#deps.limits().isProxy?.(address) === true) return "";
    return addressKey(address, IPV6_PREFIX);
  }

  #claim(key: string): boolean {
    if (key !== "" && !this.#takeShare(key)) return false;
    const { places, shares, limits } = this.#deps;
    const { max } = limits();
    if (places.hasFree(max) || (this.#makeRoom(undefined) && places.hasFree(max))) return true;
    places.ask();
    if (key !== "") shares.release(key);
    return false;
  }

  #takeShare(key: string): boolean {
    const { shares, limits } = this.#deps;
    const { maxPerAddress } = limits();
    return shares.take(key, maxPerAddress) || (this.#makeRoom(key) && shares.take(key, maxPerAddress));
  }

  /** Closes the connection that has been idle for longest, of `key` where that is given; false where none is. */
  #makeRoom(key: string | undefined): boolean {
    const oldest = this.#idle.take(key);
    if (oldest?.holder === undefined) return false;
    const { holder } = oldest;
    this.#deps.yielded(oldest.transport);
    this.#remove(oldest);
    holder.makeWay();
    return true;
  }

  #makeRoomForOthers(): void {
    const { places } = this.#deps;
    const asked = places.asked();
    const wanted = Math.ceil((asked - this.#asked) / places.others);
    this.#asked = asked;
    for (let i = 0; i < wanted; i++) if (!this.#makeRoom(undefined)) return;
  }

  /** Makes sure that a reserved place is free: those that wait for their request make way, the oldest first. */
  #hasReserved(key: string): boolean {
    const all = this.#reserved.all();
    const own = key === "" ? [] : all.filter((place) => place.key === key);
    const rivals = own.length >= RESERVED_PER_ADDRESS ? own : all;
    if (rivals === all && all.length < RESERVED_PLACES) return true;
    const waiting = rivals.filter(isWaiting);
    const oldest = waiting.reduce<Place | undefined>(
      (a, b) => (a !== undefined && a.since <= b.since ? a : b),
      undefined,
    );
    if (oldest === undefined) return false;
    this.#remove(oldest);
    turnAway(oldest);
    return true;
  }

  #add(place: Place): void {
    if (place.isReserved) {
      this.#reserved.add(place);
      this.#deps.wheel.set(place, RESERVED_REQUEST_MS);
    } else {
      this.#served.add(place);
      this.#deps.places.take();
    }
    place.isReleased = false;
  }

  #remove(place: Place): void {
    if (place.isReleased) return;
    place.isReleased = true;
    if (place.isReserved) {
      this.#deps.wheel.remove(place);
      this.#reserved.delete(place);
      return;
    }
    this.#served.delete(place);
    this.#deps.places.release();
    if (place.key !== "") this.#deps.shares.release(place.key);
  }

  /** A reserved connection has had its time: for its request, or for all. */
  #expire(place: Place): void {
    const { wheel } = this.#deps;
    const left = place.since + RESERVED_MS - wheel.now();
    if (isWaiting(place) || left <= 0) turnAway(place);
    else wheel.set(place, left);
  }
}

/** Ends the connection; a client that has said nothing yet is told why, where that can be. */
function turnAway({ holder }: Place): void {
  if (holder instanceof Phase) holder.refuse();
  else holder?.cutOff();
}

function isWaiting({ holder }: Place): boolean {
  return holder === undefined || holder.idleSince !== Number.POSITIVE_INFINITY;
}
