import { type TurnpikeError } from "../../../lib/errors.ts";
import { type Fields } from "../../../lib/http/fields.ts";
import { type GatherBounds } from "../../policy/gathered-body.ts";
import { BodyBytes } from "./body-bytes.ts";

/** The decision of a callback; `over` if the stream has ended. */
export type Outcome = "continue" | "pause" | "over";

/** Bytes of a body that a filter has let pass. */
export interface Passed {
  readonly pieces: readonly Uint8Array[];
  readonly length: number;
  /** True if they differ from the bytes that arrived. */
  readonly isChanged: boolean;
  /** True if no bytes and no trailers follow. */
  readonly isLast: boolean;
}

/** The side of a stream to which a body belongs. */
export interface StageOwner {
  onBody(length: number, isEnd: boolean): Outcome;
  onTrailers(trailers: Fields): Outcome;
  /** Returns false if the reader takes no more for now. Undefined: `data` and `resume` need not tell that. */
  pass(passed: Passed): boolean | undefined;
  /** Called after the last bytes and the trailers. */
  passEnd(): void;
}

/** The stream of the body, which a body beyond the bounds ends. */
interface FailingStream {
  failWith(error: TurnpikeError): void;
}

/**
 * A body on its way through a filter, with Envoy's rules. The filter sees each piece when it arrives. If the filter pauses, the
 * piece is held and shown again together with the next one, until the filter lets all of it pass.
 *
 *   data ──▶ onBody ──continue──▶ pass
 *              └──pause──▶ hold ──more data──▶ onBody with all held bytes
 *                            └──resume──▶ pass
 */
export class BodyStage {
  readonly bytes = new BodyBytes();
  readonly #owner: StageOwner;
  readonly #stream: FailingStream;
  readonly #bounds: GatherBounds;
  /** The announced length in bytes; -1 if it is unknown. */
  readonly #announced: number;
  #received = 0;
  #taken = 0;
  #isPaused = false;
  /** True once a callback has received the end of the body. */
  #toldEnd = false;
  /** True once the body has ended. */
  #isEnded = false;
  #hasTrailers = false;
  #isDone = false;
  #isOver = false;

  /** `bounds`: the bytes that can be held for the filter. */
  constructor(owner: StageOwner, stream: FailingStream, bounds: GatherBounds, announced: number) {
    this.#owner = owner;
    this.#stream = stream;
    this.#bounds = bounds;
    this.#announced = announced;
  }

  /** True if the filter holds the whole body, so that only the filter can continue the stream. */
  get isWaiting(): boolean {
    return this.#isPaused && (this.#isEnded || this.#toldEnd);
  }

  /** True if the whole body has passed. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** The same contract as `BodySink.data`. */
  data(chunk: Uint8Array, start: number, end: number): boolean {
    if (this.#isOver || end === start) return true;
    this.#received += end - start;
    this.bytes.append(start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end));
    if (this.bytes.length > this.#bounds.maxBytes) {
      this.#stream.failWith(this.#bounds.tooLong);
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

  /** Called when the filter lets the held bytes pass. Returns false if the reader takes no more after them. */
  resume(): boolean {
    return !this.#isPaused || this.#decided("continue");
  }

  /** No bytes pass after this call. */
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
    return hasRoom !== false;
  }

  #finish(): void {
    if (!this.#isEnded || this.#isOver) return;
    this.#isDone = true;
    this.close();
    this.#owner.passEnd();
  }

  /** Held bytes count towards the memory for bodies. */
  #hold(): void {
    const more = this.bytes.memory - this.#taken;
    if (more > 0 && !this.#bounds.memory.take(more)) this.#stream.failWith(this.#bounds.noRoom);
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
