import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { decodeTail, FOOTER_BYTES, type Tail, tailLength } from "./answer-format.ts";

/** Read from a file at one time, for a client or to check it. */
export const READ_BYTES = 131_072;
/** Pieces that one write takes: below the system's own IOV_MAX. */
const MAX_PIECES = 256;

/** The body of a paid answer in a file. Whoever has it `retain`s it, and `release`s it once; the last closes the file. */
export class AnswerFile {
  readonly #handle: FileHandle;
  readonly #onClosed: () => void;
  #holders = 1;
  /** Bytes of body. */
  #size = 0;
  #sum = 0;

  private constructor(handle: FileHandle, onClosed: () => void) {
    this.#handle = handle;
    this.#onClosed = onClosed;
  }

  /** Makes the file; rejects where it is there, or cannot be made. `onClosed` is called then, or after the last release. */
  static async create(path: string, onClosed: () => void): Promise<AnswerFile> {
    const { O_CREAT, O_EXCL, O_RDWR, O_NOFOLLOW } = constants;
    try {
      return new AnswerFile(await open(path, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW, 0o600), onClosed);
    } catch (error) {
      onClosed();
      throw error;
    }
  }

  /**
   * Opens a kept file and reads all of it, so that nothing of a damaged one is ever sent. Undefined where there is none that is
   * whole; `onClosed` is called in every case.
   */
  static async openWhole(path: string, onClosed: () => void): Promise<{ file: AnswerFile; tail: Tail } | undefined> {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined);
    if (handle === undefined) {
      onClosed();
      return undefined;
    }
    const file = new AnswerFile(handle, onClosed);
    const tail = await file.#check().catch(() => undefined);
    if (tail !== undefined) return { file, tail };
    file.release();
    return undefined;
  }

  get size(): number {
    return this.#size;
  }

  /** CRC-32 of the body. */
  get sum(): number {
    return this.#sum;
  }

  retain(): void {
    this.#holders += 1;
  }

  release(): void {
    this.#holders -= 1;
    // A descriptor that does not close is nothing to wait for, or to tell anybody.
    if (this.#holders === 0)
      void this.#handle
        .close()
        .catch(() => {})
        .then(this.#onClosed);
  }

  /** Adds pieces to the body. One call at a time. Rejects where the disk does not take them all. */
  async append(pieces: readonly Uint8Array[]): Promise<void> {
    for (let at = 0; at < pieces.length; at += MAX_PIECES) {
      this.#size = await this.#write(pieces.slice(at, at + MAX_PIECES), this.#size);
    }
    for (const piece of pieces) this.#sum = crc32(piece, this.#sum);
  }

  /** Writes what stands behind the body. */
  async seal(tail: Buffer): Promise<void> {
    await this.#write([tail], this.#size);
  }

  /** Bytes of the body from `from` on, up to `READ_BYTES` of them. Rejects where the file does not give them. */
  async read(from: number): Promise<Buffer> {
    return this.#readExactly(from, Math.min(READ_BYTES, this.#size - from));
  }

  /** Writes all of it from `at` on, and returns where that ends. */
  async #write(pieces: readonly Uint8Array[], from: number): Promise<number> {
    let at = from;
    let rest = pieces;
    while (rest.length > 0) {
      const { bytesWritten } = await this.#handle.writev(rest, at);
      if (bytesWritten === 0) throw new Error("Cannot write an answer: the disk takes nothing more");
      at += bytesWritten;
      rest = behind(rest, bytesWritten);
    }
    return at;
  }

  async #check(): Promise<Tail | undefined> {
    const { size: total } = await this.#handle.stat();
    const footer = await this.#readExactly(total - FOOTER_BYTES, FOOTER_BYTES);
    const length = tailLength(footer, total);
    const tail = length === undefined ? undefined : decodeTail(await this.#readExactly(total - length, length));
    if (tail === undefined) return undefined;
    this.#size = tail.bodySize;
    for (let at = 0; at < this.#size; at += READ_BYTES) this.#sum = crc32(await this.read(at), this.#sum);
    return this.#sum === tail.bodySum ? tail : undefined;
  }

  async #readExactly(from: number, length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafeSlow(length);
    for (let filled = 0; filled < length; ) {
      const { bytesRead } = await this.#handle.read(buffer, filled, length - filled, from + filled);
      if (bytesRead === 0) throw new Error("Cannot read an answer: its file is shorter than it was");
      filled += bytesRead;
    }
    return buffer;
  }
}

/** What is left of `pieces` behind their first `bytes`. */
function behind(pieces: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let left = bytes;
  for (const [index, piece] of pieces.entries()) {
    if (left < piece.length) return [piece.subarray(left), ...pieces.slice(index + 1)];
    left -= piece.length;
  }
  return [];
}
