import { type TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { type ResponseHead, type ResponseSink } from "./exchange.ts";

/** Passes a response on unchanged. Sinks that see, change or reject parts of a response extend it. */
export abstract class ResponseRelay implements ResponseSink {
  protected readonly sink: ResponseSink;

  constructor(sink: ResponseSink) {
    this.sink = sink;
  }

  abstract start(head: ResponseHead): void;

  data(chunk: Uint8Array, start?: number, end?: number): boolean {
    return this.sink.data(chunk, start, end);
  }

  sendFile(file: number, offset: number, length: number): number {
    return this.sink.sendFile?.(file, offset, length) ?? 0;
  }

  end(trailers: Fields): void {
    this.sink.end(trailers);
  }

  abort(error: TurnpikeError): void {
    this.sink.abort(error);
  }
}
