import { type Release } from "./send-paid.ts";
import { formatDollars, parseDollars, PaymentDeclined } from "./choice.ts";

/** Seconds after its expiry for which a failed call's signature still counts, because clocks differ. @bound */
const EXPIRY_MARGIN_S = 60;
/** All that is signed, as a multiple of the limit: a server that reports a failure could have settled the payment all the same. @bound */
const MAX_SIGNED_FACTOR = 2n;

/** The sum of all signatures of one program, in memory. The signature of a failed call counts until it expires. */
export class SignedTotal {
  readonly #limit: bigint;
  readonly #now: () => number;
  #signed = 0n;
  /** Amounts of failed calls by the minute in which their signatures expire, and the sum of those that have expired. */
  readonly #failed = new Map<number, bigint>();
  #freed = 0n;

  /** `limit` is in dollars, such as `$5`. `now` returns Unix milliseconds. */
  constructor(limit: string, now: () => number = Date.now) {
    this.#limit = parseDollars(limit);
    this.#now = now;
  }

  /**
   * Adds 10^-36 dollars. Throws PaymentDeclined, and adds nothing, beyond the limit. Returns the function that takes the amount out
   * once the signature has expired, at a Unix time in seconds; or a part of it.
   */
  add(dollars: bigint): Release {
    const minute = Math.floor(this.#now() / 60_000);
    for (const [until, amount] of this.#failed) {
      if (until > minute) continue;
      this.#freed += amount;
      this.#failed.delete(until);
    }
    const counted = this.#signed - this.#freed;
    if (counted + dollars > this.#limit || this.#signed + dollars > MAX_SIGNED_FACTOR * this.#limit) {
      const used = `${formatDollars(counted)} of the limit of ${formatDollars(this.#limit)} for all calls are used up`;
      throw new PaymentDeclined(`Cannot pay ${formatDollars(dollars)}: ${used}`);
    }
    this.#signed += dollars;
    return (expires, part = dollars) => {
      const until = Math.ceil((expires + EXPIRY_MARGIN_S) / 60);
      this.#failed.set(until, (this.#failed.get(until) ?? 0n) + part);
    };
  }
}
