import { closeSync, ftruncateSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BufferPool } from "../../lib/memory/buffer-pool.ts";
import { ByteQueue } from "../../lib/memory/byte-queue.ts";

/** Bytes of one request's body that wait in memory; further bytes wait in a file. */
const MAX_BUFFERED_BYTES = 262_144;
/** Bytes of request bodies over HTTP/3 that wait in files of one worker for their upstreams. @operator */
const MAX_SPOOLED_BYTES = 1_073_741_824;
/** Bytes of one read from a file. */
const READ_BYTES = 65_536;

/** Files of all request bodies of this worker. */
const FILES = new BufferPool({ bufferSize: 1, bufferCount: MAX_SPOOLED_BYTES, reserve: 0 });

/**
 * The part of a request's body that arrived faster than it is read. The QUIC engine always reads on and lets the client
 * send more, so waiting data goes to an unnamed file: in memory it would have no bound.
 */
export class BodyHold {
  readonly #queue: ByteQueue;
  readonly #files: BufferPool;
  #file = -1;
  #readAt = 0;
  #writeAt = 0;

  /** `files` counts the bytes in files. */
  constructor(buffers: BufferPool, files = FILES) {
    this.#queue = new ByteQueue(buffers);
    this.#files = files;
  }

  get empty(): boolean {
    return this.#queue.length === 0 && this.#readAt === this.#writeAt;
  }

  /** Stores the bytes; false, with nothing stored, if neither memory nor disk has room. */
  push(bytes: Uint8Array): boolean {
    if (this.#file === -1 && this.#queue.length + bytes.length <= MAX_BUFFERED_BYTES) {
      if (this.#queue.push(bytes, 0, bytes.length)) return true;
    }
    if (!this.#files.take(bytes.length)) return false;
    try {
      if (this.#file === -1) this.#file = openUnnamed();
      for (let at = 0; at < bytes.length; )
        at += writeSync(this.#file, bytes, at, bytes.length - at, this.#writeAt + at);
    } catch {
      // A full disk counts as no room.
      this.#files.give(bytes.length);
      return false;
    }
    this.#writeAt += bytes.length;
    return true;
  }

  /** Passes the stored bytes to `take`, in order, until it returns false or none are left. */
  drain(take: (bytes: Uint8Array, start: number, end: number) => boolean): void {
    let more = true;
    for (let piece = this.#queue.first; piece !== undefined && more; piece = this.#queue.first) {
      const { bytes, start, end } = piece;
      this.#queue.shift(end - start);
      more = take(bytes, start, end);
    }
    while (more && this.#readAt < this.#writeAt) {
      const chunk = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, this.#writeAt - this.#readAt));
      const read = readSync(this.#file, chunk, 0, chunk.length, this.#readAt);
      if (read === 0) throw new Error("Cannot read a buffered request body: its file is shorter than what was written");
      this.#readAt += read;
      more = take(chunk, 0, read);
    }
    if (this.#file !== -1 && this.#readAt === this.#writeAt) this.#emptyFile();
  }

  clear(): void {
    this.#queue.clear();
    if (this.#file === -1) return;
    this.#emptyFile();
    closeSync(this.#file);
    this.#file = -1;
  }

  #emptyFile(): void {
    ftruncateSync(this.#file, 0);
    this.#files.give(this.#writeAt);
    this.#readAt = 0;
    this.#writeAt = 0;
  }
}

/** A file that only this process can reach. It disappears when the process ends. */
function openUnnamed(): number {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-body-"));
  try {
    return openSync(join(folder, "body"), "wx+");
  } finally {
    rmSync(folder, { recursive: true });
  }
}
