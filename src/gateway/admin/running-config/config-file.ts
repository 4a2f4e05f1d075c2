/** The configuration file: its bytes when this program last read or wrote it, and whether they have changed since. */
import { readFileSync, type Stats, statSync } from "node:fs";
import { codeOf } from "../../../lib/caught.ts";

/** Milliseconds. A file that changed this recently can change again within one tick of its clock. */
const TICK_MS = 2000;

/** The configuration file, with the bytes that this program last read or wrote. */
export class ConfigFile {
  readonly path: string;
  readonly #clock: () => number;
  #bytes: Uint8Array | undefined;
  /** The file's state at the last check, and whether its bytes were different; undefined: the file must be read. */
  #seen: { readonly sign: string; readonly isOther: boolean } | undefined;

  /** `bytes` is the content of the file when it was read; undefined if there was no file. `clock` returns Unix milliseconds. */
  constructor(path: string, bytes: Uint8Array | undefined, clock: () => number = Date.now) {
    this.path = path;
    this.#clock = clock;
    this.#bytes = bytes;
  }

  /** The text when this program last read or wrote the file, with a byte order mark if it has one. */
  get text(): string {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.#bytes);
  }

  /** Remembers the bytes that were read or written. */
  hasNow(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#seen = undefined;
  }

  /** True if the file is not what this program last read or wrote, or cannot be checked. */
  get changed(): boolean {
    try {
      return this.#isOther(statSync(this.path));
    } catch (error) {
      const code = codeOf(error);
      if (code === undefined) throw error;
      return this.#bytes !== undefined || code !== "ENOENT";
    }
  }

  #isOther(stats: Stats): boolean {
    const sign = signOf(stats);
    if (sign === this.#seen?.sign) return this.#seen.isOther;
    const bytes = this.#bytes;
    const isOther = bytes === undefined || stats.size !== bytes.length || !readFileSync(this.path).equals(bytes);
    this.#seen = this.#clock() - stats.ctimeMs > TICK_MS ? { sign, isOther } : undefined;
    return isOther;
  }
}

function signOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return JSON.stringify([dev, ino, size, mtimeMs, ctimeMs]);
}
