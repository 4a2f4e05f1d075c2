import { type BufferAccount } from "./buffer-pool.ts";

/** Smaller pieces are put together: each by itself would take more memory than its bytes. */
const JOIN_BYTES = 4096;
/** What small pieces are put into. */
const JOINT_BYTES = 16_384;

/** A piece that needs a smaller part of the memory it lies in than this is copied. Copying larger ones costs 3 % of a 1 MiB answer. */
const SPARSE = 4;

/** Copies from any byte array, as `Buffer.prototype.copy` does, without a view in between. */
const { copy: copyBytes } = Buffer.prototype;

/** Bytes from `start` to `end` that wait in a queue. */
export interface WaitingBytes {
  readonly bytes: Uint8Array;
  start: number;
  end: number;
  /** Bytes of memory that stay taken for it. */
  readonly memory: number;
  /** Others may be put behind it, as far as there is room. */
  readonly joint: boolean;
}

/** Bytes that wait in memory since a peer is slow, on the account of a worker's buffers: whole buffers for each queue. */
export class ByteQueue {
  readonly #account: BufferAccount;
  #waiting: WaitingBytes[] = [];
  #memory = 0;
  #held = 0;
  /** Bytes that wait. */
  length = 0;

  constructor(account: BufferAccount) {
    this.#account = account;
  }

  /** What goes next; undefined where nothing waits. */
  get first(): WaitingBytes | undefined {
    return this.#waiting[0];
  }

  /**
   * Has the bytes from `start` to `end` wait; false, with nothing kept, where the pool has no buffer left. They are copied where
   * they are few, where they lie in more than four times the memory that they need, and where `reused` says that they will change.
   */
  push(bytes: Uint8Array, start: number, end: number, reused = false): boolean {
    const length = end - start;
    const last = this.#waiting.at(-1);
    if (last?.joint === true && last.end + length <= last.bytes.length) {
      copyBytes.call(bytes, last.bytes, last.end, start, end);
      last.end += length;
      this.length += length;
      return true;
    }
    const waiting = waitingOf({ bytes, start, end }, reused, last === undefined);
    const held = this.#account.resize(this.#held, this.#memory + waiting.memory);
    if (held === -1) return false;
    this.#held = held;
    this.#memory += waiting.memory;
    this.#waiting.push(waiting);
    this.length += length;
    return true;
  }

  /** The first `count` bytes of `first`, all of them at most, wait no longer. */
  shift(count: number): void {
    const first = this.#waiting[0];
    if (first === undefined) return;
    this.length -= count;
    first.start += count;
    if (first.start < first.end) return;
    this.#waiting.shift();
    this.#memory -= first.memory;
    this.#held = this.#account.shrink(this.#held, this.#memory);
  }

  clear(): void {
    this.#waiting = [];
    this.#memory = 0;
    this.length = 0;
    this.#held = this.#account.shrink(this.#held, 0);
  }
}

interface Range {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

function waitingOf({ bytes, start, end }: Range, reused: boolean, isFirst: boolean): WaitingBytes {
  const length = end - start;
  const memory = bytes.buffer.byteLength;
  // The first may well be the only one.
  const joint = length < JOIN_BYTES && !isFirst;
  if (!joint && !reused && length * SPARSE >= memory) return { bytes, start, end, memory, joint };
  const copy = Buffer.allocUnsafeSlow(joint ? JOINT_BYTES : length);
  copyBytes.call(bytes, copy, 0, start, end);
  return { bytes: copy, start: 0, end: length, memory: copy.length, joint };
}
