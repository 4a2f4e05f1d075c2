import { type ErrorCode, PROBLEM_CONTENT_TYPE, toProblem, TurnpikeError } from "../../../lib/errors.ts";
import { fieldLine, type Fields } from "../../../lib/fields.ts";
import { type Exchange, type ResponseSink } from "../../exchange.ts";

const PROBLEM_FIELDS =
  fieldLine("Content-Type", PROBLEM_CONTENT_TYPE) +
  fieldLine("Cache-Control", "no-store") +
  fieldLine("Access-Control-Expose-Headers", "PAYMENT-REQUIRED, PAYMENT-RESPONSE, Retry-After");

const encoder = new TextEncoder();

/** Where an answer goes, and what it answers. */
export interface Recipient {
  readonly exchange: Exchange;
  /** The sink behind the policy's own. */
  readonly sink: ResponseSink;
}

/** Answers with a problem of `status`; `json` is its body, `fields` go beside the usual ones. */
export function respondJson({ exchange, sink }: Recipient, status: number, json: string, fields: Fields): void {
  const body = encoder.encode(json);
  sink.start({ status, reason: "", fields: PROBLEM_FIELDS + fields, bodyLength: body.byteLength });
  if (exchange.head.method !== "HEAD") sink.data(body);
  sink.end("");
}

/** Answers with an error of the table; `retryAfter` in seconds. */
export function respondError(recipient: Recipient, error: TurnpikeError, retryAfter?: number): void {
  const fields = retryAfter === undefined ? "" : fieldLine("Retry-After", String(retryAfter));
  respondJson(recipient, error.status, JSON.stringify(toProblem(error, recipient.exchange.id)), fields);
}

export function paymentError(code: ErrorCode, detail: string): TurnpikeError {
  return new TurnpikeError(code, detail);
}
