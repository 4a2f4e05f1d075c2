import { dateLine } from "../../lib/http/http-date.ts";
import { isLatin1At, latin1Text } from "../../lib/memory/latin1.ts";
import { REASON_PHRASES } from "../../lib/http/reason-phrases.ts";
import { type ResponseHead } from "../exchange/exchange.ts";
import { appendFields, headValue } from "../exchange/head-fields.ts";
import { FieldScan, type ScanLimits } from "./field-scan.ts";
import { fieldValueEnd } from "./head-bytes.ts";
import { HeadLines } from "./head-lines.ts";

/** A parsed response head of an upstream for the HTTP/1 codec. */
export interface ParsedResponse {
  readonly head: ResponseHead;
  readonly keepAlive: boolean;
  readonly chunked: boolean;
  /** Lower-case name of the protocol that a 101 switches to. Empty if Connection does not nominate Upgrade. */
  readonly upgrade: string;
}

const scan = new FieldScan();

/** True if a 101 switches to WebSocket with the required `Sec-WebSocket-Accept` (RFC 6455 §4.1). False if `accept` is empty. */
export function isProofOf(accept: string, { head, upgrade }: ParsedResponse): boolean {
  return accept !== "" && upgrade === "websocket" && headValue(head, "sec-websocket-accept") === accept;
}

const SPACE = 0x20;
const MINOR_AT = 7;
const STATUS_AT = 9;
const REASON_AT = 13;

/** The status line that was read last, valid until the next one is read. `next`: the index behind it. */
const line = { http10: false, status: 0, reason: "", next: 0 };

/** The digit at `at`; NaN for another character. */
function digitAt(bytes: Uint8Array, at: number): number {
  const digit = (bytes[at] ?? 0) - 0x30;
  return digit >= 0 && digit <= 9 ? digit : Number.NaN;
}

/** Reads the status line at `from` of a head that ends with CRLF at `end` into `line` (RFC 9112 §4). False if it is malformed. */
function readStatusLine(bytes: Uint8Array, from: number, end: number): boolean {
  const at = from + STATUS_AT;
  if (end < at + 5 || !isLatin1At(bytes, from, "HTTP/1.") || bytes[at - 1] !== SPACE) return false;
  const minor = digitAt(bytes, from + MINOR_AT);
  const status = digitAt(bytes, at) * 100 + digitAt(bytes, at + 1) * 10 + digitAt(bytes, at + 2);
  const lineEnd = fieldValueEnd(bytes, at + 3);
  if (!(minor <= 1) || !(status >= 100 && status <= 599) || (lineEnd > at + 3 && bytes[at + 3] !== SPACE)) return false;
  if (!isLatin1At(bytes, lineEnd, "\r\n")) return false;
  line.http10 = minor === 0;
  line.status = status;
  line.reason = reasonAt(bytes, from + REASON_AT, lineEnd, status);
  line.next = lineEnd + 2;
  return true;
}

/** The reason phrase between `from` and `end`. The usual phrase of a status needs no new text. */
function reasonAt(bytes: Uint8Array, from: number, end: number, status: number): string {
  const usual = REASON_PHRASES[status] ?? "";
  if (end - from === usual.length && isLatin1At(bytes, from, usual)) return usual;
  return from < end ? latin1Text(bytes, from, end) : "";
}

/**
 * Parses the response head that starts at `from`. The last CRLF before the empty line ends at `end` (RFC 9112 §4, §6.3).
 * Returns a text for the log if the head is refused.
 */
export function parseResponseHead(
  bytes: Uint8Array,
  { from, end }: { from: number; end: number },
  limits: ScanLimits,
): ParsedResponse | string {
  if (!readStatusLine(bytes, from, end)) return "malformed status line";
  const { status, http10, next } = line;
  if (!scan.scan(bytes, next, end, limits)) return scan.error;
  const { transferEncoding, contentLength } = scan;
  if (transferEncoding !== "" && contentLength !== -1) return "both Content-Length and Transfer-Encoding";
  if (transferEncoding !== "" && transferEncoding !== "chunked") return "unknown transfer coding";
  const chunked = transferEncoding !== "";
  const head = new UpstreamHead(bytes, scan, contentLength);
  if (!scan.hasDate && status >= 200) appendFields(head, dateLine());
  return {
    head,
    // RFC 9112 §6.1: a server that speaks HTTP/1.0 cannot use a transfer coding.
    keepAlive: !scan.close && (!http10 || (scan.keepAlive && !chunked)),
    chunked,
    upgrade: status === 101 && scan.nominates("upgrade") ? scan.upgrade.toLowerCase() : "",
  };
}

/** The head of the response whose status line was read last. */
class UpstreamHead extends HeadLines implements ResponseHead {
  readonly status = line.status;
  readonly reason = line.reason;
  readonly bodyLength: number;

  constructor(bytes: Uint8Array, fields: FieldScan, bodyLength: number) {
    super(bytes, fields);
    this.bodyLength = bodyLength;
  }
}
