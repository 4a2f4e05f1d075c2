import { close, constants, openSync, read, unlinkSync, write } from "node:fs";
import { join } from "node:path";
import { codeOf, messageOf } from "../../lib/caught.ts";
import { type Client, ClientShares, type Share } from "../../lib/net/client-shares.ts";

/** Bytes of a block of the file. */
export const BLOCK_BYTES = 262_144;
/** The part of the free blocks and its own blocks that one client may use. @bound */
const CLIENT_PART = 1 / 2;
/** Milliseconds before a disk that failed is tried again. */
const RETRY_MS = 5000;
/** Linux: opens a file without a name. It requires O_DIRECTORY. */
const O_TMPFILE = 0o20_000_000 | constants.O_DIRECTORY;

/** The folder of a `Spool` and the size of its file. */
export interface SpoolLimits {
  readonly folder: string;
  /** Bytes of the file; 0: no file. */
  readonly maxBytes: number;
}

/** The services of a `Spool`, and its limits at the start. */
export interface SpoolDeps {
  readonly limits: SpoolLimits;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly log: (message: string) => void;
  readonly onUse: (bytes: number) => void;
  readonly onError: (error: unknown) => void;
}

export interface SpoolExtent {
  readonly block: number;
  /** Offset within the block. */
  readonly offset: number;
}

/**
 * Disk space of one worker for responses whose clients are slow: one file in blocks of equal size. The file has no name, so
 * that a killed process leaves nothing behind. It exists only while blocks are in use. A disk that fails or is full is not
 * used for a while; the upstreams are paused instead.
 */
export class Spool {
  readonly #deps: SpoolDeps;
  readonly #shares: ClientShares<never>;
  /** A new folder is used as soon as no block is in use. */
  limits: SpoolLimits;
  #file: number | undefined;
  #free: number[] = [];
  #next = 0;
  #brokenUntil = Number.NEGATIVE_INFINITY;
  #isBroken = false;

  constructor(deps: SpoolDeps) {
    this.#deps = deps;
    this.limits = deps.limits;
    this.#shares = new ClientShares(CLIENT_PART, () => Math.floor(this.limits.maxBytes / BLOCK_BYTES));
  }

  /** Bytes that may be in use. */
  get capacity(): number {
    return this.limits.maxBytes;
  }

  /** Bytes of the blocks in use. */
  get used(): number {
    return this.#shares.held * BLOCK_BYTES;
  }

  shareOf(client: Client): Share<never> {
    return this.#shares.of(client);
  }

  /** Takes a block for the client of `share`; -1 if no block is free. */
  take(share: Share<never>): number {
    if (share.allowance <= 0 || this.#deps.now() < this.#brokenUntil) return -1;
    if (this.#file === undefined && !this.#open()) return -1;
    share.take();
    this.#deps.onUse(this.used);
    return this.#free.pop() ?? this.#next++;
  }

  /** Releases a block that is not being read or written. */
  give(share: Share<never>, block: number): void {
    share.give();
    this.#deps.onUse(this.used);
    this.#free.push(block);
    if (this.#shares.held > 0 || this.#file === undefined) return;
    close(this.#file, () => {});
    this.#file = undefined;
    this.#free = [];
    this.#next = 0;
  }

  /** Writes the bytes from `start` to `end`. `done` receives true if all of them were written. */
  write(
    extent: SpoolExtent,
    { bytes, start, end }: { readonly bytes: Uint8Array; readonly start: number; readonly end: number },
    done: (written: boolean) => void,
  ): void {
    write(this.#descriptor, bytes, start, end - start, positionOf(extent), (error, count) => {
      const isWritten = error === null && count === end - start;
      if (isWritten) this.#works();
      else this.#fails(error ?? new Error("the disk is full"));
      this.#run(() => done(isWritten));
    });
  }

  /** Reads `length` bytes that were written. `done` receives undefined if they cannot be read. */
  read(extent: SpoolExtent, length: number, done: (bytes: Uint8Array | undefined) => void): void {
    const bytes = Buffer.allocUnsafeSlow(length);
    read(this.#descriptor, bytes, 0, length, positionOf(extent), (error, count) => {
      const isRead = error === null && count === length;
      if (!isRead) this.#fails(error ?? new Error("the file is shorter than it was"));
      this.#run(() => done(isRead ? bytes : undefined));
    });
  }

  get #descriptor(): number {
    if (this.#file === undefined) throw new Error("Cannot use the file of slow responses: no block is in use");
    return this.#file;
  }

  /** Runs a callback of the file system, and logs its error. */
  #run(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#deps.onError(error);
    }
  }

  #open(): boolean {
    try {
      this.#file = openNameless(this.limits.folder);
      return true;
    } catch (error) {
      this.#fails(error);
      return false;
    }
  }

  #fails(error: unknown): void {
    this.#brokenUntil = this.#deps.now() + RETRY_MS;
    if (this.#isBroken) return;
    this.#isBroken = true;
    const cause = codeOf(error) ?? messageOf(error);
    this.#deps.log(
      `Cannot buffer responses for slow clients in ${JSON.stringify(this.limits.folder)}: ${cause}. They occupy their upstream connections`,
    );
  }

  #works(): void {
    if (!this.#isBroken) return;
    this.#isBroken = false;
    this.#deps.log(`responses for slow clients are buffered in ${JSON.stringify(this.limits.folder)} again`);
  }
}

function positionOf({ block, offset }: SpoolExtent): number {
  return block * BLOCK_BYTES + offset;
}

/**
 * Opens a file that disappears when it is closed. If the file system cannot open a file without a name, its name is removed
 * at once.
 */
function openNameless(folder: string): number {
  try {
    return openSync(folder, O_TMPFILE | constants.O_RDWR, 0o600);
  } catch (error) {
    if (codeOf(error) !== "EOPNOTSUPP" && codeOf(error) !== "EISDIR" && codeOf(error) !== "EINVAL") throw error;
    const path = join(folder, `turnpike-${crypto.randomUUID()}.tmp`);
    const file = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
    unlinkSync(path);
    return file;
  }
}
