import { close, constants, fstatSync, ftruncateSync, open, write } from "node:fs";
import { LineBytes } from "../memory/line-bytes.ts";
import { within } from "../time/within.ts";

/**
 * Bytes that are collected before they are written: a write costs as much as a hundred lines. The buffer has the same
 * room again for the next line, because 32 KiB of a request head become 192 KiB if each character is escaped as
 * `\u0080`.
 */
const FLUSH_BYTES = 262_144;
/** Longest time that a line waits, in milliseconds. */
const FLUSH_MS = 200;
/** Most bytes that wait for a slow disk or pipe, half in the current write. Further lines are dropped, counted. */
const MAX_PENDING_BYTES = 1_048_576;
const HALF = MAX_PENDING_BYTES / 2;
const LINE_END = 10;

/** Milliseconds for which closing waits for a slow disk or pipe. Then lines are lost and counted. */
const CLOSE_MS = 1500;

const NOTHING = Buffer.alloc(0);

/** Milliseconds without a loss after which a log counts as recovered. */
const RECOVERY_MS = 1000;

/** Receives reports about lost lines. */
export interface LineWatcher {
  /** `lines` more lines are lost. */
  dropped(lines: number): void;
  /** The first line since the start or since `recovered` is lost. `code` is the system's error code, or `slow`. */
  fails(code: string): void;
  /** Lines are written again. */
  recovered(): void;
  /** The writer was closed while it failed. */
  givenUp(): void;
}

export interface LineFile {
  readonly file: string;
  /** Default: 0640. */
  readonly mode?: number;
  /** True if no other process writes to the file. Then a partial line that a full disk has left is removed. */
  readonly whole?: boolean;
}

/** The target of lines: an open descriptor, or a file. */
export type LineTarget = "stdout" | "stderr" | LineFile;

const DEFAULT_MODE = 0o640;

const { O_APPEND, O_CREAT, O_NONBLOCK, O_RDWR, O_WRONLY } = constants;
const ADDING = O_APPEND | O_CREAT | O_NONBLOCK;

/** A pipe without a reader must not block, so it is opened for reading too, at its largest size (fifo(7)). */
async function openFile(target: LineFile): Promise<number> {
  return await openBy(target, O_WRONLY).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENXIO") return openBy(target, O_RDWR);
    throw error;
  });
}

function openBy({ file, mode = DEFAULT_MODE }: LineFile, access: number): Promise<number> {
  return new Promise((resolve, reject) => {
    open(file, ADDING | access, mode, (error, opened) => (error === null ? resolve(opened) : reject(error)));
  });
}

/** Writes lines in batches and never waits for the disk: lines that it cannot take are dropped and counted. */
export class LineWriter {
  readonly #target: LineTarget;
  #fd: number | undefined;
  /** The buffers in which lines are collected and of the current write, allocated at the first use. */
  readonly #gathered = new LineBytes(NOTHING);
  #spare: Buffer = NOTHING;
  /** End of the complete lines. Behind it is a line that is being written, or the rest of a broken one. */
  #end = 0;
  #writing = false;
  /** The lines of the next write need not wait for more. */
  #isDue = false;
  /** The descriptor of the current write. That write closes it, if it was replaced meanwhile. */
  #writingTo = -1;
  /** The bytes of the current write. */
  #unwritten: Buffer = NOTHING;
  /** Offset of the lines of the current write in their memory. */
  #batchFrom = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #idle: (() => void)[] = [];
  readonly #watcher: LineWatcher;
  /** True from a lost line until `recovered`. */
  #failing = false;
  #recovery: ReturnType<typeof setTimeout> | undefined;
  /** The file ends with a partial line, whose rest was lost. */
  #cut = false;

  private constructor(target: LineTarget, fd: number, watcher: LineWatcher) {
    this.#target = target;
    this.#fd = fd;
    this.#watcher = watcher;
  }

  /** Rejects if the file cannot be opened for appending. */
  static async open(target: LineTarget, watcher: LineWatcher): Promise<LineWriter> {
    if (target === "stdout") return new LineWriter(target, 1, watcher);
    if (target === "stderr") return new LineWriter(target, 2, watcher);
    return new LineWriter(target, await openFile(target), watcher);
  }

  /** The buffer for the next line: write it, then call `end`. Undefined if closed: the line is lost. */
  begin(): LineBytes | undefined {
    const gathered = this.#gathered;
    if (this.#fd === undefined) {
      this.#watcher.dropped(1);
      return undefined;
    }
    if (gathered.bytes === NOTHING) gathered.bytes = Buffer.allocUnsafe(HALF);
    gathered.at = this.#end;
    gathered.full = false;
    return gathered;
  }

