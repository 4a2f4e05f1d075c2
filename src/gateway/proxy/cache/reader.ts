import { type Fields } from "../../../lib/http/fields.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { type CacheRequest } from "./cache-request.ts";

/** Pieces of a body that still arrives, without those that all readers have read. */
export class Pieces {
  readonly #pieces: Uint8Array[] = [];
  /** Number of the first remaining piece. */
  #first = 0;
  /** Bytes of the remaining pieces. */
  bytes = 0;
  isWhole = false;
  trailers: Fields = "";

  /** The number of the next piece. */
  get next(): number {
    return this.#first + this.#pieces.length;
  }

  get(number: number): Uint8Array | undefined {
    return this.#pieces[number - this.#first];
  }

  add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.bytes += piece.length;
  }

  /** Removes the pieces before `number`. */
  forget(number: number): void {
    while (this.#first < number) {
      const piece = this.#pieces.shift();
      if (piece === undefined) return;
      this.#first++;
      this.bytes -= piece.length;
    }
  }

  /** The whole body. Call this only if no piece was removed. */
  joined(): Uint8Array {
    return this.#pieces.length === 1 && this.#pieces[0] !== undefined ? this.#pieces[0] : Buffer.concat(this.#pieces);
  }
}

/** A client that reads a body while it arrives. */
export class Reader {
  readonly exchange: Exchange;
  readonly request: CacheRequest;
  /** The client joined the request of another client. */
  readonly isCollapsed: boolean;
  /** The number of the piece that the client reads next. */
  at = 0;
  #isFull = false;
  isOver = false;

  constructor(exchange: Exchange, request: CacheRequest, isCollapsed: boolean) {
    this.exchange = exchange;
    this.request = request;
    this.isCollapsed = isCollapsed;
  }

  drained(): void {
    this.#isFull = false;
  }

  /** Sends as much as the client accepts. */
  read(pieces: Pieces): void {
    const { response } = this.exchange;
    while (!this.isOver && !this.#isFull) {
      const piece = pieces.get(this.at);
      if (piece === undefined) break;
      this.at++;
      this.#isFull = !response.data(piece);
    }
    if (this.isOver || !pieces.isWhole || this.at < pieces.next) return;
    this.isOver = true;
    response.end(pieces.trailers);
  }
}
