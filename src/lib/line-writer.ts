import { close, constants, open, write } from "node:fs";
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

/** Where lines go: an open descriptor, or a file that lines are added to. */
export type LineTarget = "stdout" | "stderr" | { readonly file: string };

const { O_APPEND, O_CREAT, O_NONBLOCK, O_RDWR, O_WRONLY } = constants;
const ADDING = O_APPEND | O_CREAT | O_NONBLOCK;

/** A pipe that nobody reads must not hold anyone up: it is opened from both sides, and holds what it can (fifo(7)). */
async function openFile(path: string): Promise<number> {
  return await openBy(path, O_WRONLY).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENXIO") return openBy(path, O_RDWR);
    throw error;
  });
}

function openBy(path: string, access: number): Promise<number> {
  return new Promise((resolve, reject) => {
    open(path, ADDING | access, 0o640, (error, opened) => (error === null ? resolve(opened) : reject(error)));
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
  #timer: ReturnType<typeof setTimeout> | undefined;
  #idle: (() => void)[] = [];
  readonly #onDropped: (lines: number) => void;

  private constructor(target: LineTarget, fd: number, onDropped: (lines: number) => void) {
    this.#target = target;
    this.#fd = fd;
    this.#onDropped = onDropped;
  }

  /** `onDropped` is told of lines that are lost. Rejects where the file cannot be opened for appending. */
  static async open(target: LineTarget, onDropped: (lines: number) => void): Promise<LineWriter> {
    if (target === "stdout") return new LineWriter(target, 1, onDropped);
    if (target === "stderr") return new LineWriter(target, 2, onDropped);
    return new LineWriter(target, await openFile(target.file), onDropped);
  }

  /** Where to write the next line, before `end` is called. Undefined once closed: the line is lost. */
  begin(): LineBytes | undefined {
    const gathered = this.#gathered;
    if (this.#fd === undefined) {
      this.#onDropped(1);
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
      this.#onDropped(1);
      return;
    }
    gathered.bytes[gathered.at] = LINE_END;
    this.#end = gathered.at + 1;
    if (this.#end >= FLUSH_BYTES) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS);
  }

  /** Opens the file by its name again, which another one may have by now. Rejects, and goes on as before, where it cannot. */
  async reopen(): Promise<void> {
    if (typeof this.#target !== "object") return;
    this.#flush();
    const fd = await openFile(this.#target.file);
    const before = this.#fd;
    if (before !== undefined) this.#fd = fd;
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
    const fd = this.#fd;
    this.#fd = undefined;
    this.#lose(this.#gathered.bytes.subarray(0, this.#end));
    this.#end = 0;
    if (this.#writing) {
      this.#lose(this.#unwritten);
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
    const bytes = full.subarray(0, this.#end);
    gathered.bytes = this.#spare;
    this.#spare = full;
    this.#end = 0;
    this.#writing = true;
    this.#write(this.#fd, bytes);
  }

  #lose(bytes: Buffer): void {
    let lines = 0;
    for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) lines += 1;
    if (lines > 0) this.#onDropped(lines);
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
      if (error !== null && !blocked) this.#lose(bytes);
      const rest = bytes.subarray(blocked ? 0 : written);
      if (rest.length > 0 && (error === null || blocked)) {
        setTimeout(() => this.#write(fd, rest), blocked ? 10 : 0);
        return;
      }
      this.#writing = false;
      if (fd !== this.#fd && typeof this.#target === "object") close(fd);
      this.#flush();
      if (!this.#writing) for (const resolve of this.#idle.splice(0)) resolve();
    });
  }
}
