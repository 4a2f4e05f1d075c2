import { type ErrorCode, PROBLEM_CONTENT_TYPE, toProblem, TurnpikeError } from "../../../../lib/errors.ts";
import { fieldLine, type Fields } from "../../../../lib/http/fields.ts";
import { respond, respondAbout } from "../../../exchange/local-response.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { errorSecurityFields } from "../../../exchange/security-fields.ts";
import { type Problem } from "../../../../payments/mpp/problems.ts";
import { EXPOSED } from "./response-fields.ts";

const COMMON_FIELDS = fieldLine("Cache-Control", "no-store") + EXPOSED;
const PROBLEM_FIELDS = fieldLine("Content-Type", PROBLEM_CONTENT_TYPE) + COMMON_FIELDS;
const JSON_FIELDS = fieldLine("Content-Type", "application/json") + COMMON_FIELDS;
const HTML_FIELDS = fieldLine("Content-Type", "text/html; charset=utf-8") + COMMON_FIELDS;

const encoder = new TextEncoder();

/** Responds with a problem document about an error. `json` is the body; `fields` are added to the usual fields. */
export function respondJson(exchange: Exchange, error: TurnpikeError, json: string, fields: Fields): void {
  respondAbout(exchange, error, PROBLEM_FIELDS + errorSecurityFields() + fields, encoder.encode(json));
}

/** Responds with the JSON of a value, which no cache keeps. `fields` are added to the usual fields. */
export function respondValue(exchange: Exchange, status: number, value: object, fields: Fields = ""): void {
  respond(exchange, status, JSON_FIELDS + fields, encoder.encode(JSON.stringify(value)));
}

/** Responds with an HTML page and `status`. `fields` are added to the usual fields. */
export function respondHtml(exchange: Exchange, status: number, html: string, fields: Fields): void {
  respond(exchange, status, HTML_FIELDS + fields, encoder.encode(html));
}

/** Responds with an error from the table of errors. `retryAfter` in seconds; `fields` are added to the usual fields. */
export function respondError(exchange: Exchange, error: TurnpikeError, retryAfter?: number, fields: Fields = ""): void {
  const retry = retryAfter === undefined ? "" : fieldLine("Retry-After", String(retryAfter));
  respondJson(exchange, error, JSON.stringify(toProblem(error, exchange.id)), retry + fields);
}

/** Responds with a problem of the `Payment` scheme. */
export function respondProblem(exchange: Exchange, problem: Problem, fields: Fields = ""): void {
  const error = paymentError(problem.status === 400 ? "invalid-payment" : "payment-required", problem.detail);
  respondJson(exchange, error, JSON.stringify({ ...problem, instance: exchange.id }), fields);
}

/** An error of the payment policy. Clients see the detail. */
export function paymentError(code: ErrorCode, detail: string): TurnpikeError {
  return new TurnpikeError(code, detail);
}
