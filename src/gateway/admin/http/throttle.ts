import { addressKey } from "../../../lib/address-key.ts";

/** Wrong keys of one address in a minute; after them it waits for the minute's end. @internal */
export const MAX_WRONG = 10;
/** Tries in the same minute after which an address is not listened to at all. */
const MAX_TRIES = 100;
const MINUTE_MS = 60_000;
/** Milliseconds for which an address that has shown a right key is known. */
const KNOWN_MS = 24 * 60 * 60 * 1000;
/** Addresses that are remembered. */
const MAX_ADDRESSES = 4096;
/** An IPv6 client has at least a /64 to choose from. */
const IPV6_PREFIX = 64;
const NEVER = Number.NEGATIVE_INFINITY;

interface Tries {
  /** When the minute of these wrong keys began, and how many there were. */
  since: number;
  wrong: number;
  /** When it has shown a right key last. */
  right: number;
}

/** Slows down addresses that show wrong keys, and not those that an operator is known to come from. Decision 1102. */
export class Throttle {
  /** The one that was heard of last is the last. */
  readonly #addresses = new Map<string, Tries>();
  readonly #now: () => number;

  /** `now` is in milliseconds, of any clock that does not go back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get size(): number {
    return this.#addresses.size;
  }

  /** Milliseconds that the address has to wait; 0: its key is looked at. */
  waitMs(address: string): number {
    const tries = this.#addresses.get(addressKey(address, IPV6_PREFIX));
    if (tries === undefined || tries.wrong < MAX_WRONG) return 0;
    return Math.max(0, tries.since + MINUTE_MS - this.#now());
  }

  /** It has shown a right key within a day, so that its key is looked at even while it has to wait. */
  isKnown(address: string): boolean {
    const tries = this.#addresses.get(addressKey(address, IPV6_PREFIX));
    return tries !== undefined && this.#now() - tries.right < KNOWN_MS;
  }

  /** It goes on and on while it has to wait, and no operator is known to come from there. */
  isFlood(address: string): boolean {
    const tries = this.#addresses.get(addressKey(address, IPV6_PREFIX));
    return tries !== undefined && tries.wrong >= MAX_TRIES && this.waitMs(address) > 0 && !this.isKnown(address);
  }

  /** A wrong key was shown, or one that was not looked at. True: the address has to wait from now on. */
  wrong(address: string): boolean {
    const tries = this.#touch(address);
    const now = this.#now();
    if (now - tries.since >= MINUTE_MS) {
      tries.since = now;
      tries.wrong = 0;
    }
    tries.wrong += 1;
    return tries.wrong === MAX_WRONG;
  }

  right(address: string): void {
    this.#touch(address).right = this.#now();
  }

  #touch(address: string): Tries {
    const key = addressKey(address, IPV6_PREFIX);
    const tries = this.#addresses.get(key) ?? { since: NEVER, wrong: 0, right: NEVER };
    this.#addresses.delete(key);
    if (this.#addresses.size >= MAX_ADDRESSES) this.#forgetOne();
    this.#addresses.set(key, tries);
    return tries;
  }

  /** Those of operators stay, unless all are. */
  #forgetOne(): void {
    const [oldest] = this.#addresses.keys();
    const stranger = this.#addresses.entries().find(([, tries]) => tries.right === NEVER)?.[0];
    const key = stranger ?? oldest;
    if (key !== undefined) this.#addresses.delete(key);
  }
}
