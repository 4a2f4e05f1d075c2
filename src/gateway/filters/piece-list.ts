import { type BodySink } from "../exchange.ts";
import { type BodyMemory } from "../policy/gathered-body.ts";
import { JoinedPieces } from "./joined-pieces.ts";

/** A piece that needs a smaller part of the memory it lies in than this is copied. */
const SPARSE = 2;

/** Pieces of a body that wait until it is known what becomes of them; they count in the memory for gathered bodies. */
export class PieceList {
  readonly #memory: BodyMemory;
  readonly #pieces = new JoinedPieces();
  /** Bytes that wait. */
  length = 0;

  constructor(memory: BodyMemory) {
    this.#memory = memory;
  }

  /** False, with nothing taken, where there is no memory. */
  push(chunk: Uint8Array, start: number, end: number): boolean {
    const bytes = end - start;
    if (bytes === 0) return true;
    if (!this.#memory.take(bytes)) return false;
    // A small piece of a large buffer would keep all of it, uncounted.
    const view = chunk.subarray(start, end);
    this.#pieces.add(bytes * SPARSE < chunk.buffer.byteLength ? new Uint8Array(view) : view);
    this.length += bytes;
    return true;
  }

  /** Up to `count` bytes from the start, in one piece. */
  first(count: number): Uint8Array {
    const { list } = this.#pieces;
    const [piece = new Uint8Array()] = list;
    if (list.length < 2 || piece.length >= count) return piece.subarray(0, count);
    const bytes = new Uint8Array(Math.min(count, this.length));
    let at = 0;
    for (const next of list) {
      const part = next.subarray(0, bytes.length - at);
      bytes.set(part, at);
      at += part.length;
      if (at === bytes.length) break;
    }
    return bytes;
  }

  /** Hands all over. False: the sink takes no more for now. */
  sendTo(sink: BodySink): boolean {
    const pieces = this.#pieces.list;
    this.clear();
    let takesMore = true;
    for (const piece of pieces) takesMore = sink.data(piece, 0, piece.length);
    return takesMore;
  }

  clear(): void {
    this.#memory.give(this.length);
    this.#pieces.replace([]);
    this.length = 0;
  }
}
