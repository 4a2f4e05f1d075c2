import { closeSync, constants, openSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { messageOf } from "../caught.ts";
import { uniqueName } from "../text/unique-name.ts";

/** Opens a file without a name (Linux). It disappears with its last process, however that process ends. */
const UNNAMED = 0o20000000 | constants.O_DIRECTORY;
/** Alignment of every row and region, so that two processes do not write to the same cache line. */
const ALIGN_BYTES = 64;
/** Maximum number of bytes that a zone may have; more is a mistake in its shape. */
const MAX_ZONE_BYTES = 256 * 1024 * 1024;

export interface ZoneShape {
  /** Processes that write. Each writes to rows of its own. */
  readonly rows: number;
  readonly counters: number;
  /** Integers in a row of cells. */
  readonly cells: number;
  /** Bytes that all processes write to. Default: 0. */
  readonly common?: number;
}

/**
 * Numbers that the processes of one server share. Every row has one writer, so it needs no lock. A number is written
 * with one store, so a process that dies leaves either the old or the new number.
 *
 * Counters are floating-point numbers. An addition takes a nanosecond, and they are exact up to 2^53. Cells are 32-bit
 * integers for `Atomics`: one process uses them for decisions that depend on the others. All processes write to the
 * common part, each time with one compare-and-exchange, so a process that dies cannot leave a partial change.
 *
 *   counters of row 0 │ counters of row 1 │ … │ cells of row 0 │ cells of row 1 │ … │ common
 *
 * The file has no name: no other program can open it, and it disappears with the server. The successor of a killed worker
 * continues in the same row, and the supervisor clears gauges such as requests in flight.
 */
export class SharedZone {
  readonly shape: ZoneShape;
  /** The descriptor by which another process opens the same zone; undefined if the memory is not shared. */
  readonly fd: number | undefined;
  /** False: the memory belongs only to this process. */
  readonly isShared: boolean;
  readonly #memory: ArrayBufferLike;

  private constructor(shape: ZoneShape, memory: ArrayBufferLike, fd: number | undefined, isShared = true) {
    this.shape = shape;
    this.#memory = memory;
    this.fd = fd;
    this.isShared = isShared;
  }

  static local(shape: ZoneShape): SharedZone {
    return new SharedZone(shape, new ArrayBuffer(bytesOf(shape)), undefined, false);
  }

  /** Makes a zone that other processes can open by its `fd`. Throws if no folder for it has room. */
  static create(shape: ZoneShape): SharedZone {
    const fd = openUnnamed(bytesOf(shape));
    return new SharedZone(shape, mapped(fd), fd);
  }

  /** Opens a zone of `create` by the descriptor that this process was given, and closes the descriptor. */
  static open(shape: ZoneShape, fd: number): SharedZone {
    const memory = mapped(fd);
    closeSync(fd);
    if (memory.byteLength < bytesOf(shape)) throw new Error("Cannot open the shared memory: it has another layout");
    return new SharedZone(shape, memory, undefined);
  }

  counters(row: number): Float64Array {
    const { counters } = this.shape;
    return new Float64Array(this.#memory, this.#checked(row) * counterBytes(this.shape), counters);
  }

  cells(row: number): Int32Array {
    const { rows, cells } = this.shape;
    const start = rows * counterBytes(this.shape);
    return new Int32Array(this.#memory, start + this.#checked(row) * cellBytes(this.shape), cells);
  }

  /** The bytes that every process writes to. They are zeros at first. */
  common(): Uint8Array {
    const { rows, common = 0 } = this.shape;
    const start = rows * (counterBytes(this.shape) + cellBytes(this.shape));
    return new Uint8Array(this.#memory, start, common);
  }

  #checked(row: number): number {
    if (row >= 0 && row < this.shape.rows) return row;
    throw new Error(`Cannot use row ${row} of the shared memory: it has ${this.shape.rows}`);
  }
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / ALIGN_BYTES) * ALIGN_BYTES;
}

function counterBytes(shape: ZoneShape): number {
  return aligned(shape.counters * Float64Array.BYTES_PER_ELEMENT);
}

function cellBytes(shape: ZoneShape): number {
  return aligned(shape.cells * Int32Array.BYTES_PER_ELEMENT);
}

function bytesOf(shape: ZoneShape): number {
  const bytes = shape.rows * (counterBytes(shape) + cellBytes(shape)) + aligned(shape.common ?? 0);
  if (bytes > MAX_ZONE_BYTES) throw new Error(`Cannot share ${bytes} bytes of memory: at most ${MAX_ZONE_BYTES}`);
  return bytes;
}

function mapped(fd: number): ArrayBufferLike {
  return Bun.mmap(`/proc/self/fd/${fd}`, { shared: true }).buffer;
}

/** Opens a nameless file of `bytes` zeros for this user only, in memory if the system has such a folder. */
function openUnnamed(bytes: number): number {
  const reasons: string[] = [];
  for (const folder of ["/dev/shm", tmpdir()]) {
    let fd: number | undefined;
    try {
      fd = openIn(folder);
      // The zeros are written. If the file were only extended, a lack of memory would show later, as a signal.
      fill(fd, bytes);
      return fd;
    } catch (error) {
      if (fd !== undefined) closeSync(fd);
      reasons.push(messageOf(error));
    }
  }
  throw new Error(`Cannot make the shared memory: ${reasons.join("; ")}`);
}

function openIn(folder: string): number {
  try {
    return openSync(folder, UNNAMED | constants.O_RDWR, 0o600);
  } catch {
    // Some file systems do not support files without a name. There the file loses its name at once.
    const path = `${folder}/turnpike-${uniqueName()}`;
    const fd = openSync(path, "wx+", 0o600);
    unlinkSync(path);
    return fd;
  }
}

function fill(fd: number, bytes: number): void {
  const zeros = new Uint8Array(bytes);
  for (let at = 0; at < bytes; ) at += writeSync(fd, zeros, at);
}
