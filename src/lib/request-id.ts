import { randomBytes } from "node:crypto";
import { eventDate } from "./event-clock.ts";

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** True where a client's X-Request-Id is kept: 1 to 128 visible ASCII characters. */
export function isRequestId(value: string): boolean {
  return value !== "" && REQUEST_ID.test(value);
}

/** Identifiers of one moment: RFC 9562 §6.2's dedicated counter, in the 12 bits behind the version. */
const COUNTERS = Array.from({ length: 4096 }, (_, n) => n.toString(16).padStart(3, "0"));

/** Random bytes of an id's moment, and how many are drawn at once: a draw costs as much as ten ids (bench http1). */
const RANDOM_BYTES = 8;
const DRAWN_BYTES = 512 * RANDOM_BYTES;

/**
 * A new request id: a UUID of version 7. Those of one millisecond count up and share their random part, which makes
 * one cost a third of a UUID that is random throughout (bench http1); an id is no secret, only unique.
 */
export function createRequestIds(now: () => number = eventDate): () => string {
  let millisecond = -1;
  let counter = 0;
  let head = "";
  let tail = "";
  let drawn: Buffer = Buffer.alloc(0);
  let used = 0;

  function random(): string {
    if (used === drawn.length) {
      drawn = randomBytes(DRAWN_BYTES);
      used = 0;
    }
    used += RANDOM_BYTES;
    return drawn.toString("hex", used - RANDOM_BYTES, used);
  }

  function renew(time: number): void {
    millisecond = time;
    counter = 0;
    const hex = time.toString(16).padStart(12, "0");
    const digits = random();
    // The two bits of the variant: 8, 9, a or b.
    const variant = ((Number.parseInt(digits.charAt(0), 16) & 3) | 8).toString(16);
    head = `${hex.slice(0, 8)}-${hex.slice(8)}-7`;
    tail = `-${variant}${digits.slice(1, 4)}-${digits.slice(4)}`;
  }

  return function nextRequestId(): string {
    const time = now();
    if (time > millisecond) renew(time);
    else if (counter === COUNTERS.length) renew(millisecond + 1);
    const count = COUNTERS[counter++] ?? "";
    return head + count + tail;
  };
}

export const nextRequestId = createRequestIds();
