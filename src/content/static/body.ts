import { type Transform } from "node:stream";
import { JoinedPieces } from "../../lib/memory/joined-pieces.ts";
import { brokeOff, loadError, TooLong } from "./load-errors.ts";
import { type Coding } from "./content-coding.ts";
import { ZstdFrames } from "./zstd-frames.ts";

/** Bytes of a document, after its content coding was undone. @operator */
export const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;
/** The decoded size of a body as a multiple of its coded size. Real pages stay below 50. */
const MAX_RATIO = 250;
/** Bytes up to which a decoded body may have any size compared with its coded one. @bound */
const FREE_BYTES = 4 * 1024 * 1024;
/** Coded bytes of a body that is decoded in one call, which costs half as much as a stream. @bound */
const WHOLE_BYTES = 256 * 1024;

/** Bytes that a body of `codedBytes` may have after decoding. */
function allowance(codedBytes: number, most: number): number {
  return Math.min(most, Math.max(FREE_BYTES, codedBytes * MAX_RATIO));
}

function tooLong(most: number): Error {
  return new TooLong(`it has more than ${most} bytes`);
}

/** The error of a body that exceeds its allowance. */
function outgrown(codedBytes: number, most: number): Error {
  if (allowance(codedBytes, most) === most) return tooLong(most);
  return new TooLong(`its content coding hides more than ${MAX_RATIO} times its length`);
}

/** Collects a response's body and undoes its content codings, with limits on the size. */
export class Body {
  readonly #codings: readonly Coding[];
  readonly #most: number;
  readonly #onDrain: () => void;
  readonly #onError: (error: Error) => void;
  readonly #frames: ZstdFrames | undefined;
  #pieces = new JoinedPieces();
  #received = 0;
  #stages: Stages | undefined;

  /**
   * `length` is the length that the server declares, or undefined. At most `most` bytes are accepted: it throws if the
   * server declares more. `onDrain` is called when `write` can continue, `onError` with an error that was found between
   * writes.
   */
  constructor(
    codings: readonly Coding[],
    { length = 0, most }: { readonly length: number | undefined; readonly most: number },
    onDrain: () => void,
    onError: (error: Error) => void,
  ) {
    if (length > most) throw tooLong(most);
    this.#codings = codings;
    this.#most = most;
    this.#onDrain = onDrain;
    this.#onError = onError;
    this.#frames = codings[0]?.isZstd === true ? new ZstdFrames() : undefined;
  }

  /** True if no byte of the body has come. */
  get isEmpty(): boolean {
    return this.#received === 0;
  }

  /** Takes bytes as they come. False: wait for `onDrain`. Throws if there are too many bytes. */
  write(bytes: Buffer): boolean {
    this.#received += bytes.length;
    this.#frames?.push(bytes);
    if (this.#stages !== undefined) return this.#stages.write(bytes, this.#received);
    if (this.#codings.length === 0 && this.#received > this.#most) throw tooLong(this.#most);
    this.#pieces.add(bytes);
    if (this.#codings.length === 0 || this.#received <= WHOLE_BYTES) return true;
    this.#stages = new Stages(this.#codings, this.#most, this.#onDrain, this.#onError);
    const held = this.#pieces.joined();
    this.#pieces = new JoinedPieces();
    return this.#stages.write(held, this.#received);
  }

  /**
   * The whole body, or the received part of a body that the caller `cut` off. Fails with `page-failed` if the body is
   * damaged.
   */
  async finish(cut: boolean): Promise<Uint8Array<ArrayBuffer>> {
    // A coded stream without a byte needs no decoding.
    if (this.#received === 0) return new Uint8Array();
    let chunks = this.#pieces.list;
    if (this.#stages !== undefined) chunks = await this.#stages.finish(cut);
    else for (const coding of this.#codings) chunks = [decodeWhole(coding, chunks, this.#bounds, cut)];
    if (!cut && this.#frames?.complete === false) throw brokeOff();
    return joined(chunks);
  }

  get #bounds(): Bounds {
    return { received: this.#received, most: this.#most };
  }

  destroy(): void {
    this.#pieces = new JoinedPieces();
    this.#stages?.destroy();
  }
}

/** The received bytes of a body, and the maximum for its document. */
interface Bounds {
  readonly received: number;
  readonly most: number;
}

function decodeWhole(coding: Coding, chunks: readonly Uint8Array[], bounds: Bounds, cut: boolean): Buffer {
  const [only, ...more] = chunks;
  const bytes = only !== undefined && more.length === 0 ? only : Buffer.concat(chunks);
  try {
    return coding.whole(bytes, { maxOutputLength: allowance(bounds.received, bounds.most), cut });
  } catch (error) {
    throw decodingError(error, bounds);
  }
}

/** An exact array, because an array that is sent to a worker takes its whole buffer along. */
function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
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

/** Undoes codings piece by piece, each into the next, and limits the output. */
class Stages {
  readonly #streams: Transform[] = [];
  readonly #codings: readonly Coding[];
  readonly #most: number;
  readonly #onDrain: () => void;
  readonly #onError: (error: Error) => void;
  readonly #finished = Promise.withResolvers<void>();
  readonly #out = new JoinedPieces();
  #received = 0;
  #error: Error | undefined;

  constructor(codings: readonly Coding[], most: number, onDrain: () => void, onError: (error: Error) => void) {
    this.#codings = codings;
    this.#most = most;
    this.#onDrain = onDrain;
    this.#onError = onError;
    // The promise may have no handler when an error is found.
    this.#finished.promise.catch(() => undefined);
  }

  write(bytes: Buffer, received: number): boolean {
    this.#received = received;
    return this.#error === undefined ? this.#stage(0, bytes).write(bytes) : true;
  }

  async finish(cut: boolean): Promise<readonly Uint8Array[]> {
    if (this.#error !== undefined) throw this.#error;
    if (!cut) {
      this.#streams[0]?.end();
      await this.#finished.promise;
    }
    this.destroy();
    return this.#out.list;
  }

  destroy(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  /** Creates a stage when its first bytes have come, because they show its format. */
  #stage(at: number, first: Buffer): Transform {
    const known = this.#streams[at];
    if (known !== undefined) return known;
    // Stages are created in order, and `at` is below the number of codings.
    const stream = (this.#codings[at] as Coding).stream(first);
    this.#streams.push(stream);
    let length = 0;
    const isLast = at === this.#codings.length - 1;
    stream.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > allowance(this.#received, this.#most)) this.#fail(outgrown(this.#received, this.#most));
      else if (isLast) this.#out.add(chunk);
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
    if (this.#error !== undefined) return;
    this.#error = error;
    this.#finished.reject(error);
    this.destroy();
    this.#onError(error);
  }
}
