import { type TurnpikeError } from "../../../../lib/errors.ts";
import { eachField, fieldLine, type Fields, fieldValue } from "../../../../lib/http/fields.ts";
import { type Exchange, type ResponseHead, type ResponseSink } from "../../../exchange/exchange.ts";
import { onlyFields } from "../../auth/identity-fields.ts";
import { VARY_PREFLIGHT } from "../../preflight.ts";

/** Added to the upstream's own list: browsers read both fields as one list. */
const ALLOWED = fieldLine("Access-Control-Allow-Headers", "PAYMENT-SIGNATURE, X-PAYMENT, Payment-Stream");

/** The fields by which a browser asks. */
const ASKED: ReadonlySet<string> = new Set([
  "origin",
  "access-control-request-headers",
  "access-control-request-method",
]);

/**
 * Reduces a preflight to the parts that an unpaid request may send to the upstream: the path and the fields of CORS. A
 * query or other fields could make the upstream work unpaid.
 */
export function askAllowance(exchange: Exchange): void {
  const { head } = exchange;
  head.fields = onlyFields(head.fields, ASKED);
  head.query = "";
  exchange.isUncopied = true;
  exchange.response = new PreflightResponse(exchange);
}

/**
 * Responds to a preflight with the upstream's CORS fields and nothing else of its response. An upstream that treats all
 * methods alike would otherwise give for OPTIONS the content that GET sells. The gateway's own errors pass.
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

/** The upstream's CORS fields, plus those of the payment, which the upstream does not know. */
function allowance(fields: Fields): Fields {
  if (fieldValue(fields, "access-control-allow-origin") === undefined) return "";
  let allowed = "";
  for (const [name, value] of eachField(fields)) {
    if (/^access-control-(?!expose-)/i.test(name)) allowed += fieldLine(name, value);
  }
  return allowed + ALLOWED;
}
