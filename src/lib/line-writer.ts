import { close, constants, fstatSync, ftruncateSync, open, write } from "node:fs";
import { LineBytes } from "./line-bytes.ts";

/**
 * Bytes gathered before they are written: a write of the runtime's costs as much as a hundred lines. As many are left for the
 * line that comes next: 32 KiB of a request head become 192 KiB where each character is written as `\u0080` is.
 */
const FLUSH_BYTES = 262_144;
/** Milliseconds that a line waits at most. */
const FLUSH_MS = 200;
/** Bytes that may wait for a slow disk or pipe, half of them on their way there; lines beyond it are dropped and counted. */
const MAX_PENDING_BYTES = 1_048_576;
const HALF = MAX_PENDING_BYTES / 2;
const LINE_END = 10;

/** Milliseconds that closing waits for a slow disk or pipe; what it has not taken then is lost and counted. */
const CLOSE_MS = 1500;

const NOTHING = Buffer.alloc(0);

/** Milliseconds without a loss after which a log is not in trouble any more. */
const RECOVERY_MS = 1000;

/** Hears what becomes of lines. */
export interface LineWatcher {
  /** So many lines are lost. */
  dropped(lines: number): void;
  /** The first was lost since the start, or since `recovered`: the system's code says why, or `slow`. */
  fails(code: string): void;
  /** Lines are written again. */
  recovered(): void;
  /** It was closed while it failed. */
  givenUp(): void;
}

/** A file that lines are added to. */
export interface LineFile {
  readonly file: string;
  /** Left out: 0640. */
  readonly mode?: number;
  /** Nobody else writes to it, and it must hold no part of a line: one that a full disk cut off is taken back. */
  readonly whole?: boolean;
}

/** Where lines go: an open descriptor, or a file. */
export type LineTarget = "stdout" | "stderr" | LineFile;

const DEFAULT_MODE = 0o640;

const { O_APPEND, O_CREAT, O_NONBLOCK, O_RDWR, O_WRONLY } = constants;
const ADDING = O_APPEND | O_CREAT | O_NONBLOCK;

/** A pipe that nobody reads must not hold anyone up: it is opened from both sides, and holds what it can (fifo(7)). */
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

/** Writes lines in batches and never waits for the disk: what a slow one cannot take is dropped and counted. */
export class LineWriter {
  readonly #target: LineTarget;
  #fd: number | undefined;
  /** Where lines are gathered, and what is written of it meanwhile: made when first needed. */
  readonly #gathered = new LineBytes(NOTHING);
  #spare: Buffer = NOTHING;
  /** Where the lines end that are whole: behind it is the one that is being added, or what a throw has left of one. */
  #end = 0;
  #writing = false;
  /** Who writes to it closes it. */
  #writingTo = -1;
  /** What the write under way was given. */
  #unwritten: Buffer = NOTHING;
  /** Where the lines of the write under way begin in their memory. */
  #batchFrom = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #idle: (() => void)[] = [];
  readonly #watcher: LineWatcher;
  /** A line was lost, and it is not known yet that all is well again. */
  #failing = false;
  #recovery: ReturnType<typeof setTimeout> | undefined;
  /** The file ends within a line, whose rest was lost. */
  #cut = false;

  private constructor(target: LineTarget, fd: number, watcher: LineWatcher) {
    this.#target = target;
    this.#fd = fd;
    this.#watcher = watcher;
  }

  /** Rejects where the file cannot be opened for appending. */
  static async open(target: LineTarget, watcher: LineWatcher): Promise<LineWriter> {
    if (target === "stdout") return new LineWriter(target, 1, watcher);
    if (target === "stderr") return new LineWriter(target, 2, watcher);
    return new LineWriter(target, await openFile(target), watcher);
  }

  /** Where to write the next line, before `end` is called. Undefined once closed: the line is lost. */
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

  /** Takes the line that was written; drops it where there was no room. */
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

  /** Writes at once what was gathered. */
  flush(): void {
    this.#flush();
  }

  /** Opens the file by its name again, which another one may have by now. Rejects, and goes on as before, where it cannot. */
  async reopen(): Promise<void> {
    if (typeof this.#target !== "object") return;
    this.#flush();
    const fd = await openFile(this.#target);
    const before = this.#fd;
    if (before !== undefined) this.#fd = fd;
    this.#cut = false;
    const unused = before === undefined ? fd : before;
    // What a write has begun it ends in the file that it was begun in.
    if (!this.#writing || this.#writingTo !== unused) close(unused);
  }

  /** Writes what was gathered and closes the file; waits for a slow one 1.5 s at most. */
  async close(): Promise<void> {
    this.#flush();
    const patience = Promise.withResolvers<void>();
    const timer = setTimeout(patience.resolve, CLOSE_MS);
    await Promise.race([this.#settled(), patience.promise]);
    clearTimeout(timer);
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

  /** A write went well: without a loss for a while, all is well. */
  #recover(): void {
    this.#recovery ??= setTimeout(() => {
      this.#recovery = undefined;
      this.#failing = false;
      this.#watcher.recovered();
    }, RECOVERY_MS).unref();
  }

  #lose(bytes: Buffer, code: string): void {
    let lines = 0;
    // An end without a line before it belongs to one that was cut: that was counted.
    for (let at = bytes.indexOf(LINE_END, 1); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) lines += 1;
    if (lines > 0) this.#drop(lines, code);
  }

  /** A write has failed; `bytes` is what was not written of the lines. */
  #failed(fd: number, bytes: Buffer, code: string): void {
    if (this.#cut && typeof this.#target === "object" && this.#target.whole === true) this.#takeBack(fd, bytes);
    this.#lose(bytes, code);
  }

  /** Removes the part of a line that the file ends with. */
  #takeBack(fd: number, rest: Buffer): void {
    const written = new Uint8Array(rest.buffer, this.#batchFrom, rest.byteOffset - this.#batchFrom);
    const part = written.length - (written.lastIndexOf(LINE_END) + 1);
    try {
      const { size } = fstatSync(fd);
      if (part === 0 || part > size) return;
      ftruncateSync(fd, size - part);
      this.#cut = false;
    } catch {
      // It is no regular file: the next line ends the one that was cut.
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
        // Closed meanwhile, but for the descriptor that this write was using.
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
      this.#flush();
      if (!this.#writing) for (const resolve of this.#idle.splice(0)) resolve();
    });
  }
}
