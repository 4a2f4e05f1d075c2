import { type Coder, type CompressStream } from "./codings.ts";

export interface CompressorHost {
  /** Takes output. False: the compressor sends no more until `goOn`. */
  output(bytes: Uint8Array): boolean;
  /** The compressor has room again, after a `write` that returned false. */
  room(): void;
  ended(): void;
  broken(): void;
}

/** Bytes that may wait for a compressor before its source is paused. Data that the source still sends is accepted. */
const MAX_WAITING_BYTES = 65_536;
/** Milliseconds after which compressed data is flushed, if it is not flushed at once. @bound */
const FLUSH_MS = 5;

/**
 * Compresses a body as it arrives, outside the event loop, one piece at a time. Data that arrives in the meantime
 * becomes the next piece. Output follows input within `FLUSH_MS`, or at once if `isLive`.
 */
export class Compressor {
  readonly #host: CompressorHost;
  readonly #stream: CompressStream;
  readonly #flushKind: number;
  readonly #isLive: boolean;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #busy = false;
  /** The stream has taken bytes since the last flush. */
  #dirty = false;
  #flushDue = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ending = false;
  /** The host takes no more output for now. */
  #held = false;
  /** `write` has returned false, and `room` is not yet called. */
  #isFull = false;
  #over = false;

  constructor(coder: Coder, isLive: boolean, host: CompressorHost) {
    this.#host = host;
    this.#isLive = isLive;
    this.#flushKind = coder.flushKind;
    this.#stream = coder.open();
    this.#stream.on("data", (bytes: Uint8Array) => this.#output(bytes));
    this.#stream.on("end", () => {
      if (this.#over) return;
      this.destroy();
      host.ended();
    });
    this.#stream.on("error", () => {
      if (this.#over) return;
      this.destroy();
      host.broken();
    });
  }

  /** Takes the bytes. False: the caller waits for `room`. */
  write(bytes: Uint8Array): boolean {
    if (this.#over) return true;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#run();
    this.#isFull = this.#held || this.#waitingBytes >= MAX_WAITING_BYTES;
    return !this.#isFull;
  }

  end(): void {
    this.#ending = true;
    this.#run();
  }

  /** The host takes output again. */
  goOn(): void {
    if (!this.#held || this.#over) return;
    this.#held = false;
    this.#stream.resume();
    this.#tellRoom();
  }

  /** Discards all buffered data. */
  destroy(): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#waiting = [];
    this.#stream.destroy();
  }

  #output(bytes: Uint8Array): void {
    if (this.#over || this.#host.output(bytes)) return;
    this.#held = true;
    this.#stream.pause();
  }

  #run(): void {
    if (this.#busy || this.#over) return;
    if (this.#waitingBytes > 0) this.#compress();
    else if (this.#ending) {
      this.#busy = true;
      clearTimeout(this.#timer);
      this.#stream.end();
    } else if (this.#dirty && (this.#isLive || this.#flushDue)) this.#flush();
  }

  #compress(): void {
    const [first] = this.#waiting;
    const piece = this.#waiting.length === 1 && first !== undefined ? first : Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#busy = true;
    this.#dirty = true;
    if (!this.#isLive) this.#timer ??= setTimeout(() => this.#flushSoon(), FLUSH_MS);
    this.#stream.write(piece, this.#done);
  }

  #flushSoon(): void {
    this.#timer = undefined;
    this.#flushDue = true;
    this.#run();
  }

  #flush(): void {
    this.#busy = true;
    this.#dirty = false;
    this.#flushDue = false;
    this.#stream.flush(this.#flushKind, this.#done);
  }

  readonly #done = (): void => {
    if (this.#over) return;
    this.#busy = false;
    this.#tellRoom();
    this.#run();
  };

  #tellRoom(): void {
    if (!this.#isFull || this.#held || this.#ending || this.#waitingBytes >= MAX_WAITING_BYTES) return;
    this.#isFull = false;
    this.#host.room();
  }
}
