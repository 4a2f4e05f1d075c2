import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf, messageOf } from "../../../../lib/caught.ts";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { ClockSteps } from "../../../../lib/time/clock-steps.ts";
import { WriteTurns } from "../../../../store/sqlite/write-turns.ts";
import { ResponseFile } from "./response-file.ts";
import { type ResponseRecord, encodeTail, readWhole, wholeOf } from "./response-format.ts";
import { type KeptBody, ResponseIndex } from "./response-index.ts";
import { DiskBuffer, type DiskBufferHost } from "./disk-buffer.ts";

/** Files of responses that one worker has open, for writing and reading. */
const MAX_OPEN_FILES = 256;
/** Milliseconds between two sweeps, and until the next one if a sweep could not remove everything. @bound */
const SWEEP_MS = 5000;
const BUSY_SWEEP_MS = 250;
/** Responses that one sweep removes. @bound */
const SWEEP_RESPONSES = 200;

/** Longest wait of a write for other processes' writes, in milliseconds. A response whose write fails is not kept. @bound */
const BUSY_MS = 2000;

export interface ResponseDiskOptions {
  readonly folder: string;
  /** Bytes of all responses on the disk, of all processes that share the folder: `x402.answer_disk_bytes`. */
  readonly maxBytes: number;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds of a clock that no one sets. Default: `performance.now`. */
  readonly steady?: () => number;
  readonly log: (message: string) => void;
}

/** The events that a disk buffer reports to the owner of the response. */
export type DiskBufferListener = Pick<DiskBufferHost, "onDrain" | "onBroken" | "written">;

export interface StoredResponse {
  readonly record: ResponseRecord;
  readonly body: Buffer | ResponseFile;
}

const BUSY = "Too many paid responses are being read and written";

/**
 * Paid responses on the disk, in one folder for all workers of a machine: long responses while they wait for
 * settlement, and responses that are kept for a retry. No file name can be chosen by a client.
 */
export class ResponseDisk {
  readonly #options: ResponseDiskOptions;
  #index: ResponseIndex;
  readonly #steps: ClockSteps;
  /** SQLite's own wait blocks the event loop of the worker, and with it all its clients. */
  readonly #turns = new WriteTurns(BUSY_MS);
  /** The names of files that are still being written. */
  readonly #names = new WeakMap<ResponseFile, string>();
  readonly #tidied: Promise<void>;
  #bodies: KeptBody[] = [];
  #storing: Promise<void> | undefined;
  /** May be changed. */
  maxBytes: number;
  #openFiles = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #lastError = "";

  /** Throws if the folder cannot be created. */
  constructor(options: ResponseDiskOptions) {
    this.#options = options;
    this.maxBytes = options.maxBytes;
    this.#steps = new ClockSteps(options.now, options.steady);
    try {
      this.#index = new ResponseIndex(options.folder);
    } catch (error) {
      throw new Error(`Cannot keep paid responses in "${options.folder}": ${codeOf(error) ?? messageOf(error)}`, {
        cause: error,
      });
    }
    this.#tidied = this.#tidy();
    this.#plan(SWEEP_MS);
  }

  get openFiles(): number {
    return this.#openFiles;
  }

  /** The space that all responses on the disk use. */
  get account(): { readonly bytes: number; readonly responses: number } {
    return this.#index.account;
  }

  /** False if there is no file descriptor left for a new response. */
  admits(): boolean {
    return this.#openFiles < MAX_OPEN_FILES;
  }

  /** Opens a disk buffer for `announced` bytes; -1: unknown. Undefined: too many files are open. */
  openDiskBuffer(announced: number, listener: DiskBufferListener): DiskBuffer | undefined {
    if (!this.admits()) return undefined;
    this.#openFiles += 1;
    const name = `${crypto.randomUUID()}.part`;
    const forgo = (): void => this.#closed(name);
    const host: DiskBufferHost = {
      ...listener,
      forgo,
      reserve: (bytes) => this.#reserve(name, bytes),
      open: async () => {
        const file = await ResponseFile.create(join(this.#options.folder, name), forgo).catch((error: unknown) => {
          this.#report(error);
          throw error;
        });
        this.#names.set(file, name);
        return file;
      },
    };
    return new DiskBuffer(host, announced);
  }

