import { MemberList } from "../../../lib/member-list.ts";
import { Deadline, type TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { addressKey } from "../../../lib/net/address-key.ts";
import { createProxyCheck } from "../../exchange/client-address.ts";
import { type Config } from "../../config/config.ts";
import { type ConnectionPermit, type ServerConnection } from "../../exchange/server-host.ts";
import { type Transport } from "../../telemetry/metrics/metrics.ts";
import { type AddressShares } from "./address-shares.ts";
import { IdleConnections } from "./idle-connections.ts";
import { Phase } from "./phase.ts";
import { type SharedConnectionCounter } from "./shared-connection-counter.ts";

/**
 * Connections over the limits that one worker accepts for the gateway's own paths, and the most of them for one address.
 * Beyond that, the oldest one without a request is closed, or else the new one. @bound
 */
const RESERVED_PERMITS = 16;
const RESERVED_PER_ADDRESS = 4;
/** Milliseconds that such a connection has for its request, and in total; then it is closed. @bound */
const RESERVED_REQUEST_MS = 2000;
const RESERVED_MS = 10_000;
/** Bits of an IPv6 address that identify one client: a client with one address usually has its whole /64. */
const IPV6_PREFIX = 64;
/** Milliseconds between two checks whether other workers need the permits of idle connections of this one. */
const LOOK_MS = 200;

/** The limits of client connections; a reload replaces them. */
export interface ConnectionLimits {
  readonly max: number;
  readonly maxPerAddress: number;
  /** True for a proxy, whose connections belong to many clients; undefined without trusted proxies. */
  readonly isProxy: ((address: string) => boolean) | undefined;
}

/** The limits of a configuration. */
export function connectionLimits({ server }: Pick<Config, "server">): ConnectionLimits {
  return {
    max: server.max_connections,
    maxPerAddress: server.max_connections_per_address,
    isProxy: createProxyCheck(server.trusted_proxies),
  };
}

export interface ConnectionLimiterDeps {
  readonly connectionCounter: SharedConnectionCounter;
  readonly shares: AddressShares;
  readonly wheel: TimerWheel;
  readonly limits: () => ConnectionLimits;
  /** An idle connection was closed, and another one gets its permit. */
  readonly yielded: (transport: Transport) => void;
}

/** The time limits of a reserved permit. Other permits need none, and take half the memory without them. */
class Reservation extends Deadline {
  /** Wheel time. */
  readonly since: number;
  readonly #permit: Permit;
  readonly #expire: (permit: Permit) => void;

  constructor(permit: Permit, since: number, expire: (permit: Permit) => void) {
    super();
    this.since = since;
    this.#permit = permit;
    this.#expire = expire;
  }

  override onDeadline(): void {
    this.#expire(this.#permit);
  }
}

/** The permit of a connection: see `ConnectionPermit`. */
export class Permit implements ConnectionPermit {
  listIndex = -1;
  /** Undefined for a permit within the limits. */
  reservation: Reservation | undefined;
  isReleased = false;
  stages = 0;
  holder: ServerConnection | undefined;
  /** The address that the permit counts for; empty if it counts for none. */
  key: string;
  readonly transport: Transport;

  constructor(key: string, transport: Transport) {
    this.key = key;
    this.transport = transport;
  }

  get isReserved(): boolean {
    return this.reservation !== undefined;
  }
}

/**
 * Gives every client connection a permit, within `server.max_connections` and the share of its address. If no permit is
 * left, the connection that has been idle longest is closed: one of the same address, if its share is used up. If none
 * is idle, the new connection gets one of a few reserved permits, with which only the gateway's own paths are served: a
 * monitor must not mistake a busy server for a dead one.
 */
export class ConnectionLimiter {
  readonly #deps: ConnectionLimiterDeps;
  readonly #served = new MemberList<Permit>();
  readonly #reserved = new MemberList<Permit>();
  readonly #idle: IdleConnections<Permit>;
  readonly #expired = (permit: Permit): void => this.#expire(permit);
  #looking: ReturnType<typeof setInterval> | undefined;
  /** The sum of all workers' requests for permits, at the last check. */
  #asked = 0;

  constructor(deps: ConnectionLimiterDeps) {
    this.#deps = deps;
    this.#idle = new IdleConnections(this.#served, deps.wheel);
    if (deps.connectionCounter.others > 0)
      this.#looking = setInterval(() => this.#makeRoomForOthers(), LOOK_MS).unref();
  }

  close(): void {
    clearInterval(this.#looking);
  }

  /** A permit for a connection from `address`; empty: unknown yet. Undefined without even a reserved permit. */
  admit(address: string, transport: Transport): Permit | undefined {
    const key = this.#keyOf(address);
    const isReserved = !this.#claim(key);
    if (isReserved && !this.#hasReserved(key)) return undefined;
    const permit = new Permit(key, transport);
    if (isReserved) this.#reserve(permit);
    else {
      this.#served.add(permit);
      this.#deps.connectionCounter.take();
    }
    return permit;
  }

  /** Sets the address that a proxy has reported for the connection. False if there is no permit for it. */
  identify(permit: Permit, address: string): boolean {
    const key = this.#keyOf(address);
    if (key === "") return true;
    if (permit.isReserved || this.#takeShare(key)) {
      permit.key = key;
      return true;
    }
    this.#remove(permit);
    if (!this.#hasReserved(key)) return false;
    permit.key = key;
    this.#reserve(permit);
    return true;
  }

  /** A stage of a connection begins. */
  enter(permit: Permit, connection: ServerConnection): void {
    permit.stages++;
    permit.holder = connection;
    connection.permit = permit;
  }

  /** One stage of a connection takes over from another. */
  succeed(before: ServerConnection, connection: ServerConnection): void {
    const { permit } = before;
    if (permit instanceof Permit) this.enter(permit, connection);
  }

  /** A stage has ended. The last stage gives the permit back. */
  leave(connection: ServerConnection): void {
    const { permit } = connection;
    if (permit instanceof Permit && --permit.stages === 0) this.#remove(permit);
  }

  #keyOf(address: string): string {
    if (address === "" || this.#deps.limits().isProxy?.(address) === true) return "";
    return addressKey(address, IPV6_PREFIX);
  }

  #claim(key: string): boolean {
    if (key !== "" && !this.#takeShare(key)) return false;
    const { connectionCounter, shares, limits } = this.#deps;
    const { max } = limits();
    if (connectionCounter.hasFree(max) || (this.#makeRoom(undefined) && connectionCounter.hasFree(max))) return true;
    connectionCounter.ask();
    if (key !== "") shares.release(key);
    return false;
  }

  #takeShare(key: string): boolean {
    const { shares, limits } = this.#deps;
    const { maxPerAddress } = limits();
    return shares.take(key, maxPerAddress) || (this.#makeRoom(key) && shares.take(key, maxPerAddress));
  }

  /** Closes the connection that has been idle longest, of `key` if that is given. False if no connection is idle. */
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
    const { connectionCounter } = this.#deps;
    const asked = connectionCounter.asked();
    const wanted = Math.ceil((asked - this.#asked) / connectionCounter.others);
    this.#asked = asked;
    for (let i = 0; i < wanted; i++) if (!this.#makeRoom(undefined)) return;
  }

  /** True if a reserved permit is or was made free: the oldest connections without a request are closed. */
  #hasReserved(key: string): boolean {
    const all = this.#reserved.all();
    const own = key === "" ? [] : all.filter((permit) => permit.key === key);
    const rivals = own.length >= RESERVED_PER_ADDRESS ? own : all;
    if (rivals === all && all.length < RESERVED_PERMITS) return true;
    const waiting = rivals.filter(isWaiting);
    const oldest = waiting.reduce<Permit | undefined>(
      (a, b) => (a !== undefined && sinceOf(a) <= sinceOf(b) ? a : b),
      undefined,
    );
    if (oldest === undefined) return false;
    this.#remove(oldest);
    turnAway(oldest);
    return true;
  }

  #reserve(permit: Permit): void {
    const { wheel } = this.#deps;
    permit.reservation = new Reservation(permit, wheel.now(), this.#expired);
    permit.isReleased = false;
    this.#reserved.add(permit);
    wheel.set(permit.reservation, RESERVED_REQUEST_MS);
  }

  #remove(permit: Permit): void {
    if (permit.isReleased) return;
    permit.isReleased = true;
    const { reservation } = permit;
    if (reservation !== undefined) {
      this.#deps.wheel.remove(reservation);
      this.#reserved.delete(permit);
      return;
    }
    this.#served.delete(permit);
    this.#deps.connectionCounter.release();
    if (permit.key !== "") this.#deps.shares.release(permit.key);
  }

  /** The time of a reserved connection is over, for its request or in total. */
  #expire(permit: Permit): void {
    const { wheel } = this.#deps;
    const left = sinceOf(permit) + RESERVED_MS - wheel.now();
    if (isWaiting(permit) || left <= 0 || permit.reservation === undefined) turnAway(permit);
    else wheel.set(permit.reservation, left);
  }
}

/** Closes the connection. A client that has sent nothing yet gets the reason, if its protocol allows that. */
function turnAway({ holder }: Permit): void {
  if (holder instanceof Phase) holder.refuse();
  else holder?.cutOff();
}

/** When the permit was reserved, in wheel time. */
function sinceOf({ reservation }: Permit): number {
  return reservation === undefined ? 0 : reservation.since;
}

function isWaiting({ holder }: Permit): boolean {
  return holder === undefined || holder.idleSince !== Number.POSITIVE_INFINITY;
}
