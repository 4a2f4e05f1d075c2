import { type BodySink } from "../exchange/exchange.ts";
import { type BodyMemory } from "../policy/gathered-body.ts";
import { JoinedPieces } from "../../lib/memory/joined-pieces.ts";

/** A piece is copied if it needs less than half of the buffer in which it lies. */
const SPARSE = 2;

/** Pieces of a body until the gateway decides about them. They count towards the memory for gathered bodies. */
export class PieceList {
  readonly #memory: BodyMemory;
  readonly #pieces = new JoinedPieces();
  /** Bytes that are held. */
  length = 0;

  constructor(memory: BodyMemory) {
    this.#memory = memory;
  }

  /** Adds a piece. Returns false, and adds nothing, if there is no memory. */
  push(chunk: Uint8Array, start: number, end: number): boolean {
    const bytes = end - start;
    if (bytes === 0) return true;
    if (!this.#memory.take(bytes)) return false;
    // A small piece of a large buffer would keep the whole buffer in memory, and uncounted.
    const view = chunk.subarray(start, end);
    if (bytes * SPARSE < chunk.buffer.byteLength) this.#pieces.addCopy(view);
    else this.#pieces.add(view);
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

  /** Passes all pieces to `sink`. Returns false if the sink takes no more for now. */
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
