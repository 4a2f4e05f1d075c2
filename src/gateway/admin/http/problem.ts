import { ERRORS, PROBLEM_CONTENT_TYPE, toProblem, TurnpikeError } from "../../../lib/errors.ts";

/** Seconds after which a client may try again if the gateway was overloaded. */
const RETRY_AFTER_SECONDS = "2";

/** The response to a refused request. */
export function problemResponse(
  error: TurnpikeError,
  requestId: string,
  fields: Readonly<Record<string, string>> = {},
): Response {
  const body = { ...toProblem(error, requestId), code: codeText(error) };
  const headers: Record<string, string> = { "content-type": PROBLEM_CONTENT_TYPE, ...fields };
  if (error.status === 503) headers["retry-after"] ??= RETRY_AFTER_SECONDS;
  if (error.status === 401) headers["www-authenticate"] = 'Bearer realm="turnpike"';
  return new Response(JSON.stringify(body), { status: error.status, headers });
}

function codeText({ code }: TurnpikeError): string {
  return code.replaceAll("-", "_");
}

/** Every `code` of a problem. */
export function errorCodes(): string[] {
  return Object.keys(ERRORS).map((code) => code.replaceAll("-", "_"));
}

/** The raw response to a head that cannot be parsed. `code` is the parser's error code. */
export function malformedResponse(code: string): string {
  const isLong = code === "HPE_HEADER_OVERFLOW";
  const error = isLong
    ? new TurnpikeError("head-too-large", "Cannot read the request: its head is too large")
    : new TurnpikeError("bad-request", "Cannot read the request: it is not a valid HTTP/1.1 request");
  return rawProblem(error);
}

/** A refusal as raw bytes, for a connection without a parsed request. */
export function rawProblem(error: TurnpikeError, more: Readonly<Record<string, string>> = {}): string {
  const { status, title } = ERRORS[error.code];
  const body = JSON.stringify({ ...toProblem(error), code: codeText(error) });
  const fields = {
    "Content-Type": PROBLEM_CONTENT_TYPE,
    "Content-Length": String(Buffer.byteLength(body)),
    Connection: "close",
    ...more,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${title}\r\n${lines.join("")}\r\n${body}`;
}
