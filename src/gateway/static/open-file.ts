import { closeSync, type Stats } from "node:fs";
import { readAt } from "./read-at.ts";

/** What a worker's open files take together. */
export interface FileUsage {
  descriptors: number;
  contentBytes: number;
}

/** A whole file up to here is read at once and leaves with its head in one write; a larger one is sent from the disk, bit by bit. @bound */
export const WHOLE_BYTES = 65_536;

/** A regular file that is open, shared by all who send it at a time; its descriptor closes when the last lets go. */
export class OpenFile {
  readonly size: number;
  /** Unix milliseconds, whole seconds: what Last-Modified can say. */
  readonly modifiedAt: number;
  /** Changes with the file's bytes: its modification time in microseconds, and its size. No inode, which differs between servers. */
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

  /** -1 where the bytes are in memory and nowhere else. */
  get fd(): number {
    return this.#fd;
  }
  /** The whole file is in memory. */
  get hasContent(): boolean {
    return this.#content !== undefined;
  }
  /** Nobody sends it at the moment. */
  get isIdle(): boolean {
    return this.#users === 1;
  }

  /** Whether `stats` are of the same file, unchanged. */
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

  /** Puts the whole file into memory; nothing where it cannot be read. The descriptor stays where it is of use to `sendFile`. */
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

  /** Takes a descriptor of the same file where it has none and one is of use; closes it otherwise. */
  adopt(fd: number): void {
    if (this.#fd !== -1 || this.size <= WHOLE_BYTES) {
      closeSync(fd);
      return;
    }
    this.#fd = fd;
    this.#usage.descriptors++;
  }

  /** The bytes from `from` to `to`; undefined where the file no longer has them, or cannot be read. */
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
