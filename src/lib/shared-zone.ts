import { closeSync, constants, openSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { messageOf } from "./caught.ts";

/** A file without a name (Linux): there is nothing to clean up, however its processes end. */
const UNNAMED = 0o20000000 | constants.O_DIRECTORY;
/** What every row and region begins at: two processes that write beside each other do not share a cache line. */
const ALIGN_BYTES = 64;
/** The most bytes that a zone may have; more is a mistake in its shape. */
const MAX_ZONE_BYTES = 256 * 1024 * 1024;

/** How many numbers a zone holds. */
export interface ZoneShape {
  /** Processes that write, each into rows of its own. */
  readonly rows: number;
  /** Numbers in a row of counters. */
  readonly counters: number;
  /** Integers in a row of cells. */
  readonly cells: number;
  /** Bytes that all processes write; left out: none. */
  readonly common?: number;
}

/**
 * Numbers that the processes of one server share, and little else. Every row has one writer, so that it needs no lock:
 * a number is written with one store, and whoever dies leaves each number as it was or as it should be.
 *
 * Counters are plain numbers, added to in a nanosecond and exact up to 2^53. Cells are 32-bit integers for `Atomics`: what one
 * process decides by what the others have. The common part is all processes' alone: what lies there is changed by one
 * compare-and-exchange at a time, so that nobody can die with it half changed.
 *
 *   counters of row 0 │ counters of row 1 │ … │ cells of row 0 │ cells of row 1 │ … │ common
 * Decision 0103.
 */
export class SharedZone {
  readonly shape: ZoneShape;
  /** What another process opens the same zone by; undefined where the memory is this process's own. */
  readonly fd: number | undefined;
  /** False: the memory is this process's own. */
  readonly isShared: boolean;
  readonly #memory: ArrayBufferLike;

  private constructor(shape: ZoneShape, memory: ArrayBufferLike, fd: number | undefined, isShared = true) {
    this.shape = shape;
    this.#memory = memory;
    this.fd = fd;
    this.isShared = isShared;
  }

  /** A zone for one process. */
  static local(shape: ZoneShape): SharedZone {
    return new SharedZone(shape, new ArrayBuffer(bytesOf(shape)), undefined, false);
  }

  /** Makes a zone that other processes can open by its `fd`. Throws where no folder for it has room. */
  static create(shape: ZoneShape): SharedZone {
    const fd = openUnnamed(bytesOf(shape));
    return new SharedZone(shape, mapped(fd), fd);
  }

  /** Opens the zone that `create` made, by the descriptor that this process got of it, and closes that. */
  static open(shape: ZoneShape, fd: number): SharedZone {
    const memory = mapped(fd);
    closeSync(fd);
    if (memory.byteLength < bytesOf(shape)) throw new Error("Cannot open the shared memory: it is of another shape");
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

  /** The bytes that every process writes; they begin as zeros. */
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

/** A file of `bytes` zeros that only this user can reach and nobody by name; in memory where the system has such a folder. */
function openUnnamed(bytes: number): number {
  const reasons: string[] = [];
  for (const folder of ["/dev/shm", tmpdir()]) {
    let fd: number | undefined;
    try {
      fd = openIn(folder);
      // Written and not just made that long: where a page cannot be had, that shows here and not as a signal later.
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
    // Some file systems know no files without a name: one that loses its name at once is next to it.
    const path = `${folder}/turnpike-${process.pid}-${crypto.randomUUID()}`;
    const fd = openSync(path, "wx+", 0o600);
    unlinkSync(path);
    return fd;
  }
}

function fill(fd: number, bytes: number): void {
  const zeros = new Uint8Array(bytes);
  for (let at = 0; at < bytes; ) at += writeSync(fd, zeros, at);
}
