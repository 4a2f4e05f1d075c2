import { close, open, write } from "node:fs";

/** Bytes gathered before they are written. */
const FLUSH_BYTES = 32_768;
/** Milliseconds that a line waits at most. */
const FLUSH_MS = 200;
/** Bytes that may wait for a slow disk or pipe; lines beyond it are dropped and counted. */
const MAX_PENDING_BYTES = 1_048_576;

/** Where lines go: an open descriptor, or a file that lines are added to. */
export type LineTarget = "stdout" | "stderr" | { readonly file: string };

/** Writes lines in batches and never waits for the disk: what a slow one cannot take is dropped and counted. */
export class LineWriter {
  readonly #target: LineTarget;
  #fd: number | undefined;
  #gathered = "";
  #writing = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #idle: (() => void)[] = [];
  dropped = 0;

  private constructor(target: LineTarget, fd: number) {
    this.#target = target;
    this.#fd = fd;
  }

  /** Rejects where the file cannot be opened for appending. */
  static async open(target: LineTarget): Promise<LineWriter> {
    if (target === "stdout") return new LineWriter(target, 1);
    if (target === "stderr") return new LineWriter(target, 2);
    const fd = await new Promise<number>((resolve, reject) => {
      open(target.file, "a", 0o640, (error, opened) => (error === null ? resolve(opened) : reject(error)));
    });
    return new LineWriter(target, fd);
  }

  /** Takes one line, without its line end. */
  line(text: string): void {
    if (this.#fd === undefined || this.#gathered.length > MAX_PENDING_BYTES) {
      this.dropped++;
      return;
    }
    this.#gathered += `${text}\n`;
    if (this.#gathered.length >= FLUSH_BYTES) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS);
  }

  /** Writes what was gathered and closes the file. */
  async close(): Promise<void> {
    this.#flush();
    while (this.#writing) await new Promise<void>((resolve) => this.#idle.push(resolve));
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd !== undefined && typeof this.#target === "object")
      await new Promise<void>((resolve) => close(fd, () => resolve()));
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#writing || this.#gathered === "" || this.#fd === undefined) return;
    const bytes = Buffer.from(this.#gathered);
    this.#gathered = "";
    this.#writing = true;
    this.#write(this.#fd, bytes);
  }

  #write(fd: number, bytes: Buffer): void {
    write(fd, bytes, (error, written) => {
      const blocked = error?.code === "EAGAIN";
      if (error !== null && !blocked) this.dropped++;
      const rest = bytes.subarray(blocked ? 0 : written);
      if (rest.length > 0 && (error === null || blocked)) {
        setTimeout(() => this.#write(fd, rest), blocked ? 10 : 0);
        return;
      }
      this.#writing = false;
      this.#flush();
      if (!this.#writing) for (const resolve of this.#idle.splice(0)) resolve();
    });
  }
}
