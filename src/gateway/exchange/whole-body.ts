import { type Fields } from "../../lib/http/fields.ts";
import { type BodySink, type RequestBody } from "./exchange.ts";

/** A body that is completely in memory. */
export class WholeBody implements RequestBody {
  readonly complete = true;
  readonly #bytes: Uint8Array;
  readonly #trailers: Fields;

  constructor(bytes: Uint8Array, trailers: Fields) {
    this.#bytes = bytes;
    this.#trailers = trailers;
  }

  readTo(sink: BodySink): void {
    // The sink takes the bytes even if it is full: the body is in memory already.
    if (this.#bytes.length > 0) sink.data(this.#bytes, 0, this.#bytes.length);
    sink.end(this.#trailers);
  }

  pause(): void {}

  resume(): void {}
}
