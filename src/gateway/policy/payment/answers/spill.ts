import { type AnswerFile } from "./answer-file.ts";

/** Bytes of one answer that wait to be written; with more, the upstream is held back. */
const MAX_UNWRITTEN_BYTES = 262_144;
/** Written at one time. @bound */
const BUFFER_BYTES = 131_072;
/** Buffers that are kept for what comes next, of all answers: made anew, they would be as much garbage as there are answers. */
const MAX_SPARE = 16;
/** What is asked of the disk's account at one time for an answer whose length is not known. */
const STEP_BYTES = 4_194_304;

/** Copies from any byte array, without a view in between. */
const { copy: copyBytes } = Buffer.prototype;

const spare: Buffer[] = [];

/** What a spill needs of its surroundings. */
export interface SpillHost {
  /** Makes the file. */
  open(): Promise<AnswerFile>;
  /** There will be no file. */
  forgo(): void;
  /** Takes so many bytes of disk in all for this answer; false: there are not so many. */
  reserve(bytes: number): boolean;
  /** So many bytes of memory are free again. */
  written(bytes: number): void;
  /** It can take more. */
  onDrain(): void;
  /** The disk takes no more; nothing more is written. */
  onBroken(): void;
}

/** Writes the body of an answer to a file while it comes, one write at a time. */
export class Spill {
  readonly #host: SpillHost;
  readonly #finished = Promise.withResolvers<AnswerFile>();
  #file: Promise<AnswerFile> | undefined;
  /** What waits, each buffer filled but the last. */
  #waiting: Buffer[] = [];
  /** Bytes in the last of them. */
  #filled = 0;
  #unwritten = 0;
  #total = 0;
  #reserved = 0;
  #isWorking = false;
  #isFull = false;
  #isEnded = false;
  #isOver = false;

  /** `announced` bytes are expected, -1: it is not known how many. */
  constructor(host: SpillHost, announced: number) {
    this.#host = host;
    // Whoever breaks or drops it is told otherwise, or knows.
    this.#finished.promise.catch(() => {});
    if (announced > 0 && !this.#reserve(announced)) this.#break();
  }

  /** Copies bytes whose room in memory is taken. False: stop until `onDrain`. */
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

  /** The file, once all is written; it is the caller's to release. Rejects where it was broken or dropped. */
  finish(): Promise<AnswerFile> {
    this.#isEnded = true;
    this.#work();
    return this.#finished.promise;
  }

  /** Nobody wants it any more. */
  drop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#finished.reject(new Error("Cannot hold an answer: it is not wanted any more"));
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
    // Not in the midst of what the upstream is saying.
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

  async #writeFirst(file: AnswerFile): Promise<void> {
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

  #complete(file: AnswerFile): void {
    this.#isOver = true;
    this.#finished.resolve(file);
  }
}
