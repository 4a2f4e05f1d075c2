import { type ErrorCode, PROBLEM_CONTENT_TYPE, toProblem, TurnpikeError } from "../../lib/errors.ts";
import { type Fields, fieldLine } from "../../lib/http/fields.ts";
import { flatText } from "../../lib/memory/flat-text.ts";
import { dateLine } from "../../lib/http/http-date.ts";
import { type Exchange, type ResponseHead } from "./exchange.ts";
import { errorSecurityFields } from "./security-fields.ts";

/** Sends a complete local response: one that the gateway makes itself. */
export function respond(exchange: Exchange, status: number, fields: Fields, body: Uint8Array): void {
  send(exchange, { status, reason: "", fields: dated(fields), bodyLength: body.byteLength }, body);
}

/** Responds with the status of an error, and a body about it. gRPC clients get the error's status and message. */
export function respondAbout(exchange: Exchange, error: TurnpikeError, fields: Fields, body: Uint8Array): void {
  send(exchange, { status: error.status, reason: "", fields: dated(fields), bodyLength: body.byteLength, error }, body);
}

let datedBy = "";
let undated: Fields = "";
let lastDated: Fields = "";

/**
 * Puts the Date field before the fields. A route's own responses have the same fields for a second, so the last text is used
 * again: joining it each time costs such a response 3 % (bench proxy, own).
 */
function dated(fields: Fields): Fields {
  const date = dateLine();
  if (date !== datedBy || fields !== undated) {
    datedBy = date;
    undated = fields;
    lastDated = flatText(date + fields);
  }
  return lastDated;
}

function send(exchange: Exchange, head: ResponseHead, body: Uint8Array): void {
  const { response } = exchange;
  response.start(head);
  if (exchange.head.method !== "HEAD") response.data(body);
  response.end("");
}

/** Responds with the error as problem+json (RFC 9457). If a response has begun, the response is cut off instead. */
export type RespondWithError = (exchange: Exchange, error: TurnpikeError, extraFields?: Fields) => void;

/** `RespondWithError` for any error. A 503 gets `Retry-After: 1`. `extraFields` come after the usual fields. */
export function respondWithError(exchange: Exchange, error: TurnpikeError, extraFields: Fields = ""): void {
  if (exchange.started) {
    exchange.response.abort(error);
    return;
  }
  const body = Buffer.from(JSON.stringify(toProblem(error, exchange.id)));
  const { status } = error;
  const fields = dateLine() + ownFields(status) + errorSecurityFields() + extraFields;
  send(exchange, { status, reason: "", fields, bodyLength: body.byteLength, error }, body);
}

function ownFields(status: number): Fields {
  const retry = status === 503 ? "Retry-After: 1\r\n" : "";
  return fieldLine("Content-Type", PROBLEM_CONTENT_TYPE) + retry;
}

const BODY_END = '"}';

/**
 * An error whose responses differ only in the request id and the date, so that everything else is encoded in advance.
 */
export class CannedError extends TurnpikeError {
  readonly fields: Fields;
  /** ASCII. The request id and `BODY_END` complete it. */
  readonly bodyStart: string;

  /** `detail` is ASCII. */
  constructor(code: ErrorCode, detail: string) {
    super(code, detail);
    this.fields = ownFields(this.status);
    this.bodyStart = JSON.stringify(toProblem(this, "")).slice(0, -BODY_END.length);
  }
}

/** `respondWithError` for `server.preencoded`: the response to a `CannedError` is made from its encoded parts. */
export function respondPreencoded(exchange: Exchange, error: TurnpikeError, extraFields: Fields = ""): void {
  const { id } = exchange;
  // A request id that the client chose can contain characters that JSON must escape.
  if (!(error instanceof CannedError) || exchange.started || id.includes('"') || id.includes("\\")) {
    respondWithError(exchange, error, extraFields);
    return;
  }
  const body = Buffer.from(error.bodyStart + id + BODY_END, "latin1");
  const fields = dateLine() + error.fields + errorSecurityFields() + extraFields;
  send(exchange, { status: error.status, reason: "", fields, bodyLength: body.byteLength, error }, body);
}
