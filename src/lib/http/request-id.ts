import { randomBytes } from "node:crypto";
import { eventDate } from "../time/event-clock.ts";
import { flatText } from "../memory/flat-text.ts";

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** True if a client's X-Request-Id is kept: 1 to 128 visible ASCII characters. */
export function isRequestId(value: string): boolean {
  return value !== "" && REQUEST_ID.test(value);
}

/** Bytes of an id that the gateway has made. */
export const MADE_ID_BYTES = 36;

/** Counters of ids with the same time: the dedicated counter of RFC 9562 §6.2, in the 12 bits behind the version. */
const COUNTERS = Array.from({ length: 4096 }, (_, n) => n.toString(16).padStart(3, "0"));

/** Random bytes of a millisecond, and how many are drawn at once: a draw costs as much as ten ids (bench http1). */
const RANDOM_BYTES = 8;
const DRAWN_BYTES = 512 * RANDOM_BYTES;

/**
 * Makes request ids: UUIDs of version 7. Ids of the same millisecond have a counter and share their random part. Such
 * an id costs a third of a UUID that is completely random (bench http1). An id need not be secret, only unique.
 *
 * The newest id is available in three parts. The first and the last part do not change within a millisecond, so that writing an id to a log creates no new text.
 * @internal
 */
export class RequestIds {
  first = "";
  count = "";
  last = "";
  readonly #now: () => number;
  #millisecond = -1;
  #counter = 0;
  #drawn: Buffer = Buffer.alloc(0);
  #used = 0;

  constructor(now: () => number = eventDate) {
    this.#now = now;
  }

  draw(): void {
    const time = this.#now();
    if (time > this.#millisecond) this.#renew(time);
    else if (this.#counter === COUNTERS.length) this.#renew(this.#millisecond + 1);
    this.count = COUNTERS[this.#counter++] ?? "";
  }

  /** Makes the next id and returns it as one text. */
  next(): string {
    this.draw();
    return this.first + this.count + this.last;
  }

  #random(): string {
    if (this.#used === this.#drawn.length) {
      this.#drawn = randomBytes(DRAWN_BYTES);
      this.#used = 0;
    }
    this.#used += RANDOM_BYTES;
    return this.#drawn.toString("hex", this.#used - RANDOM_BYTES, this.#used);
  }

  #renew(time: number): void {
    this.#millisecond = time;
    this.#counter = 0;
    const hex = time.toString(16).padStart(12, "0");
    const digits = this.#random();
    // The two bits of the variant: 8, 9, a or b.
    const variant = ((Number.parseInt(digits.charAt(0), 16) & 3) | 8).toString(16);
    this.first = flatText(`${hex.slice(0, 8)}-${hex.slice(8)}-7`);
    this.last = flatText(`-${variant}${digits.slice(1, 4)}-${digits.slice(4)}`);
  }
}

export const requestIds = new RequestIds();

/** Makes a new request id: a UUID of version 7 (RFC 9562 §5.7). */
export function nextRequestId(): string {
  return requestIds.next();
}