  /** Accepts the line that was written, or drops it if there was no room. */
  end(): void {
    const gathered = this.#gathered;
    if (gathered.full || gathered.at === gathered.bytes.length) {
      this.#drop(1, "slow");
      return;
    }
    gathered.bytes[gathered.at] = LINE_END;
    this.#end = gathered.at + 1;
    if (this.#end >= FLUSH_BYTES) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS);
  }

  /** Writes all collected lines at once. */
  flush(): void {
    this.#flush();
  }

  /** Opens the file again by its name, for log rotation. Rejects if that fails, and continues with the old file. */
  async reopen(): Promise<void> {
    if (typeof this.#target !== "object") return;
    this.#flush();
    const fd = await openFile(this.#target);
    const before = this.#fd;
    if (before !== undefined) this.#fd = fd;
    this.#cut = false;
    const unused = before === undefined ? fd : before;
    // A write that has begun ends in the file that it began in.
    if (!this.#writing || this.#writingTo !== unused) close(unused);
  }

  /** Writes all collected lines and closes the file. Waits for a slow target for 1.5 s at most. */
  async close(): Promise<void> {
    this.#flush();
    await within(CLOSE_MS, this.#settled());
    clearTimeout(this.#timer);
    clearTimeout(this.#recovery);
    const fd = this.#fd;
    this.#fd = undefined;
    if (this.#failing) this.#watcher.givenUp();
    this.#failing = true;
    this.#lose(this.#gathered.bytes.subarray(0, this.#end), "slow");
    this.#end = 0;
    if (this.#writing) {
      this.#lose(this.#unwritten, "slow");
      return;
    }
    if (fd !== undefined && typeof this.#target === "object")
      await new Promise<void>((resolve) => close(fd, () => resolve()));
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isDue = this.#writing;
    const gathered = this.#gathered;
    if (this.#writing || this.#end === 0 || this.#fd === undefined) return;
    const full = gathered.bytes;
    const lines = full.subarray(0, this.#end);
    const bytes = this.#cut ? Buffer.concat([Buffer.of(LINE_END), lines]) : lines;
    gathered.bytes = this.#spare;
    this.#spare = full;
    this.#end = 0;
    this.#writing = true;
    this.#batchFrom = bytes.byteOffset;
    this.#write(this.#fd, bytes);
  }

  #drop(lines: number, code: string): void {
    clearTimeout(this.#recovery);
    this.#recovery = undefined;
    this.#watcher.dropped(lines);
    if (this.#failing) return;
    this.#failing = true;
    this.#watcher.fails(code);
  }

  /** A write has succeeded. After some time without a loss the log counts as recovered. */
  #recover(): void {
    this.#recovery ??= setTimeout(() => {
      this.#recovery = undefined;
      this.#failing = false;
      this.#watcher.recovered();
    }, RECOVERY_MS).unref();
  }

  #lose(bytes: Buffer, code: string): void {
    let lines = 0;
    // A line end at the start belongs to a line that was cut off and counted before.
    for (let at = bytes.indexOf(LINE_END, 1); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) lines += 1;
    if (lines > 0) this.#drop(lines, code);
  }

  /** A write has failed; `bytes` are the bytes of the lines that were not written. */
  #failed(fd: number, bytes: Buffer, code: string): void {
    if (this.#cut && typeof this.#target === "object" && this.#target.whole === true) this.#takeBack(fd, bytes);
    this.#lose(bytes, code);
  }

  /** Removes the partial line at the end of the file. */
  #takeBack(fd: number, rest: Buffer): void {
    const written = new Uint8Array(rest.buffer, this.#batchFrom, rest.byteOffset - this.#batchFrom);
    const part = written.length - (written.lastIndexOf(LINE_END) + 1);
    try {
      const { size } = fstatSync(fd);
      if (part === 0 || part > size) return;
      ftruncateSync(fd, size - part);
      this.#cut = false;
    } catch {
      // The target is not a regular file: the next line ends the partial one.
    }
  }

  async #settled(): Promise<void> {
    while (this.#writing) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #write(fd: number, bytes: Buffer): void {
    this.#unwritten = bytes;
    this.#writingTo = fd;
    write(fd, bytes, (error, written) => {
      const blocked = error?.code === "EAGAIN";
      if (this.#fd === undefined) {
        // The file was closed or replaced meanwhile, except for the descriptor of this write.
        if (typeof this.#target === "object") close(fd);
        return;
      }
      if (error === null) this.#cut = bytes[written - 1] !== LINE_END;
      else if (!blocked) this.#failed(fd, bytes, error.code ?? "unknown");
      const rest = bytes.subarray(blocked ? 0 : written);
      if (rest.length > 0 && (error === null || blocked)) {
        setTimeout(() => this.#write(fd, rest), blocked ? 10 : 0);
        return;
      }
      this.#writing = false;
      if (error === null && this.#failing) this.#recover();
      if (fd !== this.#fd && typeof this.#target === "object") close(fd);
      if (this.#isDue) this.#flush();
      if (!this.#writing) for (const resolve of this.#idle.splice(0)) resolve();
    });
  }
}
