import { type ErrorCode, PROBLEM_CONTENT_TYPE, toProblem, TurnpikeError } from "../../../lib/errors.ts";
import { fieldLine, type Fields } from "../../../lib/fields.ts";
import { answer } from "../../answer.ts";
import { type Exchange } from "../../exchange.ts";

const PROBLEM_FIELDS =
  fieldLine("Content-Type", PROBLEM_CONTENT_TYPE) +
  fieldLine("Cache-Control", "no-store") +
  fieldLine("Access-Control-Expose-Headers", "PAYMENT-REQUIRED, PAYMENT-RESPONSE, Retry-After");

const encoder = new TextEncoder();

/** Answers with a problem of `status`; `json` is its body, `fields` go beside the usual ones. */
export function respondJson(exchange: Exchange, status: number, json: string, fields: Fields): void {
  answer(exchange, status, PROBLEM_FIELDS + fields, encoder.encode(json));
}

/** Answers with an error of the table; `retryAfter` in seconds. */
export function respondError(exchange: Exchange, error: TurnpikeError, retryAfter?: number): void {
  const fields = retryAfter === undefined ? "" : fieldLine("Retry-After", String(retryAfter));
  respondJson(exchange, error.status, JSON.stringify(toProblem(error, exchange.id)), fields);
}

export function paymentError(code: ErrorCode, detail: string): TurnpikeError {
  return new TurnpikeError(code, detail);
}
