import { type Fields } from "../../lib/fields.ts";
import { flatText } from "../../lib/flat-text.ts";
import { REASON_PHRASES } from "../../lib/reason-phrases.ts";
import { type TextPieces } from "../../lib/text-pieces.ts";
import { type ResponseHead } from "../exchange.ts";

/** Framings of a response body, by which the client finds its end (RFC 9112 §6.3). */
export const LENGTH = 0;
export const CHUNKED = 1;
export const UNTIL_CLOSE = 2;
/** The response has no body. */
export const NONE = 3;
export type Framing = typeof LENGTH | typeof CHUNKED | typeof UNTIL_CLOSE | typeof NONE;

/** The last head, and its lines as one text; empty until the head came twice in a row. */
let lastStatus = 0;
let lastReason = "";
let lastFields: Fields = "";
let lastLength = -1;
let lastFraming: Framing = NONE;
let lastLines = "";

/** The status line (RFC 9112 §4) with its CRLF. An empty `reason` becomes the standard phrase of the status. */
export function statusLine(status: number, reason: string): string {
  if (status === 200 && reason === "OK") return "HTTP/1.1 200 OK\r\n";
  return `HTTP/1.1 ${status} ${reason === "" ? (REASON_PHRASES[status] ?? "") : reason}\r\n`;
}

/**
 * Adds the status line, the fields and the framing of a final response. Responses often repeat the head of the one before, of
 * the same upstream or of the gateway itself. Their lines are then one piece instead of six (bench http1).
 */
export function addResponseLines(pieces: TextPieces, head: ResponseHead, framing: Framing): void {
  const { status, reason, fields, bodyLength } = head;
  if (
    fields === lastFields &&
    bodyLength === lastLength &&
    status === lastStatus &&
    framing === lastFraming &&
    reason === lastReason
  ) {
    if (lastLines === "") lastLines = flatText(statusLine(status, reason) + fields + framingLine(head, framing));
    pieces.add(lastLines);
    return;
  }
  lastStatus = status;
  lastReason = reason;
  lastFields = fields;
  lastLength = bodyLength;
  lastFraming = framing;
  lastLines = "";
  pieces.add(statusLine(status, reason));
  pieces.add(fields);
  pieces.add(framingLine(head, framing));
}

function framingLine({ status, bodyLength }: ResponseHead, framing: Framing): string {
  if (framing === CHUNKED) return "Transfer-Encoding: chunked\r\n";
  // RFC 9110 §8.6: a 204 has no Content-Length.
  return bodyLength < 0 || status === 204 ? "" : `Content-Length: ${bodyLength}\r\n`;
}
