import { createInflateRaw, inflateRawSync } from "node:zlib";
import { codeOf } from "../../../lib/caught.ts";
import { FileError } from "../kinds/file-error.ts";

/** Bytes that one step reads. @bound */
const PIECE_BYTES = 64 * 1024;

/** Bytes in pieces that share their memory. */
export function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

/** Entries of a zip file. A file with more is rejected. @operator */
const MAX_ENTRIES = 20_000;
/** Bytes of one entry of a zip file after decompression, and of all entries that are read. @operator */
const MAX_PART_BYTES = 64 * 1024 * 1024;
const MAX_FILE_BYTES = 256 * 1024 * 1024;
/** Maximum ratio of the bytes of an entry to its compressed ones, and the bytes up to which any ratio is accepted. */
const MAX_RATIO = 250;
const FREE_BYTES = 4 * 1024 * 1024;
/** Bytes of the end record with the longest comment (APPNOTE 4.3.16). @bound */
const MAX_END_LENGTH = 22 + 65_535;

const LONGER = "it has a part that is longer than it says";
const END = 0x06054b50;
const END64_LOCATOR = 0x07064b50;
const END64 = 0x06064b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;

/** An entry of the central directory of a zip file. The name is as the file has it, and is never used as a path. */
export interface ZipEntry {
  readonly name: string;
  /** Bytes after decompression, as the directory says. */
  readonly size: number;
  readonly packed: number;
  readonly isEncrypted: boolean;
  readonly method: number;
  /** The place of its local header. */
  readonly at: number;
}

/** Reads entries of a zip file (APPNOTE 6.3) within bounds of their number, size and compression. */
export class ZipFile {
  readonly entries: readonly ZipEntry[];
  readonly #bytes: Buffer;
  /** By names in lower case, since names of parts are compared so (ECMA-376-2 §7.2.3.5). */
  readonly #byName = new Map<string, ZipEntry>();
  #read = 0;

