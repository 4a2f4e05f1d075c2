import { type BodySink } from "../../../exchange/exchange.ts";

interface Piece {
  readonly chunk: Uint8Array;
  start: number;
  readonly end: number;
}

/** The bytes of a body that have not left yet. Its sender is paused while units wait, so it holds little more than one piece. */
export class UnitQueue {
  #pieces: Piece[] = [];
  /** The index of the first byte of the queue in the body. */
  #at = 0;

  push(chunk: Uint8Array, start: number, end: number): void {
    if (end > start) this.#pieces.push({ chunk, start, end });
  }

  /** Sends the bytes below `limit`, an index in the body. False: the sink is full, though it has taken all of them. */
  passTo(limit: number, sink: BodySink): boolean {
    let takesMore = true;
    for (let piece = this.#pieces[0]; piece !== undefined && this.#at < limit; piece = this.#pieces[0]) {
      const to = Math.min(piece.end, piece.start + limit - this.#at);
      this.#at += to - piece.start;
      const from = piece.start;
      piece.start = to;
      if (to === piece.end) this.#pieces.shift();
      takesMore = sink.data(piece.chunk, from, to);
    }
    return takesMore;
  }

  clear(): void {
    this.#pieces = [];
  }
}
