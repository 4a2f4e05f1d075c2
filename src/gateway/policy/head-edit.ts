import { changedHead } from "../exchange/exchange-state.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { type Exchange, type HeadChanges, type ResponseHead, type ResponseSink } from "../exchange/exchange.ts";
import { ResponseRelay } from "../exchange/response-relay.ts";

function isFinal({ status }: ResponseHead): boolean {
  return status >= 200 || status === 101;
}

/** A sink before the response that edits the final head's fields. Everything else passes unchanged. */
export abstract class HeadEdit extends ResponseRelay {
  protected abstract edit(fields: Fields): Fields;

  override start(head: ResponseHead): void {
    this.sink.start(isFinal(head) ? changedHead(head, { fields: this.edit(head.fields) }) : head);
  }
}

/** Changes the response's final head, after the sinks that are put before it. HTTP/1 needs no sink: bench policy. */
export function changeFinalHead(exchange: Exchange, changes: HeadChanges): void {
  if (exchange.changeHead?.(changes) !== true) exchange.response = new FieldEdit(exchange.response, changes);
}

/** Makes the same changes to every final head. */
class FieldEdit extends ResponseRelay {
  readonly #changes: HeadChanges;

  constructor(sink: ResponseSink, changes: HeadChanges) {
    super(sink);
    this.#changes = changes;
  }

  start(head: ResponseHead): void {
    this.sink.start(isFinal(head) ? this.#changes.applyToHead(head) : head);
  }
}
