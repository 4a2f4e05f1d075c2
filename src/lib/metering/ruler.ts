/** The units by which a response can be priced. */
export const UNITS = ["event", "line", "byte", "message"] as const;

export type Unit = (typeof UNITS)[number];

/** Bytes of the longest unit of a metered response. A longer one counts once more for each further part of this length. @internal */
export const MAX_UNIT_BYTES = 65_536;

/** The start of a unit: the index of its first byte in the whole body. */
export interface Begin {
  readonly at: number;
  /** The unit is the rest of a longer one. */
  readonly isRest: boolean;
}

/** Finds the units of a body, as its bytes pass. The bytes of the whole body are counted from 0. */
export interface Ruler {
  /** Looks at the next bytes of the body. */
  scan(chunk: Uint8Array, start: number, end: number): void;
  end(): void;
  /** Bytes below this index belong to known units, or to none. */
  readonly decided: number;
  /** The number of units that begin below `decided` and were not taken. */
  readonly waiting: number;
  /** The index at which unit `n` of those that wait begins, 0 for the first one. Undefined if fewer wait. */
  beginOf(n: number): Begin | undefined;
  /** The first `n` units do not wait any more. */
  take(n: number): void;
}

/** A ruler for units that are found one by one. */
export abstract class UnitRuler implements Ruler {
  decided = 0;
  /** The index of the next byte. */
  protected at = 0;
  #begins: Begin[] = [];
  /** The index from which the length of the current unit is counted. */
  #mark = 0;

  abstract scan(chunk: Uint8Array, start: number, end: number): void;

  end(): void {
    this.decided = this.at;
  }

  get waiting(): number {
    return this.#begins.length;
  }

  beginOf(n: number): Begin | undefined {
    return this.#begins[n];
  }

  take(n: number): void {
    if (n > 0) this.#begins = this.#begins.slice(n);
  }

  /** A unit begins, at `at` or at the next byte. */
  protected begin(at = this.at): void {
    this.#begins.push({ at, isRest: false });
    this.#mark = this.at;
  }

  /** Bytes until the current unit is too long. */
  protected get left(): number {
    return this.#mark + MAX_UNIT_BYTES - this.at;
  }

  /** The next byte counts as a further unit. */
  protected continue(): void {
    this.#begins.push({ at: this.at, isRest: true });
    this.#mark = this.at;
  }

  /** The last `bytes` do not belong to the current unit. */
  protected skip(bytes: number): void {
    this.#mark += bytes;
  }

  /** The current unit ends before `at`. */
  protected pass(at: number): void {
    this.#mark = at;
  }
}

/** Each byte is a unit. */
export class ByteRuler implements Ruler {
  decided = 0;
  #taken = 0;

  scan(_chunk: Uint8Array, start: number, end: number): void {
    this.decided += end - start;
  }

  end(): void {}

  get waiting(): number {
    return this.decided - this.#taken;
  }

  beginOf(n: number): Begin | undefined {
    return n < this.waiting ? { at: this.#taken + n, isRest: false } : undefined;
  }

  take(n: number): void {
    this.#taken += n;
  }
}

const LF = 10;

/** Lines end with LF. The last one needs no end. */
export class LineRuler extends UnitRuler {
  #isInLine = false;

  scan(chunk: Uint8Array, start: number, end: number): void {
    for (let i = start; i < end; ) {
      if (!this.#isInLine) {
        this.begin();
        this.#isInLine = true;
      }
      if (this.left === 0) this.continue();
      const stop = Math.min(end, i + this.left);
      const found = chunk.subarray(i, stop).indexOf(LF);
      const next = found === -1 ? stop : i + found + 1;
      this.at += next - i;
      i = next;
      if (found !== -1) this.#isInLine = false;
    }
    this.decided = this.at;
  }
}
