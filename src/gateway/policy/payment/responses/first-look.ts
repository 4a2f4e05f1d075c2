import { TurnpikeError } from "../../../../lib/errors.ts";
import { fieldValue, fieldValues } from "../../../../lib/fields.ts";
import { type Exchange, type ResponseHead } from "../../../exchange.ts";
import { ResponseRelay } from "../../../response-relay.ts";
import { OVERRIDES } from "../response-fields.ts";

/** A response that a route with `settle: "after"` cannot sell: it would be delivered before it is paid for. */
const NEEDS_BEFORE = 'this route settles after the complete response; set settle: "before" on its route';

/**
 * Stands before the sink that buffers a response until it is paid for. Rejects a response without an end at once.
 * Remembers the upstream's fields about the charge and removes them from the response.
 */
export class FirstLook extends ResponseRelay {
  readonly #exchange: Exchange;
  /** The upstream's Settlement-Overrides fields. */
  overrides: readonly string[] = [];

  constructor(exchange: Exchange) {
    super(exchange.response);
    this.#exchange = exchange;
    exchange.response = this;
  }

  override start(head: ResponseHead): void {
    const what = unsellable(head);
    if (what !== undefined) {
      this.sink.abort(new TurnpikeError("not-implemented", `Cannot charge for ${what}: ${NEEDS_BEFORE}`));
      this.#exchange.onCancel?.();
      return;
    }
    if (head.status >= 200) this.overrides = fieldValues(head.fields, OVERRIDES);
    this.sink.start(head);
  }
}

function unsellable({ status, fields }: ResponseHead): string | undefined {
  if (status === 101) return "a change of protocols";
  const type = fieldValue(fields, "content-type") ?? "";
  return status < 400 && status >= 200 && /^text\/event-stream\s*(?:;|$)/i.test(type)
    ? "a stream of events"
    : undefined;
}
