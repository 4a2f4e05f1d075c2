import { fieldValue } from "../../lib/fields.ts";
import { dateLine } from "../../lib/http-date.ts";
import { latin1Text } from "../../lib/latin1.ts";
import { type ResponseHead } from "../exchange.ts";
import { FieldScan, isFieldValue } from "./field-scan.ts";

/** A parsed response head of an upstream for the HTTP/1 codec. */
export interface ParsedResponse {
  readonly head: ResponseHead;
  readonly http10: boolean;
  readonly keepAlive: boolean;
  readonly chunked: boolean;
  /** The Content-Length in bytes; -1 if absent. */
  readonly contentLength: number;
  /** Lower-case name of the protocol that a 101 switches to. Empty if Connection does not nominate Upgrade. */
  readonly upgrade: string;
}

const scan = new FieldScan();
const { compare: compareBytes } = Buffer.prototype;
let limits = { isRequest: false, maxCount: 0 };
/** A response head that came twice in a row, or nearly so: two heads of the same length. */
export interface RepeatedResponse {
  /** The whole head with the empty line. */
  readonly bytes: Buffer;
  readonly response: ParsedResponse;
}

/** Length of the last head, without the empty line. */
let lastLength = -1;
let last: RepeatedResponse | undefined;

/** True if a 101 switches to WebSocket with the required `Sec-WebSocket-Accept` (RFC 6455 §4.1). False if `accept` is empty. */
export function isProofOf(accept: string, { head, upgrade }: ParsedResponse): boolean {
  return accept !== "" && upgrade === "websocket" && fieldValue(head.fields, "sec-websocket-accept") === accept;
}

function digitAt(text: string, index: number): number {
  const digit = text.charCodeAt(index) - 0x30;
  return digit >= 0 && digit <= 9 ? digit : Number.NaN;
}

interface StatusLine {
  readonly http10: boolean;
  readonly status: number;
  readonly reason: string;
  /** Characters, including CRLF. */
  readonly length: number;
}

/** The status line of most responses, parsed in advance. */
const USUAL = { bytes: Buffer.from("HTTP/1.1 200 OK\r\n"), http10: false, status: 200, reason: "OK", length: 17 };

/** Reads the status line at `from` of a head that ends at `end`. Undefined if it is malformed. */
function readStatusLine(bytes: Uint8Array, from: number, end: number): StatusLine | undefined {
  const text = latin1Text(bytes, from, end);
  const lineEnd = text.indexOf("\r\n");
  const http10 = text.startsWith("HTTP/1.0 ");
  const status = digitAt(text, 9) * 100 + digitAt(text, 10) * 10 + digitAt(text, 11);
  if (!http10 && !text.startsWith("HTTP/1.1 ")) return undefined;
  if (!(status >= 100 && status <= 599) || (lineEnd > 12 && text.charCodeAt(12) !== 0x20)) return undefined;
  if (!isFieldValue(bytes, from + Math.min(13, lineEnd), from + lineEnd)) return undefined;
  return { http10, status, reason: text.slice(13, lineEnd), length: lineEnd + 2 };
}

/**
 * The last head, if the chunk has it again at `from`. An upstream often sends equal heads within a second. Comparing their
 * bytes takes one call in place of a text, a search for its end and a comparison (bench http1).
 */
export function repeatedResponse(chunk: Buffer, from: number): RepeatedResponse | undefined {
  if (last === undefined) return undefined;
  const { bytes } = last;
  const end = from + bytes.length;
  // The end first: it is seldom there if the head has another length.
  if (end > chunk.length || chunk[end - 1] !== 0x0a || chunk[end - 3] !== 0x0a) return undefined;
  return compareBytes.call(bytes, chunk, from, end) === 0 ? last : undefined;
}

/**
 * Parses the response head that starts at `from`. The last CRLF before the empty line ends at `end` (RFC 9112 §4, §6.3).
 * Returns a text for the log if the head is refused.
 */
export function parseResponseHead(
  bytes: Uint8Array,
  { from, end }: { from: number; end: number },
  maxHeaderCount: number,
): ParsedResponse | string {
  if (limits.maxCount !== maxHeaderCount) limits = { isRequest: false, maxCount: maxHeaderCount };
  const isCandidate = end - from === lastLength;
  last = undefined;
  lastLength = end - from;
  const response = readResponseHead(bytes, from, end);
  // A head without Date gets the date of the current second, so it is not kept.
  if (isCandidate && scan.hasDate && typeof response !== "string") {
    last = { bytes: Buffer.from(bytes.subarray(from, end + 2)), response };
  }
  return response;
}

function readResponseHead(bytes: Uint8Array, from: number, end: number): ParsedResponse | string {
  const isUsual = compareBytes.call(USUAL.bytes, bytes, from, Math.min(from + USUAL.length, end)) === 0;
  const line = isUsual ? USUAL : readStatusLine(bytes, from, end);
  if (line === undefined) return "malformed status line";
  const { status, reason, http10, length } = line;
  if (!scan.scan(bytes, from + length, end, limits)) return scan.error;
  const { transferEncoding, contentLength } = scan;
  if (transferEncoding !== "" && contentLength !== -1) return "both Content-Length and Transfer-Encoding";
  if (transferEncoding !== "" && transferEncoding !== "chunked") return "unknown transfer coding";
  const chunked = transferEncoding !== "";
  return {
    head: {
      status,
      reason,
      fields: scan.hasDate || status < 200 ? scan.fields : scan.fields + dateLine(),
      bodyLength: contentLength,
    },
    http10,
    // RFC 9112 §6.1: a server that speaks HTTP/1.0 cannot use a transfer coding.
    keepAlive: !scan.close && (!http10 || (scan.keepAlive && !chunked)),
    chunked,
    contentLength,
    upgrade: status === 101 && scan.nominates("upgrade") ? scan.upgrade.toLowerCase() : "",
  };
}
