import { addressKey } from "../../../lib/net/address-key.ts";

/**
 * Wrong keys of one address in a minute, and of an address that sent a valid key within a day. After that many, the
 * address waits for the end of the minute. @internal
 */
export const MAX_WRONG = 10;
export const MAX_WRONG_OF_KNOWN = 60;
/**
 * Wrong keys of all addresses without a valid key in a minute. After that many, these addresses wait: a client can
 * have more addresses than the gateway remembers.
 */
const MAX_WRONG_OF_STRANGERS = 10_000;
/** Tries in the same minute after which all connections of an address are refused. */
const MAX_TRIES = 100;
const MINUTE_MS = 60_000;
/** Milliseconds for which an address with a valid key is remembered. */
const KNOWN_MS = 24 * 60 * 60 * 1000;
/** Addresses in memory. If there are more, the oldest address without a valid key is forgotten. */
const MAX_ADDRESSES = 4096;
/** An IPv6 client can use at least a whole /64. */
const IPV6_PREFIX = 64;
const NEVER = Number.NEGATIVE_INFINITY;

interface Tries {
  /** The start of this minute, and the number of wrong keys in it. */
  since: number;
  wrong: number;
  /** The time of the last valid key. */
  right: number;
}

/** Slows down addresses that send wrong keys. An accepted key would confirm a guess, so a valid key does not end the wait. */
export class Throttle {
  /** In the order of the last try. */
  readonly #addresses = new Map<string, Tries>();
  readonly #strangers: Tries = { since: NEVER, wrong: 0, right: NEVER };
  readonly #now: () => number;

  /** `now` returns milliseconds of a clock that never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get size(): number {
    return this.#addresses.size;
  }

  /** Milliseconds that the address has to wait; 0: its key is checked. */
  waitMs(address: string): number {
    const tries = this.#addresses.get(addressKey(address, IPV6_PREFIX));
    if (tries !== undefined && this.#isKnown(tries)) return this.#waitMs(tries, MAX_WRONG_OF_KNOWN);
    const ownMs = tries === undefined ? 0 : this.#waitMs(tries, MAX_WRONG);
    return Math.max(ownMs, this.#waitMs(this.#strangers, MAX_WRONG_OF_STRANGERS));
  }

  /** The address keeps trying while it has to wait, and sent no valid key within a day. */
  isFlood(address: string): boolean {
    const tries = this.#addresses.get(addressKey(address, IPV6_PREFIX));
    return tries !== undefined && tries.wrong >= MAX_TRIES && this.waitMs(address) > 0 && !this.#isKnown(tries);
  }

  /** Counts a wrong or unchecked key. True: from now on the address has to wait. */
  wrong(address: string): boolean {
    const tries = this.#touch(address);
    this.#count(tries);
    if (this.#isKnown(tries)) return tries.wrong === MAX_WRONG_OF_KNOWN;
    if (tries.wrong <= MAX_WRONG) this.#count(this.#strangers);
    return tries.wrong === MAX_WRONG;
  }

  right(address: string): void {
    this.#touch(address).right = this.#now();
  }

  #isKnown({ right }: Tries): boolean {
    return this.#now() - right < KNOWN_MS;
  }

  #waitMs({ since, wrong }: Tries, most: number): number {
    return wrong < most ? 0 : Math.max(0, since + MINUTE_MS - this.#now());
  }

  #count(tries: Tries): void {
    const now = this.#now();
    if (now - tries.since >= MINUTE_MS) {
      tries.since = now;
      tries.wrong = 0;
    }
    tries.wrong += 1;
  }

  #touch(address: string): Tries {
    const key = addressKey(address, IPV6_PREFIX);
    const tries = this.#addresses.get(key) ?? { since: NEVER, wrong: 0, right: NEVER };
    this.#addresses.delete(key);
    if (this.#addresses.size >= MAX_ADDRESSES) this.#forgetOne();
    this.#addresses.set(key, tries);
    return tries;
  }

  /** Forgets the oldest address without a valid key, or else the oldest address. */
  #forgetOne(): void {
    const [oldest] = this.#addresses.keys();
    const stranger = this.#addresses.entries().find(([, tries]) => tries.right === NEVER)?.[0];
    const key = stranger ?? oldest;
    if (key !== undefined) this.#addresses.delete(key);
  }
}
