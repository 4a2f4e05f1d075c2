import { PROBLEM_CONTENT_TYPE, toProblem, type TurnpikeError } from "../lib/errors.ts";
import { type Fields, fieldLine } from "../lib/fields.ts";
import { type Exchange } from "./exchange.ts";

/** Answers an exchange with a whole response of Turnpike's own. */
export function answer(exchange: Exchange, status: number, fields: Fields, body: Uint8Array): void {
  const { response } = exchange;
  const date = fieldLine("Date", new Date().toUTCString());
  response.start({ status, reason: "", fields: date + fields, bodyLength: body.byteLength });
  if (exchange.head.method !== "HEAD") response.data(body);
  response.end("");
}

/** Answers with the error as problem+json (RFC 9457); where a response has begun, cuts it off. */
export function answerError(exchange: Exchange, error: TurnpikeError, extraFields: Fields = ""): void {
  if (exchange.started) {
    exchange.response.abort(error);
    return;
  }
  const body = Buffer.from(JSON.stringify(toProblem(error, exchange.id)));
  const retry = error.status === 503 ? "Retry-After: 1\r\n" : "";
  answer(exchange, error.status, `${fieldLine("Content-Type", PROBLEM_CONTENT_TYPE)}${retry}${extraFields}`, body);
}
