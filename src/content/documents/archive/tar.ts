import { FileError } from "../kinds/file-error.ts";

export interface ListedFile {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  readonly modified?: Date;
}

/** Bytes of a block (POSIX pax, ustar interchange format). */
const BLOCK = 512;
/** Bytes of a name that has blocks of its own. @bound */
const MAX_NAME_BYTES = 64 * 1024;

/** Finds the headers in the bytes of a tar file, which come in pieces. */
export class TarLister {
  readonly files: ListedFile[] = [];
  #rest = Buffer.alloc(0);
  /** Bytes of a file to pass over. */
  #skip = 0;
  /** The name of the next file, from blocks of its own. */
  #longName: string | undefined;
  #nameBytes: { size: number; type: string } | undefined;
  isEnded = false;

  write(piece: Uint8Array): void {
    let bytes = Buffer.concat([this.#rest, piece]);
    while (!this.isEnded) {
      const passed = Math.min(this.#skip, bytes.length);
      bytes = bytes.subarray(passed);
      this.#skip -= passed;
      const needed = this.#nameBytes === undefined ? BLOCK : blocksOf(this.#nameBytes.size);
      if (this.#skip > 0 || bytes.length < needed) break;
      if (this.#nameBytes === undefined) this.#header(bytes.subarray(0, BLOCK));
      else this.#name(bytes.subarray(0, this.#nameBytes.size), this.#nameBytes.type);
      bytes = bytes.subarray(needed);
    }
    this.#rest = Buffer.from(bytes);
  }

  #header(header: Buffer): void {
    if (header.every((byte) => byte === 0)) {
      this.isEnded = true;
      return;
    }
    if (!isTarHeader(header)) throw new FileError("it is a damaged tar file");
    const text = (start: number, length: number): string => textAt(header, start, length);
    const size = sizeOf(header);
    const type = text(156, 1);
    if (type === "L" || type === "x") {
      if (size > MAX_NAME_BYTES) throw new FileError("it is a tar file with a name that is too long");
      this.#nameBytes = { size, type };
      return;
    }
    this.#skip = blocksOf(size);
    if (type === "g" || type === "K") return;
    const prefix = text(257, 5) === "ustar" ? text(345, 155) : "";
    const name = this.#longName ?? (prefix === "" ? text(0, 100) : `${prefix}/${text(0, 100)}`);
    this.#longName = undefined;
    const seconds = Number.parseInt(text(136, 12), 8);
    this.files.push({ name, size, ...(seconds > 0 ? { modified: new Date(seconds * 1000) } : {}) });
  }

  #name(bytes: Buffer, type: string): void {
    const text = bytes.toString("utf8");
    this.#longName = type === "L" ? text.replace(/\0.*$/s, "") : /(?:^|\n)\d+ path=([^\n]*)/.exec(text)?.[1];
    this.#nameBytes = undefined;
  }
}

function blocksOf(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}

function textAt(header: Buffer, start: number, length: number): string {
  return header
    .subarray(start, start + length)
    .toString("utf8")
    .replace(/\0.*$/s, "");
}

/** A size in octal digits, or in base 256 if its first bit is set. */
function sizeOf(header: Buffer): number {
  const first = header[124] ?? 0;
  const size =
    (first & 0x80) === 0
      ? Number.parseInt(textAt(header, 124, 12).trim() || "0", 8)
      : Number(header.readBigUInt64BE(128));
  if (!Number.isSafeInteger(size) || size < 0) throw new FileError("it is a damaged tar file");
  return size;
}

/** Whether a block is a header: its checksum counts its own bytes as spaces. */
export function isTarHeader(block: Uint8Array): boolean {
  if (block.length < BLOCK) return false;
  const header = Buffer.from(block.buffer, block.byteOffset, BLOCK);
  const stated = Number.parseInt(textAt(header, 148, 8).trim(), 8);
  let sum = 0;
  for (const [at, byte] of header.entries()) sum += at >= 148 && at < 156 ? 0x20 : byte;
  return sum === stated;
}
