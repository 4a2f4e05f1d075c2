import { flatText } from "../../lib/memory/flat-text.ts";
import { REASON_PHRASES } from "../../lib/http/reason-phrases.ts";
import { type TextPieces } from "../../lib/memory/text-pieces.ts";
import { type ResponseHead } from "../exchange/exchange.ts";

/** Framings of a response body, by which the client finds its end (RFC 9112 §6.3). */
export const LENGTH = 0;
export const CHUNKED = 1;
export const UNTIL_CLOSE = 2;
/** The response has no body. */
export const NONE = 3;
export type Framing = typeof LENGTH | typeof CHUNKED | typeof UNTIL_CLOSE | typeof NONE;

const USUAL_LINES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(REASON_PHRASES).map(([status, phrase]) => [status, flatText(`HTTP/1.1 ${status} ${phrase}\r\n`)]),
);

/** The status line (RFC 9112 §4) with its CRLF. An empty `reason` becomes the standard phrase of the status. */
export function statusLine(status: number, reason: string): string {
  const usual = REASON_PHRASES[status] ?? "";
  if (reason === "" || reason === usual) return USUAL_LINES[status] ?? `HTTP/1.1 ${status} ${usual}\r\n`;
  return `HTTP/1.1 ${status} ${reason}\r\n`;
}

const NO_NAMES: readonly string[] = [];

/** Adds the fields of a head. */
export function addFieldLines(pieces: TextPieces, head: ResponseHead): void {
  const { lines } = head;
  if (lines === undefined) pieces.add(head.fields);
  else lines.addTo(pieces, NO_NAMES);
}

/** Adds the framing of a final response. */
export function addFraming(pieces: TextPieces, head: ResponseHead, framing: Framing): void {
  if (framing === CHUNKED) pieces.add("Transfer-Encoding: chunked\r\n");
  // RFC 9110 §8.6: a 204 has no Content-Length.
  else if (head.bodyLength >= 0 && head.status !== 204) {
    pieces.add("Content-Length: ");
    pieces.add(String(head.bodyLength));
    pieces.add("\r\n");
  }
}
