import { addressKey } from "./address-key.ts";

/** Bits of the network that counts as one IPv6 client. */
const IPV6_PREFIX = 64;
/** The part of what is free, and of what it has, that one HTTP/2 or HTTP/3 connection of a client may hold. @bound */
const SESSION_PART = 1 / 2;
/** Clients that hold nothing and are remembered, in one pool; with more, all of them are forgotten. */
const MAX_IDLE_SHARES = 1024;

/** Who asks for a connection. */
export interface Asker {
  /** The client's address: its peer's, or what a trusted proxy says of it. */
  readonly clientAddress: string;
  readonly peerAddress: string;
  /** The connection that carries several requests of the client at a time; undefined for HTTP/1. */
  readonly session?: object | undefined;
}

/**
 * What one client, or one connection of it, holds of a pool: at most a part of what nobody else holds. However many clients there
 * are, each leaves something free for the next one ("dynamic thresholds", Choudhury and Hahne 1998). Decision 0107.
 */
export class Share<W> {
  /** Requests that wait for a connection, oldest first. */
  readonly waiting: W[] = [];
  held = 0;
  /** It is no longer found by its key. */
  forgotten = false;
  readonly #shares: ClientShares<W>;
  readonly #part: number;
  /** The client's, where this is one of its connections. */
  readonly parent: Share<W> | undefined;

  constructor(shares: ClientShares<W>, part: number, parent: Share<W> | undefined) {
    this.#shares = shares;
    this.#part = part;
    this.parent = parent;
  }

  /** How many more may be held. */
  get allowance(): number {
    const { capacity, held } = this.#shares;
    const free = capacity() - held;
    const own = Math.ceil(this.#part * (free + this.held)) - this.held;
    return Math.min(free, own, this.parent?.allowance ?? free);
  }

  /** One more is held. */
  take(): void {
    this.held++;
    if (this.parent === undefined) this.#shares.held++;
    else this.parent.take();
  }

  /** One less is held. */
  give(): void {
    this.held--;
    if (this.parent === undefined) this.#shares.held--;
    else this.parent.give();
  }
}

/** How a pool is shared among the clients whose requests use it. Waiting clients have their turns one after another. */
export class ClientShares<W> {
  /** Of all clients. */
  held = 0;
  /** Requests that wait, of all clients. */
  waiting = 0;
  readonly capacity: () => number;
  readonly #part: number;
  readonly #byAddress = new Map<string, Share<W>>();
  readonly #bySession = new WeakMap<object, Share<W>>();
  /** Those that have somebody waiting; the one whose turn is next comes first. */
  readonly #turns: Share<W>[] = [];
  #forgetAt = MAX_IDLE_SHARES;
  /** The one that was looked up last: a busy client's requests come in a row. */
  #lastAddress = "";
  #last: Share<W> | undefined;

  /** `part`: of what is free, and of what it has, that a client may hold; 1: all. `capacity`: of the pool, in requests. */
  constructor(part: number, capacity: () => number) {
    this.#part = part;
    this.capacity = capacity;
  }

  of({ clientAddress, peerAddress, session }: Asker): Share<W> {
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
    if (address === this.#lastAddress && this.#last?.forgotten === false) return this.#last;
    const share = this.#ofKey(addressKey(address, IPV6_PREFIX));
    this.#lastAddress = address;
    this.#last = share;
    return share;
  }

  #ofKey(key: string): Share<W> {
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

  /** False, with nothing done, where `limit` wait, or this client has its part of them. */
  enqueue(share: Share<W>, waiter: W, limit: number): boolean {
    const mine = share.waiting.length;
    if (this.waiting >= limit || mine >= this.#part * (limit - this.waiting + mine)) return false;
    if (mine === 0) this.#turns.push(share);
    share.waiting.push(waiter);
    this.waiting++;
    return true;
  }

  /** False where it does not wait. */
  remove(share: Share<W>, waiter: W): boolean {
    const index = share.waiting.indexOf(waiter);
    if (index === -1) return false;
    share.waiting.splice(index, 1);
    this.#left(share);
    return true;
  }

  /** Who gets the next connection: of the clients that may have one, the one that waits longest for its turn. */
  next(): W | undefined {
    const at = this.#turns.findIndex((share) => share.allowance > 0);
    return at === -1 ? undefined : this.#serve(at);
  }

  /** Who would have had the next one, whether or not there is room. */
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

  /** How many of those that wait could have a connection, `limit` at most. */
  wanted(limit: number): number {
    let wanted = 0;
    for (const share of this.#turns) {
      wanted += Math.min(share.waiting.length, Math.max(share.allowance, 0));
      if (wanted >= limit) return limit;
    }
    return wanted;
  }
}
