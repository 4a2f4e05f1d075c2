import { type ResponseFile } from "./response-file.ts";

/** Bytes of one response that wait to be written. With more, the upstream is paused. */
const MAX_UNWRITTEN_BYTES = 262_144;
/** Bytes of one write. @bound */
const BUFFER_BYTES = 131_072;
/** Spare buffers that all responses share. New buffers would create as much garbage as there are responses. */
const MAX_SPARE = 16;
/** Bytes of one reservation on the disk for a response of unknown length. */
const STEP_BYTES = 4_194_304;

/** Copies from any byte array, without a view in between. */
const { copy: copyBytes } = Buffer.prototype;

const spare: Buffer[] = [];

export interface DiskBufferHost {
  open(): Promise<ResponseFile>;
  /** Called if no file will be created. */
  forgo(): void;
  /** Reserves disk space for this response, `bytes` in total; false: there is not enough. */
  reserve(bytes: number): boolean;
  /** Frees `bytes` bytes of memory. */
  written(bytes: number): void;
  /** The buffer can take more data. */
  onDrain(): void;
  /** The disk takes no more data; nothing more is written. */
  onBroken(): void;
}

/** Writes the body of a response to a file as it arrives, one write at a time. */
export class DiskBuffer {
  readonly #host: DiskBufferHost;
  readonly #finished = Promise.withResolvers<ResponseFile>();
  #file: Promise<ResponseFile> | undefined;
  /** Data that waits to be written. All buffers are full except the last. */
  #waiting: Buffer[] = [];
  /** Bytes in the last buffer. */
  #filled = 0;
  #unwritten = 0;
  #total = 0;
  #reserved = 0;
  #isWorking = false;
  #isFull = false;
  #isEnded = false;
  #isOver = false;

  /** `announced`: the expected number of bytes, or -1 if it is unknown. */
  constructor(host: DiskBufferHost, announced: number) {
    this.#host = host;
    // Errors are reported through `onBroken`, or are expected after `drop`.
    this.#finished.promise.catch(() => {});
    if (announced > 0 && !this.#reserve(announced)) this.#break();
  }

  /** Copies bytes whose room in memory is already taken. False: stop until `onDrain`. */
  data(chunk: Uint8Array, start: number, end: number): boolean {
    if (this.#isOver) {
      this.#host.written(end - start);
      return true;
    }
    this.#copy(chunk, start, end);
    this.#unwritten += end - start;
    this.#total += end - start;
    if (this.#total > this.#reserved && !this.#reserve(this.#total + STEP_BYTES) && !this.#reserve(this.#total)) {
      this.#break();
      return true;
    }
    if (this.#waiting.length > 1) this.#work();
    this.#isFull = this.#unwritten >= MAX_UNWRITTEN_BYTES;
    return !this.#isFull;
  }

  /** The complete file, which the caller must release. Rejects if the buffer is broken or dropped. */
  finish(): Promise<ResponseFile> {
    this.#isEnded = true;
    this.#work();
    return this.#finished.promise;
  }

  /** Discards the data: it is not needed any more. */
  drop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#finished.reject(new Error("Cannot hold a response: it is not wanted any more"));
    this.#waiting = [];
    this.#host.written(this.#unwritten);
    this.#unwritten = 0;
    if (!this.#isWorking) this.#close();
  }

  #reserve(bytes: number): boolean {
    if (!this.#host.reserve(bytes)) return false;
    this.#reserved = bytes;
    return true;
  }

  #break(): void {
    if (this.#isOver) return;
    this.drop();
    // Deferred, because the upstream's data is still being processed.
    queueMicrotask(() => this.#host.onBroken());
  }

  #close(): void {
    if (this.#file === undefined) this.#host.forgo();
    else void this.#file.then((file) => file.release()).catch(() => {});
  }

  #work(): void {
    if (this.#isWorking || this.#isOver) return;
    this.#isWorking = true;
    void this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    try {
      this.#file ??= this.#host.open();
      const file = await this.#file;
      while (this.#waiting.length > (this.#isEnded ? 0 : 1)) await this.#writeFirst(file);
      this.#isWorking = false;
      if (this.#isOver) this.#close();
      else if (this.#isEnded) this.#complete(file);
    } catch {
      this.#isWorking = false;
      if (this.#isOver) this.#close();
      else this.#break();
    }
  }

  async #writeFirst(file: ResponseFile): Promise<void> {
    const buffer = this.#waiting.shift();
    if (buffer === undefined) return;
    const length = this.#waiting.length === 0 ? this.#filled : BUFFER_BYTES;
    await file.append(buffer.subarray(0, length));
    if (this.#isOver) return;
    if (spare.length < MAX_SPARE) spare.push(buffer);
    this.#host.written(length);
    this.#unwritten -= length;
    if (!this.#isFull || this.#unwritten >= MAX_UNWRITTEN_BYTES) return;
    this.#isFull = false;
    this.#host.onDrain();
  }

  #copy(chunk: Uint8Array, start: number, end: number): void {
    for (let at = start; at < end; ) {
      let last = this.#waiting.at(-1);
      if (last === undefined || this.#filled === BUFFER_BYTES) {
        last = spare.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
        this.#waiting.push(last);
        this.#filled = 0;
      }
      const length = Math.min(end - at, BUFFER_BYTES - this.#filled);
      copyBytes.call(chunk, last, this.#filled, at, at + length);
      this.#filled += length;
      at += length;
    }
  }

  #complete(file: ResponseFile): void {
    this.#isOver = true;
    this.#finished.resolve(file);
  }
}
