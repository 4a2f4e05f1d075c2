import { type TurnpikeError } from "../../../../lib/errors.ts";
import { eachField, fieldLine, type Fields, fieldValue } from "../../../../lib/fields.ts";
import { type Exchange, type ResponseHead, type ResponseSink } from "../../../exchange.ts";
import { onlyFields } from "../../auth/identity-fields.ts";
import { VARY_PREFLIGHT } from "../../preflight.ts";

/** Beside what the upstream allows: the fields are read as one list. */
const ALLOWED = fieldLine("Access-Control-Allow-Headers", "PAYMENT-SIGNATURE, X-PAYMENT");

/** What a browser asks by. */
const ASKED: ReadonlySet<string> = new Set([
  "origin",
  "access-control-request-headers",
  "access-control-request-method",
]);

/**
 * Leaves of a preflight what the upstream of a priced route may be asked for nothing: the path, and what the browser wants to
 * know. Query and other fields could have it work unpaid.
 */
export function askAllowance(exchange: Exchange): void {
  const { head } = exchange;
  head.fields = onlyFields(head.fields, ASKED);
  head.query = "";
  exchange.isUncopied = true;
  exchange.response = new PreflightResponse(exchange);
}

/**
 * Answers a preflight with what the upstream allows, and with nothing else of its answer: an upstream that answers every
 * method alike would give for OPTIONS what GET is paid for. The gateway's own errors pass.
 */
class PreflightResponse implements ResponseSink {
  readonly #sink: ResponseSink;
  #isOwn = false;

  constructor(exchange: Exchange) {
    this.#sink = exchange.response;
  }

  start(head: ResponseHead): void {
    if (head.error !== undefined) {
      this.#isOwn = true;
      this.#sink.start(head);
    } else if (head.status >= 200) {
      const fields = VARY_PREFLIGHT + (head.status < 300 ? allowance(head.fields) : "");
      this.#sink.start({ status: 204, reason: "", fields, bodyLength: 0 });
    }
  }

  data(chunk: Uint8Array, start?: number, end?: number): boolean {
    return this.#isOwn ? this.#sink.data(chunk, start, end) : true;
  }

  end(): void {
    this.#sink.end("");
  }

  abort(error: TurnpikeError): void {
    this.#sink.abort(error);
  }
}

/** What the upstream allows, and the payment's fields beside it: it cannot know how its requests are paid for. */
function allowance(fields: Fields): Fields {
  if (fieldValue(fields, "access-control-allow-origin") === undefined) return "";
  let allowed = "";
  for (const [name, value] of eachField(fields)) {
    if (/^access-control-(?!expose-)/i.test(name)) allowed += fieldLine(name, value);
  }
  return allowed + ALLOWED;
}
