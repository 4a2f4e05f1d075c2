import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { codeOf } from "../../../../lib/caught.ts";
import { decodeTail, FOOTER_BYTES, type Tail, tailLength } from "./response-format.ts";

/** Bytes of one read, for a client or to check the file. @bound */
export const READ_BYTES = 131_072;

/** A paid response's body in a file. Users call `retain` and `release` once each; the last closes it. */
export class ResponseFile {
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

  /** Creates the file, which must not exist. `onClosed` is called on a rejection or the last release. */
  static async create(path: string, onClosed: () => void): Promise<ResponseFile> {
    const { O_CREAT, O_EXCL, O_RDWR, O_NOFOLLOW } = constants;
    try {
      return new ResponseFile(await open(path, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW, 0o600), onClosed);
    } catch (error) {
      onClosed();
      throw error;
    }
  }

  /**
   * Opens a stored file and reads all of it, so that no part of a damaged file is ever sent. Undefined if no intact
   * file exists; rejects if it cannot be opened now. `onClosed` is called in every case.
   */
  static async openWhole(path: string, onClosed: () => void): Promise<{ file: ResponseFile; tail: Tail } | undefined> {
    let file: ResponseFile;
    try {
      file = new ResponseFile(await open(path, constants.O_RDONLY | constants.O_NOFOLLOW), onClosed);
    } catch (error) {
      onClosed();
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    }
    const tail = await file.#check().catch(() => undefined);
    if (tail !== undefined) return { file, tail };
    file.release();
    return undefined;
  }

  /** Open until the last release. */
  get fd(): number {
    return this.#handle.fd;
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
    // An error while closing the descriptor changes nothing, so it is ignored.
    if (this.#holders === 0)
      void this.#handle
        .close()
        .catch(() => {})
        .then(this.#onClosed);
  }

  /** Appends bytes to the body. One call at a time. Rejects if the disk does not take all bytes. */
  async append(bytes: Uint8Array): Promise<void> {
    await this.#write(bytes, this.#size);
    this.#size += bytes.length;
    this.#sum = Bun.hash.crc32(bytes, this.#sum);
  }

  /** Writes the record that follows the body. */
  async seal(tail: Buffer): Promise<void> {
    await this.#write(tail, this.#size);
  }

  /** Reads up to `most` bytes of the body from offset `from`. Rejects if the file is shorter. */
  async read(from: number, most = READ_BYTES): Promise<Buffer> {
    return this.#fill(Buffer.allocUnsafeSlow(Math.min(most, this.#size - from)), from);
  }

  async #write(bytes: Uint8Array, from: number): Promise<void> {
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await this.#handle.write(bytes, written, bytes.length - written, from + written);
      if (bytesWritten === 0) throw new Error("Cannot write a response: the disk is full");
      written += bytesWritten;
    }
  }

  async #check(): Promise<Tail | undefined> {
    const { size: total } = await this.#handle.stat();
    const footer = await this.#fill(Buffer.alloc(FOOTER_BYTES), total - FOOTER_BYTES);
    const length = tailLength(footer, total);
    const tail = length === undefined ? undefined : decodeTail(await this.#fill(Buffer.alloc(length), total - length));
    if (tail === undefined) return undefined;
    this.#size = tail.bodySize;
    const buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, this.#size));
    for (let at = 0; at < this.#size; at += buffer.length) {
      this.#sum = Bun.hash.crc32(await this.#fill(buffer.subarray(0, this.#size - at), at), this.#sum);
    }
    return this.#sum === tail.bodySum ? tail : undefined;
  }

  async #fill(buffer: Buffer, from: number): Promise<Buffer> {
    for (let filled = 0; filled < buffer.length; ) {
      const { bytesRead } = await this.#handle.read(buffer, filled, buffer.length - filled, from + filled);
      if (bytesRead === 0) throw new Error("Cannot read a response: its file is shorter than it was");
      filled += bytesRead;
    }
    return buffer;
  }
}
