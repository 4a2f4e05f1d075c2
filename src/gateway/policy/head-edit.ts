import { type Fields } from "../../lib/fields.ts";
import { type ResponseHead, type ResponseSink } from "../exchange.ts";
import { ResponseRelay } from "../response-relay.ts";
import { type FieldChanges } from "./field-changes.ts";

function isFinal({ status }: ResponseHead): boolean {
  return status >= 200 || status === 101;
}

/**
 * A sink before the response that edits the fields of the final head, for upstream and local responses. Everything else
 * passes unchanged.
 */
export abstract class HeadEdit extends ResponseRelay {
  /** Returns the edited fields. */
  protected abstract edit(fields: Fields): Fields;

  override start(head: ResponseHead): void {
    this.sink.start(isFinal(head) ? { ...head, fields: this.edit(head.fields) } : head);
  }
}

/** Makes the same changes to every final head. */
export class FieldEdit extends ResponseRelay {
  readonly #changes: FieldChanges;

  constructor(sink: ResponseSink, changes: FieldChanges) {
    super(sink);
    this.#changes = changes;
  }

  start(head: ResponseHead): void {
    this.sink.start(isFinal(head) ? this.#changes.applyToHead(head) : head);
  }
}
