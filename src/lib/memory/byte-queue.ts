import { type BufferAccount } from "./buffer-pool.ts";

/** Smaller pieces are joined, because a small piece by itself takes more memory than its bytes. */
const JOIN_BYTES = 4096;
/** Size of the memory that small pieces are copied into. */
const JOINT_BYTES = 16_384;

/** A piece is copied if its memory is this many times as large. Copying more costs 3 % of 1 MiB responses. */
const SPARSE = 4;

/** Copies from any byte array, as `Buffer.prototype.copy` does, without creating a view. */
const { copy: copyBytes } = Buffer.prototype;

/** Bytes from `start` to `end` that wait in a queue. */
export interface WaitingBytes {
  readonly bytes: Uint8Array;
  start: number;
  end: number;
  /** Bytes of memory that these bytes keep in use. */
  readonly memory: number;
  /** True if further bytes may be appended while there is room. */
  readonly joint: boolean;
}

/** Bytes that wait in memory for a slow peer. Each queue takes whole buffers from the worker's pool. */
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

  /** The bytes that leave next; undefined if the queue is empty. */
  get first(): WaitingBytes | undefined {
    return this.#waiting[0];
  }

  /**
   * Appends the bytes from `start` to `end`. False: the pool has no buffer left, and nothing was kept. The bytes are
   * copied in three cases: they are few, their memory is more than `SPARSE` times as large, or `reused` says that their
   * memory will change.
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

  /** Removes the first `count` bytes of `first`, which must have that many. */
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

function waitingOf(
  { bytes, start, end }: Pick<WaitingBytes, "bytes" | "start" | "end">,
  reused: boolean,
  isFirst: boolean,
): WaitingBytes {
  const length = end - start;
  const memory = bytes.buffer.byteLength;
  // The first piece is often the only one.
  const joint = length < JOIN_BYTES && !isFirst;
  if (!joint && !reused && length * SPARSE >= memory) return { bytes, start, end, memory, joint };
  const copy = Buffer.allocUnsafeSlow(joint ? JOINT_BYTES : length);
  copyBytes.call(bytes, copy, 0, start, end);
  return { bytes: copy, start: 0, end: length, memory: copy.length, joint };
}
