import { type ErrorCode, PROBLEM_CONTENT_TYPE, toProblem, TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { grpcMessage, grpcStatusOfError } from "../../lib/http/grpc-status.ts";
import { dateLine } from "../../lib/http/http-date.ts";
import { errorSecurityFields } from "./security-fields.ts";
import { isRequestId, nextRequestId } from "../../lib/http/request-id.ts";

const METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]*$/;
/** The authority of a URL or of a CONNECT target, which can contain a user and password. */
const AUTHORITY = /^(?:[A-Za-z][A-Za-z0-9+\-.]*:\/\/[^/?#]*|[^/?#]*@)/;

/** A request that the codec itself rejects: the error code and detail. */
export interface HeadError {
  readonly code: ErrorCode;
  readonly detail: string;
  /** The X-Request-Id of the client, if it was read. */
  readonly requestId?: string;
  /** Field lines that this response has in addition to the usual ones. */
  readonly fields?: Fields;
}

/** A codec's local response as a problem document (RFC 9457), before it is framed. `fields` has no Content-Length. */
export interface ProblemResponse {
  readonly id: string;
  readonly status: number;
  readonly title: string;
  readonly fields: Fields;
  /** ASCII. */
  readonly body: string;
}

/**
 * The same for a gRPC client: no body, and the status in the head (grpc/grpc, doc/PROTOCOL-HTTP2.md, Trailers-Only).
 */
export function grpcResponse(error: HeadError): ProblemResponse {
  const { id } = problemResponse(error);
  const status = grpcStatusOfError(new TurnpikeError(error.code, error.detail));
  const fields =
    `Content-Type: application/grpc\r\n${dateLine()}X-Request-Id: ${id}\r\n` +
    `grpc-status: ${status}\r\ngrpc-message: ${grpcMessage(error.detail)}\r\n${error.fields ?? ""}`;
  return { id, status: 200, title: "OK", fields, body: "" };
}

/**
 * Makes the problem document for a request that a codec rejects. Its id is the client's request id, if that is valid,
 * else a new one. A 503 gets `Retry-After: 1`.
 */
export function problemResponse(error: HeadError): ProblemResponse {
  const id = isRequestId(error.requestId ?? "") ? (error.requestId ?? "") : nextRequestId();
  const problem = toProblem(new TurnpikeError(error.code, error.detail), id);
  const { status, title } = problem;
  const retry = status === 503 ? "Retry-After: 1\r\n" : "";
  return {
    id,
    status,
    title,
    fields: `Content-Type: ${PROBLEM_CONTENT_TYPE}\r\n${dateLine()}X-Request-Id: ${id}\r\n${retry}${errorSecurityFields()}${error.fields ?? ""}`,
    body: JSON.stringify(problem),
  };
}

/** The parts of a rejected request's head that are logged. */
export interface RefusedHead {
  readonly method: string;
  readonly scheme: "http" | "https";
  readonly authority: string;
  readonly path: string;
  readonly query: string;
  readonly fields: Fields;
}

/** The head of a request that a codec rejects: its query apart, and its target without user and password. */
export function refusedHead(method: string, target: string, scheme: "http" | "https"): RefusedHead {
  const known = METHOD.test(method) ? method : "";
  const text = target.replace(AUTHORITY, "").replace(/#.*$/s, "");
  const at = text.indexOf("?");
  const [path, query] = at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at)];
  return { method: known, scheme, authority: "", path, query, fields: "" };
}
