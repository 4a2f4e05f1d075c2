import { type TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/fields.ts";
import { type FieldChanges } from "./field-changes.ts";
import { type ResponseHead, type ResponseSink } from "../exchange.ts";

/** Stands before the response and edits the fields of its final head, whoever gives it. All else passes as it is. */
export abstract class HeadEdit implements ResponseSink {
  readonly #sink: ResponseSink;

  constructor(sink: ResponseSink) {
    this.#sink = sink;
  }

  /** What the fields become. */
  protected abstract edit(fields: Fields): Fields;

  start(head: ResponseHead): void {
    const isFinal = head.status >= 200 || head.status === 101;
    this.#sink.start(isFinal ? { ...head, fields: this.edit(head.fields) } : head);
  }

  data(chunk: Uint8Array, start?: number, end?: number): boolean {
    return this.#sink.data(chunk, start, end);
  }

  sendFile(file: number, offset: number, length: number): number {
    return this.#sink.sendFile?.(file, offset, length) ?? 0;
  }

  end(trailers: Fields): void {
    this.#sink.end(trailers);
  }

  abort(error: TurnpikeError): void {
    this.#sink.abort(error);
  }
}

/** Makes the same changes to every head. */
export class FieldEdit extends HeadEdit {
  readonly #changes: FieldChanges;

  constructor(sink: ResponseSink, changes: FieldChanges) {
    super(sink);
    this.#changes = changes;
  }

  protected edit(fields: Fields): Fields {
    return this.#changes.apply(fields);
  }
}