  /** Stores a long response. Resolves when it is stored, or if it cannot be stored. Never rejects. */
  async keepFile(file: ResponseFile, record: ResponseRecord): Promise<void> {
    const name = this.#names.get(file);
    if (name === undefined) return;
    file.retain();
    try {
      const tail = encodeTail({ record, bodySize: file.size, bodySum: file.sum });
      if (!this.#reserve(name, file.size + tail.length)) return;
      await file.seal(tail);
      await this.#turns.run(() => this.#index.keepFile(name, fileNameOf(record.key), record.until));
    } catch (error) {
      this.#report(error);
    } finally {
      file.release();
    }
  }

  /**
   * Stores a short response in the index, in one transaction with those of the same turn. Resolves when that was tried. Alone it
   * costs 60 µs of CPU, a file 200 µs.
   */
  keepBody(pieces: readonly Uint8Array[], record: ResponseRecord): Promise<void> {
    this.#bodies.push({ name: fileNameOf(record.key), whole: wholeOf(pieces, record), until: record.until });
    return (this.#storing ??= this.#storeBodies());
  }

  async #storeBodies(): Promise<void> {
    await new Promise(setImmediate);
    this.#storing = undefined;
    const bodies = this.#bodies;
    this.#bodies = [];
    this.#write(() => this.#index.keepBodies(bodies, this.maxBytes));
  }

  /** True if a response is stored under the key. Does not read the response. `now` in milliseconds. */
  has(key: string, now: number): boolean {
    return this.#find(key, now) !== undefined;
  }

  /** The stored response, if its content is intact. Rejects if it cannot be opened now. */
  async get(key: string, now: number): Promise<StoredResponse | undefined> {
    const found = this.#find(key, now);
    if (found === undefined) return undefined;
    const stored = found === "file" ? await this.#openKept(key) : readWhole(Buffer.from(found.body));
    if (stored?.record.key === key) return stored.record.until > now ? stored : undefined;
    this.#options.log("payment: a kept response is missing or damaged, and is removed");
    this.#remove(fileNameOf(key));
    return undefined;
  }

  /**
   * Removes a limited number of expired responses; true if there can be more. After a step forward of the system clock it
   * removes nothing for an hour: the files that other workers are writing would seem to be left over.
   */
  sweep(): boolean {
    try {
      const now = this.#options.now();
      this.#replaceMoved();
      this.#index.renew(now);
      if (!this.#steps.isCalm()) return false;
      return this.#index.sweep(now, SWEEP_RESPONSES) === SWEEP_RESPONSES;
    } catch (error) {
      this.#report(error);
      return false;
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#storing;
    this.#turns.close();
    await this.#tidied;
    this.#isClosed = true;
    this.#turns.close();
    this.#index.close();
  }

  #plan(ms: number): void {
    this.#timer = setTimeout(() => this.#plan(this.sweep() ? BUSY_SWEEP_MS : SWEEP_MS), ms);
  }

  /** Creates a deleted folder again, so that long responses can be sold. Its responses are lost. */
  #replaceMoved(): void {
    const { folder } = this.#options;
    // Without the folder above, its disk is perhaps not mounted.
    if (!this.#index.isMoved || !existsSync(dirname(folder))) return;
    const before = this.#index;
    this.#index = new ResponseIndex(folder);
    before.close();
    this.#options.log(`payment: paid responses are kept in a new folder, because "${folder}" was moved or deleted`);
  }

  /** Removes files that no process uses: left over from a crash, or from an index that was lost. */
  async #tidy(): Promise<void> {
    try {
      for (const name of await readdir(this.#options.folder)) {
        if (/\.(?:part|answer)$/.test(name)) await this.#turns.run(() => this.#index.removeUnknown(name));
      }
    } catch (error) {
      this.#report(error);
    }
  }

  #find(key: string, now: number): ReturnType<ResponseIndex["find"]> {
    try {
      return this.#index.find(fileNameOf(key), now);
    } catch (error) {
      this.#report(error);
      return undefined;
    }
  }

  async #openKept(key: string): Promise<StoredResponse | undefined> {
    if (!this.admits()) throw new TurnpikeError("overloaded", BUSY);
    this.#openFiles += 1;
    const path = join(this.#options.folder, fileNameOf(key));
    const opened = await ResponseFile.openWhole(path, () => {
      this.#openFiles -= 1;
    }).catch((error: unknown) => {
      this.#report(error);
      throw new TurnpikeError("overloaded", BUSY);
    });
    return opened === undefined ? undefined : { record: opened.tail.record, body: opened.file };
  }

  #reserve(name: string, bytes: number): boolean {
    try {
      return this.#index.reserve(name, bytes, { now: this.#options.now(), limit: this.maxBytes });
    } catch (error) {
      this.#report(error);
      return false;
    }
  }

  /** The file with this name was closed. If it was not stored, it is removed. */
  #closed(name: string): void {
    this.#openFiles -= 1;
    this.#remove(name);
  }

  #remove(name: string): void {
    this.#write(() => this.#index.remove(name));
  }

  /** Writes at once, or when other processes have written. */
  #write(change: () => unknown): void {
    this.#turns.run(change).catch((error: unknown) => this.#report(error));
  }

  /** Logs an error of the disk once, until a different error occurs. */
  #report(error: unknown): void {
    const code = codeOf(error) ?? messageOf(error);
    if (code !== this.#lastError && !this.#isClosed)
      this.#options.log(`payment: cannot keep a response on the disk: ${code}`);
    this.#lastError = code;
  }
}

/** The name of a stored response. It is a hash, so a client cannot choose a key that leads to a certain name. */
function fileNameOf(key: string): string {
  return `${createHash("sha256").update(key).digest("hex")}.answer`;
}