  /** Throws a FileError if the directory is not valid. */
  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.entries = entriesOf(this.#bytes);
    for (const entry of this.entries) {
      const name = entry.name.toLowerCase();
      if (this.#byName.has(name)) throw new FileError("it is a zip file with two entries of one name");
      this.#byName.set(name, entry);
    }
  }

  has(name: string): boolean {
    return this.#byName.has(name.toLowerCase());
  }

  /** The bytes of an entry in pieces. Throws a FileError if it is not there, damaged or too long. */
  async *pieces(name: string): AsyncGenerator<Uint8Array> {
    const entry = this.#byName.get(name.toLowerCase());
    if (entry === undefined) throw new FileError(`its part '${name.slice(0, 100)}' is missing`);
    if (entry.isEncrypted) throw new FileError("it requires a password", "unsupported-type");
    if (entry.size > MAX_PART_BYTES) throw tooLong();
    const packed = packedBytes(this.#bytes, entry);
    const most = Math.min(entry.size, Math.max(FREE_BYTES, entry.packed * MAX_RATIO));
    if (entry.size > most) throw tooLong();
    let length = 0;
    for await (const piece of inflated(packed, entry.method, most)) {
      length += piece.length;
      this.#read += piece.length;
      if (length > most) throw new FileError(LONGER);
      if (this.#read > MAX_FILE_BYTES) throw tooLong();
      yield piece;
    }
    if (length < entry.size) throw new FileError("it is a damaged zip file");
  }

  /** All bytes of an entry, at most `max`. */
  async bytes(name: string, max = MAX_PART_BYTES): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    let length = 0;
    for await (const piece of this.pieces(name)) {
      length += piece.length;
      if (length > max) throw tooLong();
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }
}

function tooLong(): FileError {
  return new FileError("it is a compressed file that expands too much");
}

/** The bytes of an entry, which has at most this many. */
async function* inflated(packed: Buffer, method: number, most: number): AsyncGenerator<Uint8Array> {
  if (method === 0) {
    yield* piecesOf(packed);
    return;
  }
  // The steps of a stream cost more than the decompression of a short part.
  if (most <= FREE_BYTES) {
    yield inflatedAtOnce(packed, most);
    return;
  }
  const stream = createInflateRaw({ chunkSize: PIECE_BYTES });
  stream.end(packed);
  try {
    // Node's types do not say that the pieces are buffers.
    for await (const piece of stream) yield piece as Buffer;
  } catch (error) {
    throw error instanceof FileError ? error : new FileError("it is a damaged zip file");
  } finally {
    stream.destroy();
  }
}

function inflatedAtOnce(packed: Buffer, most: number): Uint8Array {
  try {
    return inflateRawSync(packed, { maxOutputLength: most + 1 });
  } catch (error) {
    throw new FileError(codeOf(error) === "ERR_BUFFER_TOO_LARGE" ? LONGER : "it is a damaged zip file");
  }
}

function packedBytes(file: Buffer, { at, packed, method }: ZipEntry): Buffer {
  if (method !== 0 && method !== 8) throw new FileError("it is compressed by a method that is not supported");
  if (at + 30 > file.length || file.readUInt32LE(at) !== LOCAL) throw new FileError("it is a damaged zip file");
  const start = at + 30 + file.readUInt16LE(at + 26) + file.readUInt16LE(at + 28);
  if (start + packed > file.length) throw new FileError("it is a zip file that was cut off");
  return file.subarray(start, start + packed);
}

interface Directory {
  readonly count: number;
  readonly size: number;
  readonly at: number;
  /** Bytes before the zip file. */
  readonly shift: number;
}

function entriesOf(file: Buffer): ZipEntry[] {
  const { count, size, at, shift } = directoryOf(file);
  if (count > MAX_ENTRIES) throw new FileError(`it is a zip file with more than ${MAX_ENTRIES} entries`);
  const end = at + shift + size;
  const entries: ZipEntry[] = [];
  let packed = 0;
  for (let next = at + shift; entries.length < count; ) {
    if (next + 46 > end || file.readUInt32LE(next) !== CENTRAL) throw new FileError("it is a damaged zip file");
    const nameEnd = next + 46 + file.readUInt16LE(next + 28);
    const extraEnd = nameEnd + file.readUInt16LE(next + 30);
    if (extraEnd > end) throw new FileError("it is a damaged zip file");
    const entry = entryOf(file, next, { nameEnd, extraEnd, shift });
    packed += entry.packed;
    entries.push(entry);
    next = extraEnd + file.readUInt16LE(next + 32);
  }
  // Entries that share their bytes expand to more than any ratio allows.
  if (packed > file.length) throw new FileError("it is a zip file whose entries overlap");
  return entries;
}

/** The ends of the name and of the extra fields of an entry of the directory, and the bytes before the zip file. */
interface Place {
  readonly nameEnd: number;
  readonly extraEnd: number;
  readonly shift: number;
}

function entryOf(file: Buffer, at: number, { nameEnd, extraEnd, shift }: Place): ZipEntry {
  const flags = file.readUInt16LE(at + 8);
  const sizes = {
    packed: file.readUInt32LE(at + 20),
    size: file.readUInt32LE(at + 24),
    at: file.readUInt32LE(at + 42),
  };
  const wide = wideOf(file.subarray(nameEnd, extraEnd), sizes);
  return {
    name: entryName(file.subarray(at + 46, nameEnd)),
    ...wide,
    at: wide.at + shift,
    isEncrypted: (flags & 1) !== 0,
    method: file.readUInt16LE(at + 10),
  };
}

type Sizes = Pick<ZipEntry, "packed" | "size" | "at">;

/** The sizes with those of the zip64 field, which has a number for each that does not fit (APPNOTE 4.5.3). */
function wideOf(extra: Buffer, sizes: Sizes): Sizes {
  let next = 0;
  while (next + 4 <= extra.length) {
    const end = next + 4 + extra.readUInt16LE(next + 2);
    if (extra.readUInt16LE(next) === 1 && end <= extra.length) {
      let from = next + 4;
      const number = (narrow: number): number => {
        if (narrow !== 0xffffffff || from + 8 > end) return narrow;
        from += 8;
        return Number(extra.readBigUInt64LE(from - 8));
      };
      const size = number(sizes.size);
      return { size, packed: number(sizes.packed), at: number(sizes.at) };
    }
    next = end;
  }
  return sizes;
}

function entryName(bytes: Buffer): string {
  const name = bytes.toString("utf8");
  return name.includes("\uFFFD") ? bytes.toString("latin1") : name;
}

function directoryOf(file: Buffer): Directory {
  const end = endOf(file);
  const narrow = {
    count: file.readUInt16LE(end + 10),
    size: file.readUInt32LE(end + 12),
    at: file.readUInt32LE(end + 16),
  };
  const wide = wideDirectory(file, end);
  const { count, size, at } = wide ?? narrow;
  const shift = (wide?.end ?? end) - size - at;
  if (shift < 0 || !Number.isSafeInteger(shift)) throw new FileError("it is a damaged zip file");
  return { count, size, at, shift };
}

function endOf(file: Buffer): number {
  const last = file.length - 22;
  for (let at = last; at >= Math.max(0, file.length - MAX_END_LENGTH); at -= 1) {
    if (file.readUInt32LE(at) === END) return at;
  }
  throw new FileError("it is a zip file that was cut off");
}

function wideDirectory(file: Buffer, end: number): (Omit<Directory, "shift"> & { readonly end: number }) | undefined {
  const locator = end - 20;
  if (locator < 0 || file.readUInt32LE(locator) !== END64_LOCATOR) return undefined;
  const at = locator - 56;
  if (at < 0 || file.readUInt32LE(at) !== END64) throw new FileError("it is a damaged zip file");
  const number = (offset: number): number => Number(file.readBigUInt64LE(at + offset));
  return { count: number(32), size: number(40), at: number(48), end: at };
}
