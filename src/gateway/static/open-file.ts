import { closeSync, type Stats, readSync } from "node:fs";

export interface FileUsage {
  descriptors: number;
  contentBytes: number;
}

/**
 * A file up to this size is read at once and sent with its head in one write. A larger one is sent from the disk in
 * pieces. @bound
 */
export const WHOLE_BYTES = 65_536;

/** A regular file that is open, shared by all its current downloads. The last release closes its descriptor. */
export class OpenFile {
  readonly size: number;
  /** Unix milliseconds in whole seconds, the precision of Last-Modified. */
  readonly modifiedAt: number;
  /** Changes with the content: modification time in µs and size, without the inode, which servers do not share. */
  readonly version: string;
  readonly #identity: string;
  readonly #usage: FileUsage;
  #fd: number;
  #users = 1;
  #content: Buffer | undefined;

  constructor(fd: number, stats: Stats, usage: FileUsage) {
    this.#fd = fd;
    this.#usage = usage;
    usage.descriptors++;
    this.size = stats.size;
    this.modifiedAt = Math.floor(stats.mtimeMs / 1000) * 1000;
    this.version = `${Math.round(stats.mtimeMs * 1000).toString(36)}-${stats.size.toString(36)}`;
    this.#identity = identityOf(stats);
  }

  /** -1 if the bytes are only in memory. */
  get fd(): number {
    return this.#fd;
  }
  /** The whole file is in memory. */
  get hasContent(): boolean {
    return this.#content !== undefined;
  }
  /** The file is not being sent at the moment. */
  get isIdle(): boolean {
    return this.#users === 1;
  }

  /** Whether `stats` describe the same, unchanged file. */
  isSame(stats: Stats): boolean {
    return this.#identity === identityOf(stats);
  }

  retain(): void {
    this.#users++;
  }

  release(): void {
    this.#users--;
    if (this.#users > 0) return;
    this.#closeDescriptor();
    if (this.#content === undefined) return;
    this.#usage.contentBytes -= this.#content.length;
    this.#content = undefined;
  }

  /** Reads the whole file into memory, if it can be read. The descriptor stays open if `sendFile` can use it. */
  keepContent(): void {
    if (this.#content !== undefined) return;
    const content = this.read(0, this.size);
    if (content === undefined) return;
    this.#content = content;
    this.#usage.contentBytes += content.length;
    if (this.size <= WHOLE_BYTES) this.#closeDescriptor();
  }

  /** Closes the descriptor of a file that is in memory and idle. */
  rest(): void {
    if (this.hasContent && this.isIdle) this.#closeDescriptor();
  }

  /** Takes over a descriptor of the same file if it needs one; otherwise closes it. */
  adopt(fd: number): void {
    if (this.#fd !== -1 || this.size <= WHOLE_BYTES) {
      closeSync(fd);
      return;
    }
    this.#fd = fd;
    this.#usage.descriptors++;
  }

  /** The bytes from `from` to `to`; undefined if the file has become shorter or cannot be read. */
  read(from: number, to: number): Buffer | undefined {
    const content = this.#content;
    if (content === undefined) return readAt(this.#fd, from, to);
    return to - from === content.length ? content : content.subarray(from, to);
  }

  #closeDescriptor(): void {
    if (this.#fd === -1) return;
    closeSync(this.#fd);
    this.#fd = -1;
    this.#usage.descriptors--;
  }
}

function identityOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;
}

/** Up to this size, a buffer from Node's pool is cheaper than a new one. */
const POOLED_BYTES = 4096;

/** The bytes of a file from `from` to `to`, in a buffer of its own; undefined if they cannot all be read. */
function readAt(fd: number, from: number, to: number): Buffer | undefined {
  const length = to - from;
  const buffer = length <= POOLED_BYTES ? Buffer.allocUnsafe(length) : Buffer.allocUnsafeSlow(length);
  let filled = 0;
  try {
    while (filled < length) {
      const read = readSync(fd, buffer, filled, length - filled, from + filled);
      if (read === 0) return undefined;
      filled += read;
    }
  } catch {
    // For a client, a failing disk or network file system is the same as a file that has become shorter.
    return undefined;
  }
  return buffer;
}
