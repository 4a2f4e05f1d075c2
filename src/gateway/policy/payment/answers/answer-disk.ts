import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, messageOf } from "../../../../lib/caught.ts";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { AnswerFile } from "./answer-file.ts";
import { type AnswerRecord, encodeTail, readWhole, wholeOf } from "./answer-format.ts";
import { AnswerIndex } from "./answer-index.ts";
import { Spill, type SpillHost } from "./spill.ts";

/** Files of answers that one worker has open, for writing and for reading. */
const MAX_OPEN_FILES = 256;
/** Milliseconds between two sweeps, and where the last one had more to do. @bound */
const SWEEP_MS = 5000;
const BUSY_SWEEP_MS = 250;
/** Answers that one sweep removes. @bound */
const SWEEP_ANSWERS = 200;

export interface AnswerDiskOptions {
  readonly folder: string;
  /** Bytes of all answers on the disk, of all processes that share the folder: `x402.answer_disk_bytes`. */
  readonly maxBytes: number;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: (message: string) => void;
}

/** What a spill tells whoever holds the answer. */
export type SpillListener = Pick<SpillHost, "onDrain" | "onBroken" | "written">;

/** A kept answer as the disk or the database has it. */
export interface StoredAnswer {
  readonly record: AnswerRecord;
  readonly body: Buffer | AnswerFile;
}

const BUSY = "Too many paid answers are being read and written";

/**
 * Paid answers on the disk, one folder for all workers of a machine: long ones while they wait for settlement, and what is kept
 * for a retry. Nothing here has a name that a client could choose.
 */
export class AnswerDisk {
  readonly #options: AnswerDiskOptions;
  readonly #index: AnswerIndex;
  /** What is not kept yet. */
  readonly #names = new WeakMap<AnswerFile, string>();
  readonly #tidied: Promise<void>;
  #maxBytes: number;
  #openFiles = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #lastFault = "";

  /** Throws where the folder cannot be had. */
  constructor(options: AnswerDiskOptions) {
    this.#options = options;
    this.#maxBytes = options.maxBytes;
    try {
      this.#index = new AnswerIndex(options.folder);
    } catch (error) {
      throw new Error(`Cannot keep paid answers in "${options.folder}": ${codeOf(error) ?? messageOf(error)}`, {
        cause: error,
      });
    }
    this.#tidied = this.#tidy();
    this.#plan(SWEEP_MS);
  }

  get maxBytes(): number {
    return this.#maxBytes;
  }

  set maxBytes(bytes: number) {
    this.#maxBytes = bytes;
  }

  get openFiles(): number {
    return this.#openFiles;
  }

  /** What all answers on the disk take. */
  get account(): { readonly bytes: number; readonly answers: number } {
    return this.#index.account;
  }

  /** False where a new answer would find no descriptor. */
  admits(): boolean {
    return this.#openFiles < MAX_OPEN_FILES;
  }

