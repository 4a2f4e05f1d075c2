import { type Fields } from "../../../lib/fields.ts";
import { type BodyMemory } from "../../policy/gathered-body.ts";
import { BodyBytes } from "./body-bytes.ts";

/** What a callback has decided: "over" where the stream is, too. */
export type Outcome = "continue" | "pause" | "over";

/** Bytes of a body that a filter has let pass. */
export interface Passed {
  readonly pieces: readonly Uint8Array[];
  readonly length: number;
  /** They are not those that came. */
  readonly isChanged: boolean;
  /** Nothing follows them, trailers neither. */
  readonly isLast: boolean;
}

/** The side of a stream that a body belongs to. */
export interface StageOwner {
  onBody(length: number, isEnd: boolean): Outcome;
  onTrailers(trailers: Fields): Outcome;
  /** False: no more for now. */
  pass(passed: Passed): boolean;
  /** All has passed. */
  passEnd(): void;
  tooLong(): void;
  noRoom(): void;
}

export interface StageBounds {
  /** Bytes that may wait for the filter. */
  readonly maxBytes: number;
  readonly memory: BodyMemory;
}

/**
 * A body on its way through a filter, as Envoy has it: each piece is shown when it comes; one that the filter pauses at waits,
 * and is shown again together with the next one, until the filter lets all of it pass.
 *
 *   data ──▶ onBody ──continue──▶ pass
 *              └──pause──▶ wait ──more data──▶ onBody with all that waits
 *                            └──resume──▶ pass
 */
export class BodyStage {
  readonly bytes = new BodyBytes();
  readonly #owner: StageOwner;
  readonly #bounds: StageBounds;
  /** Bytes in all; -1 where that is not known. */
  readonly #announced: number;
  #received = 0;
  #taken = 0;
  #isPaused = false;
  /** The filter was told of the end. */
  #toldEnd = false;
  /** The end has come. */
  #isEnded = false;
  #hasTrailers = false;
  #isOver = false;

  constructor(owner: StageOwner, bounds: StageBounds, announced: number) {
    this.#owner = owner;
    this.#bounds = bounds;
    this.#announced = announced;
  }

  /** The filter has all of the body and nothing more comes: it alone can go on. */
  get isWaiting(): boolean {
    return this.#isPaused && (this.#isEnded || this.#toldEnd);
  }

  /** Everything has passed. */
  get isDone(): boolean {
    return this.#isEnded && !this.#isPaused;
  }

  /** As `BodySink.data`. */
  data(chunk: Uint8Array, start: number, end: number): boolean {
    if (this.#isOver || end === start) return true;
    this.#received += end - start;
    this.bytes.append(start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end));
    if (this.bytes.length > this.#bounds.maxBytes) {
      this.#owner.tooLong();
      return true;
    }
    this.#toldEnd = this.#received === this.#announced;
    return this.#decided(this.#owner.onBody(this.bytes.length, this.#toldEnd));
  }

  end(trailers: Fields): void {
    if (this.#isOver) return;
    this.#isEnded = true;
    this.#hasTrailers = trailers !== "";
    const wasTold = this.#toldEnd;
    this.#toldEnd = true;
    if (trailers !== "") this.#decided(this.#owner.onTrailers(trailers));
    else if (!wasTold) this.#decided(this.#owner.onBody(this.bytes.length, true));
    else if (!this.#isPaused) this.#finish();
  }

  /** The filter lets what waits pass. Returns whether more may come. */
  resume(): boolean {
    if (!this.#isPaused || this.#isOver) return true;
    return this.#decided("continue");
  }

  /** Nothing more passes. */
  close(): void {
    this.#isOver = true;
    this.#release();
    this.bytes.take();
  }

  #decided(outcome: Outcome): boolean {
    if (outcome === "over" || this.#isOver) return true;
    this.#isPaused = outcome === "pause";
    if (this.#isPaused) {
      this.#hold();
      return true;
    }
    const { length, isChanged } = this.bytes;
    const passed = { length, isChanged, isLast: this.#toldEnd && !this.#hasTrailers, pieces: this.bytes.take() };
    this.#release();
    const hasRoom = this.#owner.pass(passed);
    this.#finish();
    return hasRoom;
  }

  #finish(): void {
    if (!this.#isEnded || this.#isOver) return;
    this.close();
    this.#owner.passEnd();
  }

  /** What waits counts in the memory for bodies. */
  #hold(): void {
    const more = this.bytes.memory - this.#taken;
    if (more > 0 && !this.#bounds.memory.take(more)) this.#owner.noRoom();
    else {
      if (more < 0) this.#bounds.memory.give(-more);
      this.#taken += more;
    }
  }

  #release(): void {
    this.#bounds.memory.give(this.#taken);
    this.#taken = 0;
  }
}
