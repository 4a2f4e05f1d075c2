import { type TurnpikeError } from "../../../../lib/errors.ts";
import { fieldLine, fieldValue } from "../../../../lib/fields.ts";
import { type Exchange, type ResponseHead, type ResponseSink } from "../../../exchange.ts";
import { withoutPaymentClaims } from "../response-fields.ts";

/** Beside what the upstream allows: the fields are read as one list. */
const ALLOWED = fieldLine("Access-Control-Allow-Headers", "PAYMENT-SIGNATURE, X-PAYMENT");

/** A browser asks for leave before it pays, and cannot pay for asking (Fetch §CORS-preflight fetch). */
export function isPreflight({ head }: Exchange): boolean {
  return head.method === "OPTIONS" && fieldValue(head.fields, "access-control-request-method") !== undefined;
}

/**
 * Lets an upstream's answer to a preflight through without its body, which no browser reads: an upstream that answers every
 * method alike would give for OPTIONS what GET is paid for.
 */
export class PreflightResponse implements ResponseSink {
  readonly #sink: ResponseSink;

  constructor(exchange: Exchange) {
    this.#sink = exchange.response;
  }

  start(head: ResponseHead): void {
    const clean = withoutPaymentClaims(head.fields);
    // An upstream that lets other origins in cannot know how its requests are paid for.
    const fields = fieldValue(clean, "access-control-allow-origin") === undefined ? clean : clean + ALLOWED;
    this.#sink.start({ ...head, fields, bodyLength: head.status < 200 ? head.bodyLength : 0 });
  }

  data(): boolean {
    return true;
  }

  end(): void {
    this.#sink.end("");
  }

  abort(error: TurnpikeError): void {
    this.#sink.abort(error);
  }
}
