import { randomBytes, randomFillSync } from "node:crypto";
import { latin1Text } from "../../../lib/memory/latin1.ts";
import { contextFields } from "./trace-context.ts";

/** Random bytes per call, because a call costs more than the bytes. */
const RANDOM_BYTES = 4096;
const SPAN_DIGITS = 16;
const NO_SPAN = "0".repeat(SPAN_DIGITS);

let random = "";
let used = 0;

/** The id of a new span: random, and not all zeros. */
export function newSpanId(): string {
  if (random.length - used < SPAN_DIGITS) {
    random = randomBytes(RANDOM_BYTES).toString("hex");
    used = 0;
  }
  const id = random.slice(used, used + SPAN_DIGITS);
  used += SPAN_DIGITS;
  return id === NO_SPAN ? newSpanId() : id;
}

/** Traces that are created at a time. The next batch follows when they are used up. @bound */
const BATCH = 64;
const TRACE_BYTES = 16;
const TRACE_DIGITS = 2 * TRACE_BYTES;
/** The field lines of a trace that is not sampled. Its digits are overwritten. */
const PATTERN = contextFields({ traceId: "0".repeat(TRACE_DIGITS), spanId: NO_SPAN, sampled: false }, "");
const PATTERNS = Buffer.from(PATTERN.repeat(BATCH));
/** Bytes of the field line of a trace that is not sampled. */
export const UNSAMPLED_BYTES = PATTERN.length;

/** The field line of a trace that is not sampled: `UNSAMPLED_BYTES` of `bytes` from `from` on. */
export interface UnsampledLine {
  readonly bytes: Uint8Array;
  readonly from: number;
}

const TRACE_AT = PATTERN.indexOf("0".repeat(TRACE_DIGITS));
const SPAN_AT = TRACE_AT + TRACE_DIGITS + 1;
const DIGITS = Buffer.from("0123456789abcdef");

/** The ratio uses the last 7 bytes of a trace id, which are random in any trace of W3C Trace Context level 2. */
const RATIO_RANGE = 2 ** 56;
const RATIO_AT = TRACE_BYTES - 7;
const LOW_RANGE = 2 ** 32;

/**
 * Creates traces with random ids, and decides by the ids which of them are sampled. It creates many at a time, which costs
 * a third less than composing the ids and fields of one (bench parts).
 */
export class NewTraces {
  /** True if the trace that `next` has created is sampled. */
  isSampled = false;
  readonly #belowHigh: number;
  readonly #belowLow: number;
  readonly #random = Buffer.alloc(BATCH * TRACE_BYTES);
  /** The field lines of the batch. They never change once `next` has reached the batch. */
  #lines = new Uint8Array(0);
  readonly #sampled = new Uint8Array(BATCH);
  #at = BATCH - 1;

  /** `share` is the sampled part of all traces, from 0 to 1. */
  constructor(share: number) {
    const below = Math.ceil(Math.min(share, 1) * RATIO_RANGE);
    this.#belowHigh = Math.floor(below / LOW_RANGE);
    this.#belowLow = below % LOW_RANGE;
  }

  next(): void {
    if (++this.#at === BATCH) this.#renew();
    this.isSampled = this.#sampled[this.#at] === 1;
  }

  get id(): string {
    const from = this.#at * PATTERN.length + TRACE_AT;
    return latin1Text(this.#lines, from, from + TRACE_DIGITS);
  }

  /** The field line that marks the trace as not sampled. Without it a server could begin its own trace. */
  unsampled(): UnsampledLine {
    return { bytes: this.#lines, from: this.#at * PATTERN.length };
  }

  #renew(): void {
    const bytes = randomFillSync(this.#random);
    this.#lines = Buffer.from(PATTERNS);
    for (let i = 0; i < BATCH; i++) {
      const from = i * TRACE_BYTES;
      // The second half is also the span's id, which must not be zero.
      if (isZero(bytes, from + TRACE_BYTES / 2, from + TRACE_BYTES)) bytes[from + TRACE_BYTES - 1] = 1;
      this.#write(bytes, from, i * PATTERN.length);
      const high = wordAt(bytes, from + RATIO_AT - 1) & 0xff_ff_ff;
      const isBelow =
        high < this.#belowHigh ||
        (high === this.#belowHigh && wordAt(bytes, from + RATIO_AT + 3) >>> 0 < this.#belowLow);
      this.#sampled[i] = isBelow ? 1 : 0;
    }
    this.#at = 0;
  }

  #write(bytes: Uint8Array, from: number, line: number): void {
    const lines = this.#lines;
    for (let i = 0; i < TRACE_BYTES; i++) {
      const byte = bytes[from + i] ?? 0;
      const high = DIGITS[byte >> 4] ?? 0;
      const low = DIGITS[byte & 15] ?? 0;
      lines[line + TRACE_AT + 2 * i] = high;
      lines[line + TRACE_AT + 2 * i + 1] = low;
      if (i < TRACE_BYTES / 2) continue;
      lines[line + SPAN_AT + 2 * i - TRACE_BYTES] = high;
      lines[line + SPAN_AT + 2 * i - TRACE_BYTES + 1] = low;
    }
  }
}

/** Four bytes, the highest one first, as a signed integer. `readInt32BE` takes several times as long (bench http1). */
function wordAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
}

function isZero(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i] !== 0) return false;
  return true;
}
