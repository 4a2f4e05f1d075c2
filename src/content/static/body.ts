import { type Transform } from "node:stream";
import { brokeOff, loadError } from "./faults.ts";
import { type Coding } from "./content-coding.ts";
import { ZstdFrames } from "./zstd-frames.ts";

/** A document may be this long, its content coding undone. */
export const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;
/** What a coded body may grow to, by its bytes; real pages stay below 50 times. */
const MAX_RATIO = 250;
/** Bytes up to which a decoded body may have any size compared with its coded one. @bound */
const FREE_BYTES = 4 * 1024 * 1024;
/** Coded bodies up to this are undone in one go, for half of what a stream costs (bench fetch). @bound */
const WHOLE_BYTES = 256 * 1024;

/** What a body of coded bytes may have become. */
function allowance(codedBytes: number, most: number): number {
  return Math.min(most, Math.max(FREE_BYTES, codedBytes * MAX_RATIO));
}

function tooLong(most: number): Error {
  return loadError(`it has more than ${most} bytes`);
}

/** The error of a body that outgrows its allowance. */
function outgrown(codedBytes: number, most: number): Error {
  if (allowance(codedBytes, most) === most) return tooLong(most);
  return loadError(`its content coding hides more than ${MAX_RATIO} times its length`);
}

/** Gathers a response's body and undoes its content codings, within bounds. */
export class Body {
  readonly #codings: readonly Coding[];
  readonly #most: number;
  readonly #onDrain: () => void;
  readonly #onFault: (error: Error) => void;
  readonly #frames: ZstdFrames | undefined;
  #chunks: Buffer[] = [];
  #received = 0;
  #stages: Stages | undefined;

  /**
   * `length` is what the server promises, undefined where it does not; `most` bytes are taken. Throws where it promises more. `onDrain` is called when `write` may go on; `onFault` with an error that was found between writes.
   */
  constructor(
    codings: readonly Coding[],
    { length = 0, most }: { readonly length: number | undefined; readonly most: number },
    onDrain: () => void,
    onFault: (error: Error) => void,
  ) {
    if (length > most) throw tooLong(most);
    this.#codings = codings;
    this.#most = most;
    this.#onDrain = onDrain;
    this.#onFault = onFault;
    this.#frames = codings[0]?.isZstd === true ? new ZstdFrames() : undefined;
  }

  /** Whether there is anything to give. */
  get isEmpty(): boolean {
    return this.#received === 0;
  }

  /** Takes bytes as they come; false asks to wait for `onDrain`. Throws where there are too many. */
  write(bytes: Buffer): boolean {
    this.#received += bytes.length;
    this.#frames?.push(bytes);
    if (this.#stages !== undefined) return this.#stages.write(bytes, this.#received);
    if (this.#codings.length === 0 && this.#received > this.#most) throw tooLong(this.#most);
    this.#chunks.push(bytes);
    if (this.#codings.length === 0 || this.#received <= WHOLE_BYTES) return true;
    this.#stages = new Stages(this.#codings, this.#most, this.#onDrain, this.#onFault);
    const held = Buffer.concat(this.#chunks);
    this.#chunks = [];
    return this.#stages.write(held, this.#received);
  }

  /** The whole body, or what there is of one that was `cut` off by us. Fails with `page-failed` where it is broken. */
  async finish(cut: boolean): Promise<Uint8Array<ArrayBuffer>> {
    // Of a coded stream without a byte there is nothing to undo.
    if (this.#received === 0) return new Uint8Array();
    let chunks: readonly Buffer[] = this.#chunks;
    if (this.#stages !== undefined) chunks = await this.#stages.finish(cut);
    else for (const coding of this.#codings) chunks = [decodeWhole(coding, chunks, this.#bounds, cut)];
    if (!cut && this.#frames?.complete === false) throw brokeOff();
    return joined(chunks);
  }

  get #bounds(): Bounds {
    return { received: this.#received, most: this.#most };
  }

  destroy(): void {
    this.#chunks = [];
    this.#stages?.destroy();
  }
}

/** What has come of a body, and what its document may have at most, in bytes. */
interface Bounds {
  readonly received: number;
  readonly most: number;
}

function decodeWhole(coding: Coding, chunks: readonly Buffer[], bounds: Bounds, cut: boolean): Buffer {
  const [only, ...more] = chunks;
  const bytes = only !== undefined && more.length === 0 ? only : Buffer.concat(chunks);
  try {
    return coding.whole(bytes, { maxOutputLength: allowance(bounds.received, bounds.most), cut });
  } catch (error) {
    throw decodingError(error, bounds);
  }
}

/** An exact array, since what is sent to a worker takes all of its buffer along. */
function joined(chunks: readonly Buffer[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

function decodingError(error: unknown, { received, most }: Bounds): Error {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ERR_BUFFER_TOO_LARGE") return outgrown(received, most);
  return code === "Z_BUF_ERROR" ? brokeOff() : loadError("its compressed content is broken");
}

/** Undoes codings piece by piece, each into the next, and watches what comes out. */
class Stages {
  readonly #streams: Transform[] = [];
  readonly #codings: readonly Coding[];
  readonly #most: number;
  readonly #onDrain: () => void;
  readonly #onFault: (error: Error) => void;
  readonly #finished = Promise.withResolvers<void>();
  readonly #out: Buffer[] = [];
  #received = 0;
  #fault: Error | undefined;

  constructor(codings: readonly Coding[], most: number, onDrain: () => void, onFault: (error: Error) => void) {
    this.#codings = codings;
    this.#most = most;
    this.#onDrain = onDrain;
    this.#onFault = onFault;
    // Nobody may be waiting for the end when a fault is found.
    this.#finished.promise.catch(() => undefined);
  }

  write(bytes: Buffer, received: number): boolean {
    this.#received = received;
    return this.#fault === undefined ? this.#stage(0, bytes).write(bytes) : true;
  }

  async finish(cut: boolean): Promise<readonly Buffer[]> {
    if (this.#fault !== undefined) throw this.#fault;
    if (!cut) {
      this.#streams[0]?.end();
      await this.#finished.promise;
    }
    this.destroy();
    return this.#out;
  }

  destroy(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  /** A stage is made when its first bytes are there, since they tell what format it is. */
  #stage(at: number, first: Buffer): Transform {
    const known = this.#streams[at];
    if (known !== undefined) return known;
    // Stages are asked for in order, and `at` is below the number of codings.
    const stream = (this.#codings[at] as Coding).stream(first);
    this.#streams.push(stream);
    let length = 0;
    const isLast = at === this.#codings.length - 1;
    stream.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > allowance(this.#received, this.#most)) this.#fail(outgrown(this.#received, this.#most));
      else if (isLast) this.#out.push(chunk);
      else this.#stage(at + 1, chunk).write(chunk);
    });
    stream.on("end", () => {
      if (isLast || this.#streams[at + 1] === undefined) this.#finished.resolve();
      else this.#streams[at + 1]?.end();
    });
    stream.on("error", (error) => this.#fail(decodingError(error, { received: this.#received, most: this.#most })));
    if (at === 0) stream.on("drain", this.#onDrain);
    return stream;
  }

  #fail(error: Error): void {
    if (this.#fault !== undefined) return;
    this.#fault = error;
    this.#finished.reject(error);
    this.destroy();
    this.#onFault(error);
  }
}
