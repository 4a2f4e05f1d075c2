/** The configuration's file: its bytes as they were last read or written here, and whether it still has them. */
import { readFileSync, type Stats, statSync } from "node:fs";
import { codeOf } from "../../../lib/caught.ts";

/** A file that was changed less than so many milliseconds before it was looked at may change again within one tick of its clock. */
const TICK_MS = 2000;

export class ConfigFile {
  readonly path: string;
  #bytes: Uint8Array | undefined;
  /** What the last look told, and whether it has other bytes; undefined: it has to be read. */
  #seen: { readonly sign: string; readonly isOther: boolean } | undefined;

  /** `bytes` is what it was read with; undefined: there was none. */
  constructor(path: string, bytes: Uint8Array | undefined) {
    this.path = path;
    this.#bytes = bytes;
  }

  /** As it was last read or written here, a byte order mark included. */
  get text(): string {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.#bytes);
  }

  /** It was read or written with these. */
  hasNow(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#seen = undefined;
  }

  /** It is no longer what was read or written here. What cannot be looked at is not. */
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
    this.#seen = Date.now() - stats.ctimeMs > TICK_MS ? { sign, isOther } : undefined;
    return isOther;
  }
}

function signOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return JSON.stringify([dev, ino, size, mtimeMs, ctimeMs]);
}
