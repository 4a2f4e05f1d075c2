import { closeSync, type Stats } from "node:fs";
import { readAt } from "./read-at.ts";

/** What a worker's open files take together. */
export interface FileUsage {
  descriptors: number;
  contentBytes: number;
}

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

  /** -1 once all that is to be sent lies in memory. */
  get fd(): number {
    return this.#fd;
  }
  /** The whole file, where it is kept in memory. */
  get content(): Buffer | undefined {
    return this.#content;
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
    if (this.#content !== undefined) this.#usage.contentBytes -= this.#content.length;
    this.#content = undefined;
    this.#closeDescriptor();
  }

  /** Keeps the whole file in memory, and its descriptor only where that is still of use. Nothing where it cannot be read. */
  keepContent(keepDescriptor: boolean): void {
    const content = this.read(0, this.size);
    if (content === undefined) return;
    this.#content = content;
    this.#usage.contentBytes += content.length;
    if (!keepDescriptor) this.#closeDescriptor();
  }

  /** The bytes from `from` to `to`; undefined where the file no longer has them, or cannot be read. */
  read(from: number, to: number): Buffer | undefined {
    return this.#content?.subarray(from, to) ?? readAt(this.#fd, from, to);
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
