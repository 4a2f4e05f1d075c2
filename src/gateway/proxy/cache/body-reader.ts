import { type Exchange } from "../../exchange/exchange.ts";

/** Bytes that are written to a client at a time. Bytes that it does not accept wait in memory, on its account. */
const PIECE_BYTES = 65_536;

/** Sends bytes `from` to `to` of a stored body, as fast as the client accepts them, and ends the response. */
export function sendBody(exchange: Exchange, body: Uint8Array, from: number, to: number): void {
  const { response } = exchange;
  if (to - from > PIECE_BYTES) {
    new BodyReader(exchange, body, { from, to }).run();
    return;
  }
  if (to > from) response.data(body, from, to);
  response.end("");
}

class BodyReader {
  readonly #exchange: Exchange;
  readonly #body: Uint8Array;
  readonly #to: number;
  #at: number;
  #over = false;

  constructor(exchange: Exchange, body: Uint8Array, { from, to }: { from: number; to: number }) {
    this.#exchange = exchange;
    this.#body = body;
    this.#at = from;
    this.#to = to;
    exchange.onDrain = () => this.run();
    exchange.onCancel = () => {
      this.#over = true;
    };
  }

  run(): void {
    const { response } = this.#exchange;
    while (!this.#over) {
      const from = this.#at;
      if (from === this.#to) {
        this.#over = true;
        response.end("");
        return;
      }
      this.#at = Math.min(from + PIECE_BYTES, this.#to);
      if (!response.data(this.#body, from, this.#at)) return;
    }
  }
}
