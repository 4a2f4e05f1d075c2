import { type HalfSipHash, sharedHash } from "../../../lib/memory/half-sip-hash.ts";
import { SHARE_CELLS, SHARE_DEPTH, SHARES_FROM } from "../../telemetry/metrics/layout.ts";
import { type WorkerSlot } from "../../telemetry/telemetry.ts";

/** Counters in one line of a worker's table. */
const WIDTH = SHARE_CELLS / SHARE_DEPTH;
/** Deletions after which the map is copied: the runtime keeps old tables of a changing map for long. */
const MAX_DELETED = 4096;

/**
 * Counts the connections of each client address over all workers. A worker counts its own connections exactly. It
 * counts those of the other workers by a count-min sketch in each worker's row of the shared memory (Cormode,
 * Muthukrishnan: "An Improved Data Stream Summary"). An address adds one to a counter in each of four lines. The least
 * of the four is its number, or a little more if other addresses share all four. If a worker dies, the supervisor
 * clears its row. Decision 0104.
 */
export class AddressShares {
  #own = new Map<string, number>();
  #deleted = 0;
  readonly #cells: Int32Array;
  /** The rows of the other workers; empty if this is the only one. */
  readonly #others: readonly Int32Array[];
  readonly #hash: HalfSipHash;
  readonly #at = new Int32Array(SHARE_DEPTH);

  /** `key` is 8 bytes, the same in all workers. */
  constructor({ zone, row }: WorkerSlot, key: BigInt64Array) {
    const rows = Array.from({ length: zone.shape.rows }, (_, index) => zone.cells(index).subarray(SHARES_FROM));
    this.#cells = zone.cells(row).subarray(SHARES_FROM);
    // Row 0 belongs to the supervisor.
    this.#others = rows.filter((_, index) => index !== row && index > 0);
    this.#hash = sharedHash(key);
  }

  /** Counts one more connection of `address`. False if the address has `max` already; then nothing is counted. */
  take(address: string, max: number): boolean {
    const own = this.#own.get(address) ?? 0;
    if (own >= max) return false;
    this.#own.set(address, own + 1);
    if (this.#others.length === 0) return true;
    // Counted before the sum is read: if two workers take the last permit, both must see it.
    this.#add(address, 1);
    if (own + 1 + this.#elsewhere() <= max) return true;
    this.release(address);
    return false;
  }

  release(address: string): void {
    const own = this.#own.get(address) ?? 0;
    if (own > 1) this.#own.set(address, own - 1);
    else {
      this.#own.delete(address);
      if (++this.#deleted > MAX_DELETED) {
        this.#deleted = 0;
        this.#own = new Map(this.#own);
      }
    }
    if (this.#others.length > 0) this.#add(address, -1);
  }

  /** Adds to the address's counters, and stores their indexes in `#at`. */
  #add(address: string, amount: number): void {
    this.#hash.hash(0, 0, address);
    const { low, high } = this.#hash;
    for (let line = 0; line < SHARE_DEPTH; line++) {
      const bits = line < 2 ? low >>> (line * 16) : high >>> ((line - 2) * 16);
      const at = line * WIDTH + (bits % WIDTH);
      this.#at[line] = at;
      Atomics.add(this.#cells, at, amount);
    }
  }

  /** Connections that the other workers have from the address of the last `#add`. */
  #elsewhere(): number {
    let sum = 0;
    for (const cells of this.#others) {
      let least = Number.POSITIVE_INFINITY;
      for (const at of this.#at) least = Math.min(least, Atomics.load(cells, at));
      sum += least;
    }
    return sum;
  }
}
