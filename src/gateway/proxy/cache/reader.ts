import { type Fields } from "../../../lib/fields.ts";
import { type Exchange } from "../../exchange.ts";
import { type CacheRequest } from "./cache-request.ts";

/** Pieces of a body that is still coming, those that everybody has read left out. */
export class Pieces {
  readonly #pieces: Uint8Array[] = [];
  /** Number of the first piece that is still there. */
  #first = 0;
  /** Bytes of the pieces that are there. */
  bytes = 0;
  isWhole = false;
  trailers: Fields = "";

  /** The number that the next piece gets. */
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

  /** Forgets those before `number`. */
  forget(number: number): void {
    while (this.#first < number) {
      const piece = this.#pieces.shift();
      if (piece === undefined) return;
      this.#first++;
      this.bytes -= piece.length;
    }
  }

  /** All of it, where nothing was forgotten. */
  joined(): Uint8Array {
    return this.#pieces.length === 1 && this.#pieces[0] !== undefined ? this.#pieces[0] : Buffer.concat(this.#pieces);
  }
}

/** A client that gets a body while it comes. */
export class Reader {
  readonly exchange: Exchange;
  readonly request: CacheRequest;
  /** It asked when another had asked already. */
  readonly isCollapsed: boolean;
  /** The number of the piece that it gets next. */
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

  /** Gives the client what it takes. */
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