  /** Writes an answer of `announced` bytes, -1: nobody knows how many. Undefined: too many are open. */
  spill(announced: number, listener: SpillListener): Spill | undefined {
    if (!this.admits()) return undefined;
    this.#openFiles += 1;
    const name = `${crypto.randomUUID()}.part`;
    const forgo = (): void => this.#closed(name);
    const host: SpillHost = {
      ...listener,
      forgo,
      reserve: (bytes) => this.#reserve(name, bytes),
      open: async () => {
        const file = await AnswerFile.create(join(this.#options.folder, name), forgo);
        this.#names.set(file, name);
        return file;
      },
    };
    return new Spill(host, announced);
  }

  /** Keeps a long answer. It is there when this resolves, or cannot be kept; never rejects. */
  async keepFile(file: AnswerFile, record: AnswerRecord): Promise<void> {
    const name = this.#names.get(file);
    if (name === undefined) return;
    file.retain();
    try {
      const tail = encodeTail({ record, bodySize: file.size, bodySum: file.sum });
      if (!this.#reserve(name, file.size + tail.length)) return;
      await file.seal(tail);
      this.#index.keepFile(name, nameOf(record.key), record.until);
    } catch (error) {
      this.#fault(error);
    } finally {
      file.release();
    }
  }

  /** Keeps a short answer in the index itself: 60 µs of CPU where a file of its own took 200, of the 2 ms of a paid request. */
  keepBody(pieces: readonly Uint8Array[], record: AnswerRecord): void {
    const whole = wholeOf(pieces, record);
    try {
      this.#index.keepBody(nameOf(record.key), whole, { until: record.until, limit: this.#maxBytes });
    } catch (error) {
      this.#fault(error);
    }
  }

  /** True where an answer is kept, as far as can be told without reading it. `now` in milliseconds. */
  has(key: string, now: number): boolean {
    return this.#find(key, now) !== undefined;
  }

  /** The kept answer, if all of it is as it was written. Rejects where it cannot be opened now. */
  async get(key: string, now: number): Promise<StoredAnswer | undefined> {
    const found = this.#find(key, now);
    if (found === undefined) return undefined;
    const stored = found === "file" ? await this.#openKept(key) : readWhole(Buffer.from(found.body));
    if (stored?.record.key === key) return stored.record.until > now ? stored : undefined;
    this.#options.log("payment: a kept answer is gone or damaged, and is forgotten");
    this.#remove(nameOf(key));
    return undefined;
  }

  /** Removes what has expired, a bounded part of it; true where there may be more. */
  sweep(): boolean {
    try {
      const now = this.#options.now();
      this.#index.renew(now);
      return this.#index.sweep(now, SWEEP_ANSWERS) === SWEEP_ANSWERS;
    } catch (error) {
      this.#fault(error);
      return false;
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#tidied;
    this.#isClosed = true;
    this.#index.close();
  }

  #plan(ms: number): void {
    this.#timer = setTimeout(() => this.#plan(this.sweep() ? BUSY_SWEEP_MS : SWEEP_MS), ms);
    this.#timer.unref();
  }

  /** Removes files that no process knows of, which a crash or the loss of the index has left. */
  async #tidy(): Promise<void> {
    try {
      for (const name of await readdir(this.#options.folder)) {
        if (/\.(?:part|answer)$/.test(name)) this.#index.removeUnknown(name);
      }
    } catch (error) {
      this.#fault(error);
    }
  }

  #find(key: string, now: number): ReturnType<AnswerIndex["find"]> {
    try {
      return this.#index.find(nameOf(key), now);
    } catch (error) {
      this.#fault(error);
      return undefined;
    }
  }

  async #openKept(key: string): Promise<StoredAnswer | undefined> {
    if (!this.admits()) throw new TurnpikeError("overloaded", BUSY);
    this.#openFiles += 1;
    const path = join(this.#options.folder, nameOf(key));
    const opened = await AnswerFile.openWhole(path, () => {
      this.#openFiles -= 1;
    }).catch((error: unknown) => {
      this.#fault(error);
      throw new TurnpikeError("overloaded", BUSY);
    });
    return opened === undefined ? undefined : { record: opened.tail.record, body: opened.file };
  }

  #reserve(name: string, bytes: number): boolean {
    try {
      return this.#index.reserve(name, bytes, { now: this.#options.now(), limit: this.#maxBytes });
    } catch (error) {
      this.#fault(error);
      return false;
    }
  }

  /** The file of this name is closed: what was not kept of it goes. */
  #closed(name: string): void {
    this.#openFiles -= 1;
    this.#remove(name);
  }

  #remove(name: string): void {
    if (this.#isClosed) return;
    try {
      this.#index.remove(name);
    } catch (error) {
      this.#fault(error);
    }
  }

  /** Says once what is wrong with the disk, until something else is. */
  #fault(error: unknown): void {
    const code = codeOf(error) ?? messageOf(error);
    if (code !== this.#lastFault && !this.#isClosed)
      this.#options.log(`payment: cannot keep an answer on the disk: ${code}`);
    this.#lastFault = code;
  }
}

/** A kept answer's name: nobody can choose a key so that it becomes a certain one. */
function nameOf(key: string): string {
  return `${createHash("sha256").update(key).digest("hex")}.answer`;
}
