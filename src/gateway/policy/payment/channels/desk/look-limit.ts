import { NewestMap } from "../../../../../lib/memory/newest-map.ts";
import { addressKey } from "../../../../../lib/net/address-key.ts";

/** Milliseconds in which refused payments are counted. @bound */
const WINDOW_MS = 10_000;
/** Refused payments of one address in this time; the chain is not asked about further ones. */
const MAX_REFUSED = 100;
/** The same for all addresses together. */
const MAX_ALL_REFUSED = 1000;
/** Addresses that are counted apart. @bound Others share one count. */
const MAX_ADDRESSES = 4096;
/** Milliseconds for which a channel that does not exist is not looked up again, and channels of which this is known. @bound */
const ABSENT_MS = 5000;
const MAX_ABSENT = 4096;
/** An IPv6 client has a /64. */
const IPV6_PREFIX = 64;
const OTHERS = "others";

/**
 * Bounds the questions to the chain about payments that it refuses: anyone can name and sign channels that do not exist.
 * Payments that are being looked up count as refused, until the chain accepts them.
 */
export class LookLimit {
  readonly #clock: () => number;
  readonly #refused = new Map<string, number>();
  /** The times at which they were found absent. */
  readonly #absent = new NewestMap<string, number>(MAX_ABSENT);
  #all = 0;
  #since = Number.NEGATIVE_INFINITY;

  /** `clock` gives monotonic milliseconds. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** True if the chain may be asked about a payment of this client; then `end` must be called. */
  begin(address: string): boolean {
    const now = this.#clock();
    if (now - this.#since >= WINDOW_MS) {
      this.#since = now;
      this.#all = 0;
      this.#refused.clear();
    }
    const count = this.#refused.get(this.#keyOf(address)) ?? 0;
    if (count >= MAX_REFUSED || this.#all >= MAX_ALL_REFUSED) return false;
    this.#add(address, 1);
    return true;
  }

  /** The chain has responded. */
  end(address: string, isRefused: boolean): void {
    if (!isRefused) this.#add(address, -1);
  }

  /** The chain does not have this channel. */
  setAbsent(channelId: string): void {
    this.#absent.set(channelId, this.#clock());
  }

  isAbsent(channelId: string): boolean {
    return this.#clock() - (this.#absent.get(channelId) ?? Number.NEGATIVE_INFINITY) < ABSENT_MS;
  }

  #keyOf(address: string): string {
    const key = addressKey(address, IPV6_PREFIX);
    return this.#refused.has(key) || this.#refused.size < MAX_ADDRESSES ? key : OTHERS;
  }

  #add(address: string, number: number): void {
    const key = this.#keyOf(address);
    // A window may have begun since the question.
    this.#all = Math.max(0, this.#all + number);
    this.#refused.set(key, Math.max(0, (this.#refused.get(key) ?? 0) + number));
  }
}
