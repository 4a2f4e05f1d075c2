import { addressKey } from "./address-key.ts";

/** Bits of an IPv6 network that counts as one client. */
const IPV6_PREFIX = 64;
/**
 * Limit of one HTTP/2 or HTTP/3 connection of a client: this part of the free capacity and its own capacity together.
 * @bound
 */
const SESSION_PART = 1 / 2;
/** Maximum number of idle clients that one pool remembers. With more, all of them are forgotten. */
const MAX_IDLE_SHARES = 1024;

export interface Client {
  /** The client's address: that of its peer, or the one that a trusted proxy names. */
  readonly clientAddress: string;
  readonly peerAddress: string;
  /** The connection, if it can carry several requests at once; undefined for HTTP/1. */
  readonly session?: object | undefined;
}

/**
 * The part of a pool that one client or one of its connections holds. It is limited to a part of the pool that others
 * do not hold. So each client leaves something free for the next one, however many there are ("dynamic thresholds",
 * Choudhury and Hahne 1998).
 */
export class Share<W> {
  /** Requests that wait for a connection, oldest first. */
  readonly waiting: W[] = [];
  held = 0;
  /** True once the share cannot be found by its key any more. */
  forgotten = false;
  readonly #shares: ClientShares<W>;
  readonly #part: number;
  /** The share of the client, if this is the share of one of its connections. */
  readonly parent: Share<W> | undefined;

  constructor(shares: ClientShares<W>, part: number, parent: Share<W> | undefined) {
    this.#shares = shares;
    this.#part = part;
    this.parent = parent;
  }

  /** Further connections that the share may take. */
  get allowance(): number {
    const { capacity, held } = this.#shares;
    const free = capacity() - held;
    const own = Math.ceil(this.#part * (free + this.held)) - this.held;
    return Math.min(free, own, this.parent?.allowance ?? free);
  }

  /** The share takes one more connection. */
  take(): void {
    this.held++;
    if (this.parent === undefined) this.#shares.held++;
    else this.parent.take();
  }

  /** The share returns one connection. */
  give(): void {
    this.held--;
    if (this.parent === undefined) this.#shares.held--;
    else this.parent.give();
  }
}

/** Divides a pool among the clients whose requests use it. Waiting clients take turns. */
export class ClientShares<W> {
  held = 0;
  /** Waiting requests of all clients. */
  waiting = 0;
  readonly capacity: () => number;
  readonly #part: number;
  readonly #byAddress = new Map<string, Share<W>>();
  readonly #bySession = new WeakMap<object, Share<W>>();
  /** Shares with waiting requests; the share whose turn is next comes first. */
  readonly #turns: Share<W>[] = [];
  #forgetAt = MAX_IDLE_SHARES;

  /**
   * `part`: limit of one client, as a part of the free capacity and its own capacity together; 1: no limit. `capacity`
   * gives the size of the pool, in requests.
   */
  constructor(part: number, capacity: () => number) {
    this.#part = part;
    this.capacity = capacity;
  }

  of({ clientAddress, peerAddress, session }: Client): Share<W> {
    // A proxy's connection carries requests of many clients.
    if (session === undefined || clientAddress !== peerAddress || this.#part === 1)
      return this.#ofAddress(clientAddress);
    const known = this.#bySession.get(session);
    if (known?.parent?.forgotten === false) return known;
    const share = new Share(this, Math.min(this.#part, SESSION_PART), this.#ofAddress(clientAddress));
    this.#bySession.set(session, share);
    return share;
  }

  #ofAddress(address: string): Share<W> {
    const key = addressKey(address, IPV6_PREFIX);
    const known = this.#byAddress.get(key);
    if (known !== undefined) return known;
    if (this.#byAddress.size >= this.#forgetAt) this.#forget();
    const share = new Share(this, this.#part, undefined);
    this.#byAddress.set(key, share);
    return share;
  }

  #forget(): void {
    for (const [key, share] of this.#byAddress) {
      if (share.held > 0 || share.waiting.length > 0) continue;
      share.forgotten = true;
      this.#byAddress.delete(key);
    }
    this.#forgetAt = 2 * this.#byAddress.size + MAX_IDLE_SHARES;
  }

  /** False: `limit` requests wait already, or this client has its part of the queue. Nothing was changed. */
  enqueue(share: Share<W>, waiter: W, limit: number): boolean {
    const mine = share.waiting.length;
    if (this.waiting >= limit || mine >= this.#part * (limit - this.waiting + mine)) return false;
    if (mine === 0) this.#turns.push(share);
    share.waiting.push(waiter);
    this.waiting++;
    return true;
  }

  /** False: it does not wait. */
  remove(share: Share<W>, waiter: W): boolean {
    const index = share.waiting.indexOf(waiter);
    if (index === -1) return false;
    share.waiting.splice(index, 1);
    this.#left(share);
    return true;
  }

  /** Removes and returns the request for the next connection: of the client, among those allowed, whose turn it is. */
  next(): W | undefined {
    const at = this.#turns.findIndex((share) => share.allowance > 0);
    return at === -1 ? undefined : this.#serve(at);
  }

  /** Removes and returns the request whose turn is next, even if its client has no allowance. */
  first(): W | undefined {
    return this.#turns.length === 0 ? undefined : this.#serve(0);
  }

  #serve(at: number): W | undefined {
    const [share] = this.#turns.splice(at, 1);
    const waiter = share?.waiting.shift();
    if (share === undefined) return undefined;
    this.waiting--;
    if (share.waiting.length > 0) this.#turns.push(share);
    return waiter;
  }

  #left(share: Share<W>): void {
    this.waiting--;
    if (share.waiting.length > 0) return;
    const index = this.#turns.indexOf(share);
    if (index !== -1) this.#turns.splice(index, 1);
  }

  /** The number of waiting requests that could have a connection, `limit` at most. */
  wanted(limit: number): number {
    let wanted = 0;
    for (const share of this.#turns) {
      wanted += Math.min(share.waiting.length, Math.max(share.allowance, 0));
      if (wanted >= limit) return limit;
    }
    return wanted;
  }
}
