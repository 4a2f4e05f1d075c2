import { type Fields } from "../../lib/fields.ts";
import { type ResponseHead, type ResponseSink } from "../exchange.ts";
import { ResponseRelay } from "../response-relay.ts";
import { type FieldChanges } from "./field-changes.ts";

/** Stands before the response and edits the fields of its final head, whoever gives it. All else passes as it is. */
export abstract class HeadEdit extends ResponseRelay {
  /** What the fields become. */
  protected abstract edit(fields: Fields): Fields;

  override start(head: ResponseHead): void {
    const isFinal = head.status >= 200 || head.status === 101;
    this.sink.start(isFinal ? { ...head, fields: this.edit(head.fields) } : head);
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
